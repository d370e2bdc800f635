/** The headers of an email as the payload shows them (RFC 5322 §3.6). */
import { readAddressField, writeAddresses } from '../../core/mail/address-field.ts';
import type { ParsedMail } from '../../core/webhook/payload.ts';
import { decodeWords, type Field, oneLine, recodeWords, shownFields } from './head.ts';
import { readIds } from './mailparser.ts';
import type { Part } from './outline.ts';

/** @param fields in Unicode */
export function headersOf(fields: readonly Field[]): ParsedMail['headers'] {
  const all = shownFields(fields);
  const last = (name: string) =>
    all[fields.findLastIndex(({ key }) => key === name)]?.value ?? null;
  const addresses = (name: string) => {
    const field = lastField(fields, name);
    return field === undefined ? null : orNull(writeAddresses(addressesIn(field).entries));
  };
  const ids = (name: string) => {
    const field = lastField(fields, name);
    return field === undefined ? [] : readIds(name, [recodeWords(field.value)]);
  };
  return {
    from: addresses('from'),
    to: addresses('to'),
    cc: addresses('cc'),
    bcc: addresses('bcc'),
    subject: last('subject') || null,
    date: dateOf(last('date')),
    message_id: orNull(ids('message-id')[0]),
    in_reply_to: orNull(ids('in-reply-to')[0]),
    references: orNull(ids('references').join(' ')),
    reply_to: addresses('reply-to'),
    all,
  };
}

const lastField = (fields: readonly Field[], name: string): Field | undefined =>
  fields.findLast(({ key }) => key === name);

const addressesIn = ({ value }: Field) => readAddressField(value, decodeWords);

export function isAuthorUnclear(fields: readonly Field[]): boolean {
  const from = lastField(fields, 'from');
  return from !== undefined && addressesIn(from).isUnclear;
}

/** An email has each of them only once (RFC 5322 §3.6), and a part of it, too (RFC 2045 §3). */
const SINGLE: ReadonlySet<string> = new Set([
  'from',
  'sender',
  'reply-to',
  'to',
  'cc',
  'bcc',
  'subject',
  'date',
  'message-id',
  'in-reply-to',
  'references',
]);
const SINGLE_OF_PART: ReadonlySet<string> = new Set([
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'content-disposition',
]);

export const hasRepeated = (fields: readonly Field[], parts: readonly Part[]): boolean =>
  isRepeated(fields, SINGLE) || parts.some((part) => isRepeated(part.fields, SINGLE_OF_PART));

function isRepeated(fields: readonly Field[], names: ReadonlySet<string>): boolean {
  const keys = fields.map(({ key }) => key).filter((key) => names.has(key));
  return new Set(keys).size < keys.length;
}

const orNull = (text: string | undefined): string | null => (text && oneLine(text)) || null;

const ZONE = /[+-]\d\d?:?\d\d|\b([ecmp][sd]t|gmt|utc?)\b|\bz$|\dz\b/i;

/** A time of day, perhaps with its zone as a number, and the words after it. */
const NUMBER_AND_NAME = /(\d:\d\d\S* [+-]\d\d:?\d\d)(?: [\p{L}(][\p{L}./_)-]*(?= |$))+/u;
const TIME_AND_NAME = /(\d:\d\d\S*)(?: [\p{L}./_-]+(?= |$))+/u;

/**
 * Null for a date that cannot be read (D23). A date without a zone is in UTC, wherever this machine
 * is, and so is one whose zone has an unknown name (RFC 5322 §4.3).
 */
function dateOf(value: string | null): Date | null {
  const text = value?.replace(/\s+/g, ' ').trim().replace(NUMBER_AND_NAME, '$1') ?? '';
  // Every date has a time of day (RFC 5322 §3.3), but Date accepts `number 5`.
  if (!/\d:\d\d/.test(text)) return null;
  const date = readDate(text) ?? readDate(text.replace(TIME_AND_NAME, '$1'));
  return date && date.getUTCFullYear() <= 9999 && date.getUTCFullYear() >= 0 ? date : null;
}

function readDate(text: string): Date | undefined {
  const date = new Date(ZONE.test(text) ? text : `${text}${/\dT\d/.test(text) ? 'Z' : ' UTC'}`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
