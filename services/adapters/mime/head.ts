/**
 * The fields of a head, and their text in Unicode (RFC 5322 §2.2).
 */
import { isUtf8 } from 'node:buffer';

import { decodeNamed, type Guess, type OnDoubt, withWholePairs } from './charset.ts';
import { isIso2022Jp } from './charset-guess.ts';
import { bytesOf, decodeWords, unnamedWords, withCharset, withCodes } from './encoded-words.ts';

export type Field = {
  name: string;
  /** The name in lower case. */
  key: string;
  /** The text after the colon, still folded. */
  value: string;
};

/** Every field of a head, in order. Lines that are not fields are left out. */
export function headerFields(head: string): Field[] {
  const fields: Field[] = [];
  for (const line of head.split(/\r?\n(?![ \t])/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
    if (colon > 0 && !/\s/.test(name))
      fields.push({ name, key: name.toLowerCase(), value: line.slice(colon + 1) });
  }
  return fields;
}

/** As the payload shows them: unfolded, encoded words decoded. */
export const shownFields = (
  fields: readonly Field[],
  onDoubt?: OnDoubt,
): { name: string; value: string }[] =>
  fields.map(({ name, value }) => ({
    name,
    value: oneLine(decodeWords(value.replace(/\r?\n/g, '').trim(), onDoubt)),
  }));

/** A value on one line, with a blank for each fold. */
export const unfolded = (value: string): string => value.replace(/(?:\r?\n|\r)[ \t]*/g, ' ').trim();

/**
 * Encoded words may hide line ends. Without this, a receiver that writes the value into an email
 * would write two headers.
 */
// oxlint-disable-next-line no-control-regex
export const oneLine = (text: string): string => text.replace(/[\r\n\0]+/g, ' ');

// oxlint-disable-next-line no-control-regex
const ASCII_HEAD = /^[\x00-\x1a\x1c-\x7f]*$/; // ESC may begin ISO-2022-JP

/**
 * A head in Unicode. Senders may use UTF-8 only (RFC 6532), but many use other charsets.
 * @param raw one character for each byte
 */
export function unicodeHead(raw: string, guess: Guess, onDoubt?: OnDoubt): string {
  const named = raw.includes('=?') ? withCharsets(raw, guess, onDoubt) : raw;
  if (ASCII_HEAD.test(named)) return named;
  const head = withCodes(named);
  const bytes = Buffer.from(head, 'latin1');
  if (isUtf8(bytes) && !isIso2022Jp(bytes)) return bytes.toString();
  const lines = linesOf(head).map((line) => (isUtf8(line) ? line : (withWholePairs(line) ?? line)));
  const foreign = lines.filter((line) => !isUtf8(line));
  if (foreign.length > 0) onDoubt?.('guessed');
  const guessed = foreign.length > 0 ? guess(Buffer.concat(foreign)) : 'utf-8';
  return lines
    .map((line) =>
      unicodeLine(line, isIso2022Jp(line) ? 'iso-2022-jp' : isUtf8(line) ? 'utf-8' : guessed),
    )
    .join('');
}

export const linesOf = (head: string): Buffer[] =>
  head.split(/(?<=\n)/).map((line) => Buffer.from(line, 'latin1'));

/** Words that name no charset, with the one that is guessed for all of the email. */
function withCharsets(head: string, guess: Guess, onDoubt: OnDoubt | undefined): string {
  const words = unnamedWords(head);
  if (words.length === 0) return head;
  const bytes = Buffer.concat(words.map(bytesOf));
  if (isUtf8(bytes)) return head;
  onDoubt?.('guessed');
  return withCharset(head, guess(bytes));
}

/** The fields of a head in Unicode. @param head with its fields as they are read before that */
export function unicodeFields(
  { head, fields }: { head: string; fields: Field[] },
  guess: Guess,
  onDoubt?: OnDoubt,
): Field[] {
  const unicode = unicodeHead(head, guess, onDoubt);
  return unicode === head ? fields : headerFields(unicode);
}

/** Whatever its bytes stand for, a line stays one line and does not become empty. */
function unicodeLine(line: Buffer, charset: string): string {
  const end = /\r?\n?$/.exec(line.toString('latin1'))?.[0] ?? '';
  const text = oneLine(decodeNamed(line.subarray(0, line.byteLength - end.length), charset) ?? '');
  return (text === '' && line.byteLength > end.length ? '?' : text) + end;
}
