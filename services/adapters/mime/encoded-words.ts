/**
 * Encoded words (RFC 2047) as text. Words of one charset that follow each other are decoded together,
 * because programs cut characters between two words.
 */
import { isUtf8 } from 'node:buffer';

import { type EncodedWord, encodedWordAt } from '../../core/mail/fields/encoded-word.ts';
import { isUnnamed, nameOf } from './charset-names.ts';
import { decodeText, isStateful, type OnDoubt } from './charset.ts';

/** A word that cannot be read stays as it is. */
export const decodeWords = (text: string, onDoubt?: OnDoubt): string =>
  withWords(text, onDoubt, (decoded) => decoded);

/** Encoded words of any charset as encoded words of whole characters in UTF-8. */
export const recodeWords = (text: string, onDoubt?: OnDoubt): string =>
  withWords(text, onDoubt, (decoded) => `=?utf-8?B?${Buffer.from(decoded).toString('base64')}?=`);

function withWords(
  text: string,
  onDoubt: OnDoubt | undefined,
  show: (decoded: string) => string,
): string {
  let decoded = '';
  let from = 0;
  let run: Run | undefined;
  const endRun = () => {
    if (run !== undefined) decoded += show(textOfRun(run, onDoubt));
    run = undefined;
  };
  for (const word of wordsIn(text)) {
    const between = text.slice(from, word.start);
    const isNext = run !== undefined && between.trim() === ''; // RFC 2047 §6.2: blanks between two words are ignored
    if (!isNext) {
      endRun();
      decoded += between;
    } else if (run?.charset !== word.charset) endRun();
    run ??= { charset: word.charset, bytes: [] };
    run.bytes.push(bytesOf(word));
    from = word.end;
  }
  endRun();
  return decoded + text.slice(from);
}

/** Words of one charset that follow each other. */
type Run = { charset: string; bytes: Buffer[] };

/** Each word begins in the first state of its charset, unless the word before ends within a character. */
function textOfRun({ charset, bytes }: Run, onDoubt: OnDoubt | undefined): string {
  if (bytes.length > 1 && isStateful(charset)) {
    const words = bytes.map((word) => decodeText(word, charset)).join('');
    if (!words.includes('\ufffd')) return words;
  }
  return decodeText(Buffer.concat(bytes), charset, undefined, onDoubt);
}

export const bytesOf = ({ encoding, content }: EncodedWord): Buffer =>
  encoding === 'b' ? Buffer.from(content, 'base64') : decodeQ(content);

type PlacedWord = EncodedWord & { start: number };

/** The encoded words of a text, in their order. */
function* wordsIn(text: string): Generator<PlacedWord> {
  for (let at = text.indexOf('=?'); at !== -1; at = text.indexOf('=?', at)) {
    const word = encodedWordAt(text, at);
    if (word !== undefined) yield { ...word, start: at };
    at = word?.end ?? at + 2;
  }
}

/** A text with what takes the place of its words. A word without a replacement stays. */
function replaceWords(text: string, replacement: (word: PlacedWord) => string | undefined): string {
  let replaced = '';
  let from = 0;
  for (const word of wordsIn(text)) {
    const shown = replacement(word);
    if (shown === undefined) continue;
    replaced += text.slice(from, word.start) + shown;
    from = word.end;
  }
  return replaced + text.slice(from);
}

/**
 * A head, one character for each byte, with the bytes beyond ASCII in its words as codes: what a word
 * holds is in its charset, and is decoded once.
 */
export const withCodes = (head: string): string =>
  replaceWords(head, ({ encoding, start, end }) =>
    encoding === 'q' ? head.slice(start, end).replace(/[\x80-\xff]/g, codeOf) : undefined,
  );

/** A word in another charset than most: only then is each looked at. */
const UNUSUAL =
  /=\?(?!(?:utf-8|iso-8859-\d{1,2}|windows-125\d|iso-2022-jp)[*?])[^?\s]{0,120}\?[bq]\?/i;
const namesNone = ({ charset }: EncodedWord): boolean =>
  isUnnamed(charset) && nameOf(charset) !== 'utf-8';

/** The words of a head that name no charset, or none that anybody knows. */
export const unnamedWords = (head: string): EncodedWord[] =>
  UNUSUAL.test(head) ? Array.from(wordsIn(head)).filter(namesNone) : [];

/** A head in which these words name this charset, unless they are UTF-8. */
export const withCharset = (head: string, charset: string): string =>
  replaceWords(head, (word) =>
    namesNone(word) && !isUtf8(bytesOf(word))
      ? `=?${charset}${head.slice(head.indexOf('?', word.start + 2), word.end)}`
      : undefined,
  );

const codeOf = (char: string): string =>
  `=${char.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`;

/** Characters that are not in ASCII stand there as UTF-8 (RFC 6532). */
const decodeQ = (content: string): Buffer =>
  Buffer.from(
    Buffer.from(content)
      .toString('latin1')
      .replaceAll('_', ' ')
      .replace(/=([0-9a-f]{2})/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    'latin1',
  );
