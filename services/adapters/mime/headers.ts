/** The headers of an email as the payload shows them (RFC 5322 §3.6). */
import { LRUCache } from 'lru-cache';

import { readAddressField, writeAddresses } from '../../core/mail/fields/address-field.ts';
import { readMailDate } from '../../core/mail/fields/mail-date.ts';
import { SINGLE_FIELDS, SINGLE_FIELDS_OF_PART } from '../../core/mail/fields/single-fields.ts';
import type { ParsedMail } from '../../core/webhook/payload.ts';
import type { OnDoubt } from './charset.ts';
import { decodeWords } from './encoded-words.ts';
import { type Field, oneLine, shownFields, unfolded } from './head.ts';
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
    const text = decodeWords(unfolded(lastField(fields, name)?.value ?? '')).trim();
    return (name === 'references' ? text.split(/\s+/) : [text]).filter(Boolean).map(inBrackets);
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

/** Some programs leave them out (RFC 5322 §3.6.4). */
const inBrackets = (id: string): string =>
  `${id.startsWith('<') ? '' : '<'}${id}${id.endsWith('>') ? '' : '>'}`;

const lastField = (fields: readonly Field[], name: string): Field | undefined =>
  fields.findLast(({ key }) => key === name);

/** Most emails name some mailboxes that other emails have named. */
const known = new LRUCache<string, { text: string; isUnclear: boolean }>({ max: 1_000 });
const KNOWN_MAX_CHARS = 200;

function addressesIn({ value }: Field): { text: string; isUnclear: boolean } {
  const found = known.get(value);
  if (found !== undefined) return found;
  const { entries, isUnclear } = readAddressField(value, decodeWords);
  const text = writeAddresses(entries);
  const read = { text, isUnclear: isUnclear || readsOtherwise(value, text) };
  // The key is a copy, because a piece of a head would keep all of the head in memory.
  if (value.length <= KNOWN_MAX_CHARS) known.set(Buffer.from(value).toString(), read);
  return read;
}

export function isAuthorUnclear(fields: readonly Field[]): boolean {
  const from = lastField(fields, 'from');
  return from !== undefined && addressesIn(from).isUnclear;
}

/** A field that reads as other addresses once it is decoded, as `headers.all` shows it. */
const readsOtherwise = (value: string, text: string): boolean =>
  value.includes('=?') && addressesOf(decodeWords(unfolded(value))) !== addressesOf(text);

const addressesOf = (field: string): string =>
  readAddressField(field)
    .mailboxes.map(({ address }) => address)
    .join(' ');

export const hasRepeated = (fields: readonly Field[], parts: readonly Part[]): boolean =>
  isRepeated(fields, SINGLE_FIELDS) ||
  parts.some((part) => isRepeated(part.fields, SINGLE_FIELDS_OF_PART));

function isRepeated(fields: readonly Field[], names: ReadonlySet<string>): boolean {
  const keys = fields.map(({ key }) => key).filter((key) => names.has(key));
  return new Set(keys).size < keys.length;
}

const orNull = (text: string | undefined): string | null => (text && oneLine(text)) || null;
