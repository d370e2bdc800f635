/**
 * The fields of a head, and their text in Unicode (RFC 5322 §2.2).
 */
import { isUtf8 } from 'node:buffer';

import { decodeNamed, type OnDoubt } from './charset.ts';
import { charsetOf, isIso2022Jp } from './charset-guess.ts';
import { decodeWords } from './encoded-words.ts';

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
 * @param head one character for each byte, @param charset that the email names for a text
 */
export function unicodeHead(head: string, charset: string | undefined, onDoubt?: OnDoubt): string {
  if (ASCII_HEAD.test(head)) return head;
  const bytes = Buffer.from(head, 'latin1');
  if (isUtf8(bytes) && !isIso2022Jp(bytes)) return bytes.toString();
  const lines = head.split(/(?<=\n)/).map((line) => Buffer.from(line, 'latin1'));
  const foreign = lines
    .filter((line) => !isUtf8(line))
    .flatMap((line) => line.toString('latin1').split(/[ \t\r\n"<>]+/))
    .filter((word) => /[\x80-\xff]/.test(word)); // the other words are ASCII in any charset
  if (foreign.length > 0) onDoubt?.('guessed');
  const hint =
    charset !== undefined && decodeNamed(Buffer.from(ASCII_FIELD), charset) === ASCII_FIELD
      ? charset
      : undefined;
  const guessed = charsetOf(Buffer.from(foreign.join(' '), 'latin1'), hint);
  return lines
    .map((line) =>
      unicodeLine(line, isIso2022Jp(line) ? 'iso-2022-jp' : isUtf8(line) ? 'utf-8' : guessed),
    )
    .join('');
}

/** The fields of a head in Unicode. @param head with its fields as they are read before that */
export function unicodeFields(
  { head, fields }: { head: string; fields: Field[] },
  charset: string | undefined,
  onDoubt?: OnDoubt,
): Field[] {
  const unicode = unicodeHead(head, charset, onDoubt);
  return unicode === head ? fields : headerFields(unicode);
}

const ASCII_FIELD = 'Name: value';

/** Whatever its bytes stand for, a line stays one line and does not become empty. */
function unicodeLine(line: Buffer, charset: string): string {
  const end = /\r?\n?$/.exec(line.toString('latin1'))?.[0] ?? '';
  const text = oneLine(decodeNamed(line.subarray(0, line.byteLength - end.length), charset) ?? '');
  return (text === '' && line.byteLength > end.length ? '?' : text) + end;
}
