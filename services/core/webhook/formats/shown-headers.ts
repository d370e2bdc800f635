/**
 * The headers of an email as other services show them to programs: readable by a parser of RFC 5322,
 * and without what only a receiving server may say.
 */
import { type Mailbox, readAddressField, writeAddresses } from '../../mail/fields/address-field.ts';
import type { WebhookPayload } from '../payload.ts';

export type Header = { name: string; value: string };

/** An email has each of them once (RFC 5322 §3.6, RFC 2045 §3). The payload shows the last one. */
const SINGLE: ReadonlySet<string> = new Set([
  'bcc',
  'cc',
  'content-type',
  'date',
  'from',
  'in-reply-to',
  'message-id',
  'mime-version',
  'references',
  'reply-to',
  'sender',
  'subject',
  'to',
]);
/** Ours says the envelope sender. The others are about the bytes of a body that is not sent. */
const NOT_SHOWN = ['return-path', 'content-disposition', 'content-transfer-encoding'];
const FIELD_NAME = /^[\x21-\x39\x3b-\x7e]+$/; // RFC 5322 §2.2

/**
 * In their order. A name that occurs once too often has its last value, and addresses are as the
 * payload has them.
 * @param without names in lower case: what the sender must not say instead of the receiver
 */
export function shownHeaders(
  headers: WebhookPayload['headers'],
  without: readonly string[] = [],
): Header[] {
  const left = new Set([...without, ...NOT_SHOWN]);
  const known = new Map([
    ['from', mailboxText(headers.from)],
    ['to', mailboxText(headers.to)],
    ['cc', mailboxText(headers.cc)],
    ['bcc', mailboxText(headers.bcc)],
    ['reply-to', mailboxText(headers.reply_to)],
    ['subject', headers.subject],
  ]);
  const seen = new Set<string>();
  const shown: Header[] = [];
  for (const { name, value } of headers.all.toReversed()) {
    const key = name.toLowerCase();
    if (left.has(key) || !FIELD_NAME.test(name) || (SINGLE.has(key) && seen.has(key))) continue;
    seen.add(key);
    shown.push({ name, value: oneLine(known.get(key) ?? value) });
  }
  return shown.toReversed();
}

/** The mailboxes of a field, without the names of groups. */
export const mailboxesIn = (field: string | null): Mailbox[] =>
  field === null ? [] : readAddressField(field).mailboxes;

const mailboxText = (field: string | null): string | null =>
  field === null ? null : writeAddresses(mailboxesIn(field));

export const oneLine = (text: string): string => text.replaceAll(/[\r\n\0]+/g, ' ');

const WORDS = new Map([
  ['softfail', 'SoftFail'],
  ['temperror', 'TempError'],
  ['permerror', 'PermError'],
]);

/** `pass` as `Pass`, as headers write results. */
export const capitalized = (word: string): string =>
  WORDS.get(word) ?? word.charAt(0).toUpperCase() + word.slice(1);
