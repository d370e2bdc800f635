/**
 * The fields of a head, and their text in Unicode (RFC 5322 §2.2). Encoded words are decoded here
 * rather than by mailparser, which knows fewer charsets.
 */
import { isUtf8 } from 'node:buffer';

import {
  charsetOf,
  contradiction,
  decodeNamed,
  decodeText,
  isIso2022Jp,
  isMeaningless,
} from './charset.ts';

export type Field = {
  name: string;
  /** The name in lower case. */
  key: string;
  /** The text after the colon, still folded. */
  value: string;
};

/** Every field of a head, in order. Lines that are not fields are left out. */
export function fieldsOf(head: string): Field[] {
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
export const shownFields = (fields: readonly Field[]): { name: string; value: string }[] =>
  fields.map(({ name, value }) => ({
    name,
    value: oneLine(decodeWords(value.replace(/\r?\n/g, '').trim())),
  }));

/** A value on one line, with a blank for each fold. */
export const unfolded = (value: string): string => value.replace(/(?:\r?\n|\r)[ \t]*/g, ' ').trim();

/**
 * Encoded words may hide line ends. Without this, a receiver that writes the value into an email
 * would write two headers.
 */
// oxlint-disable-next-line no-control-regex
export const oneLine = (text: string): string => text.replace(/[\r\n\0]+/g, ' ').toWellFormed();

// oxlint-disable-next-line no-control-regex
const ASCII_HEAD = /^[\x00-\x1a\x1c-\x7f]*$/; // ESC may begin ISO-2022-JP

/**
 * A head in Unicode. Senders may use UTF-8 only (RFC 6532), but many use other charsets.
 * @param head one character for each byte, @param charset that the email names for a text
 */
export function unicodeHead(head: string, charset: string | undefined): string {
  if (ASCII_HEAD.test(head)) return head;
  const bytes = Buffer.from(head, 'latin1');
  if (isUtf8(bytes) && !isIso2022Jp(bytes)) return bytes.toString();
  const lines = head.split(/(?<=\n)/).map((line) => Buffer.from(line, 'latin1'));
  const foreign = lines
    .filter((line) => !isUtf8(line))
    .flatMap((line) => line.toString('latin1').split(/[ \t\r\n"<>]+/))
    .filter((word) => /[\x80-\xff]/.test(word)); // the other words are ASCII in any charset
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
): Field[] {
  const unicode = unicodeHead(head, charset);
  return unicode === head ? fields : fieldsOf(unicode);
}

const ASCII_FIELD = 'Name: value';

/** Whatever its bytes stand for, a line stays one line and does not become empty. */
function unicodeLine(line: Buffer, charset: string): string {
  const end = /\r?\n?$/.exec(line.toString('latin1'))?.[0] ?? '';
  const text = oneLine(decodeNamed(line.subarray(0, line.byteLength - end.length), charset) ?? '');
  return (text === '' && line.byteLength > end.length ? '?' : text) + end;
}

const WORD = /=\?([^?\s*]{1,60})(?:\*[^?\s]{0,60})?\?([bq])\?([^?\r\n]*)\?=/gi;

/** Encoded words (RFC 2047) as text. A word that cannot be read stays as it is. */
export const decodeWords = (text: string): string => withWords(text, (decoded) => decoded);

/**
 * Encoded words of any charset as encoded words of whole characters in UTF-8, which mailparser
 * reads.
 */
export const recodeWords = (text: string): string =>
  withWords(text, (decoded) => `=?utf-8?B?${Buffer.from(decoded).toString('base64')}?=`);

function withWords(text: string, show: (decoded: string) => string): string {
  if (!text.includes('=?')) return text;
  let decoded = '';
  let from = 0;
  let run: { charset: string; bytes: Buffer[]; source: string } | undefined;
  const endRun = () => {
    if (run === undefined) return;
    const words = wordsText(run.charset, Buffer.concat(run.bytes));
    decoded += words === undefined ? run.source : show(words);
    run = undefined;
  };
  for (const match of text.matchAll(WORD)) {
    const { 0: word, 1: charset = '', 2: encoding = '', 3: content = '', index } = match;
    const between = text.slice(from, index);
    const isNext = run !== undefined && /^\s*$/.test(between); // blanks between two words are ignored (RFC 2047 §6.2)
    if (!isNext) {
      endRun();
      decoded += between;
    } else if (run?.charset !== charset.toLowerCase()) endRun();
    run ??= { charset: charset.toLowerCase(), bytes: [], source: '' }; // a character may be cut between two words
    run.bytes.push(
      encoding.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : decodeQ(content),
    );
    run.source += word;
    from = index + word.length;
  }
  endRun();
  return decoded + text.slice(from);
}

const wordsText = (charset: string, bytes: Buffer): string | undefined =>
  isMeaningless(charset)
    ? decodeText(bytes, charset)
    : decodeNamed(bytes, contradiction(bytes, charset) ?? charset);

const decodeQ = (content: string): Buffer =>
  Buffer.from(
    content
      .replaceAll('_', ' ')
      .replace(/=([0-9a-f]{2})/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    'latin1',
  );
