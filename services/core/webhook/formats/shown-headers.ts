/**
 * The headers of an email as other services show them to programs: readable by a parser of RFC 5322,
 * and without what only a receiving server may say.
 */
import { type Mailbox, readAddressField, writeAddresses } from '../../mail/fields/address-field.ts';
import { SINGLE_FIELDS, SINGLE_FIELDS_OF_PART } from '../../mail/fields/single-fields.ts';
import type { NOT_EVALUATED } from '../parse-warning.ts';
import { textOfHtml } from '../../html/html-text.ts';
import type { WebhookPayload } from '../payload.ts';

export type Header = { name: string; value: string };

/** The payload shows the last one of each. */
const isSingle = (key: string): boolean => SINGLE_FIELDS.has(key) || SINGLE_FIELDS_OF_PART.has(key);
/** Ours says the envelope sender. The others are about the bytes of a body that is not sent. */
const NOT_SHOWN = ['return-path', 'content-disposition', 'content-transfer-encoding'];
/** Other services have no field for what a receiver must know of its rules and filters. */
const WARNINGS = 'X-Inlet-Warnings';
const FIELD_NAME = /^[\x21-\x39\x3b-\x7e]+$/; // RFC 5322 §2.2

/** Apart from its schema, which the package of the command does not have. */
const INCOMPLETE: (typeof NOT_EVALUATED)['code'] = 'rules_timeout';

/**
 * In their order. A name that occurs once too often has its last value, and addresses are as the
 * payload has them.
 * @param without names in lower case: what the sender must not say instead of the receiver
 */
export function shownHeaders(
  { headers, parse_warnings: warnings }: Pick<WebhookPayload, 'headers' | 'parse_warnings'>,
  without: readonly string[] = [],
): Header[] {
  const left = new Set([...without, ...NOT_SHOWN, WARNINGS.toLowerCase()]);
  const isIncomplete = warnings.some(({ code }) => code === INCOMPLETE);
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
    if (left.has(key) || !FIELD_NAME.test(name) || (isSingle(key) && seen.has(key))) continue;
    seen.add(key);
    shown.push({ name, value: oneLine(known.get(key) ?? value) });
  }
  if (isIncomplete) shown.push({ name: WARNINGS, value: INCOMPLETE });
  return shown.toReversed();
}

/** The mailboxes of a field, without the names of groups. */
export const mailboxesIn = (field: string | null): Mailbox[] =>
  field === null ? [] : readAddressField(field).mailboxes;

const mailboxText = (field: string | null): string | null =>
  field === null ? null : writeAddresses(mailboxesIn(field));

/** Services promise a text: that of the HTML where the email has none. */
export const shownText = ({ text, html }: WebhookPayload['content']): string =>
  text ?? (html === null ? '' : textOfHtml(html));

export const oneLine = (text: string): string => text.replaceAll(/[\r\n\0]+/g, ' ');

const WORDS = new Map([
  ['softfail', 'SoftFail'],
  ['temperror', 'TempError'],
  ['permerror', 'PermError'],
]);

/** `pass` as `Pass`, as headers write results. */
export const capitalized = (word: string): string =>
  WORDS.get(word) ?? word.charAt(0).toUpperCase() + word.slice(1);
