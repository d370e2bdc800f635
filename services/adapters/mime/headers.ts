/** The headers of an email as the payload shows them (RFC 5322 §3.6). */
import { LRUCache } from 'lru-cache';

import { readAddressField, writeAddresses } from '../../core/mail/fields/address-field.ts';
import { readMailDate } from '../../core/mail/fields/mail-date.ts';
import type { ParsedMail } from '../../core/webhook/payload.ts';
import type { OnDoubt } from './charset.ts';
import { decodeWords, recodeWords } from './encoded-words.ts';
import { type Field, oneLine, shownFields } from './head.ts';
import { readIds } from './mailparser.ts';
import type { Part } from './outline.ts';

/** @param fields in Unicode */
export function headersOf(fields: readonly Field[], onDoubt?: OnDoubt): ParsedMail['headers'] {
  const all = shownFields(fields, onDoubt);
  const last = (name: string) =>
    all[fields.findLastIndex(({ key }) => key === name)]?.value ?? null;
  const addresses = (name: string) => {
    const field = lastField(fields, name);
    return field === undefined ? null : orNull(addressesIn(field).text);
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
    date: readMailDate(last('date') ?? '') ?? null,
    message_id: orNull(ids('message-id')[0]),
    in_reply_to: orNull(ids('in-reply-to')[0]),
    references: orNull(ids('references').join(' ')),
    reply_to: addresses('reply-to'),
    all,
  };
}

const lastField = (fields: readonly Field[], name: string): Field | undefined =>
  fields.findLast(({ key }) => key === name);

/** Most emails name some mailboxes that other emails have named. */
const known = new LRUCache<string, { text: string; isUnclear: boolean }>({ max: 1_000 });
const KNOWN_MAX_CHARS = 200;

function addressesIn({ value }: Field): { text: string; isUnclear: boolean } {
  const found = known.get(value);
  if (found !== undefined) return found;
  const { entries, isUnclear } = readAddressField(value, decodeWords);
  const read = { text: writeAddresses(entries), isUnclear };
  // The key is a copy, because a piece of a head would keep all of the head in memory.
  if (value.length <= KNOWN_MAX_CHARS) known.set(Buffer.from(value).toString(), read);
  return read;
}

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
