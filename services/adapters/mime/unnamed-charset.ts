/**
 * One guess for all bytes of an email whose charset nobody names: a subject alone is too short for it.
 * The guess is made when the first of these bytes are to be decoded.
 */
import { isUtf8 } from 'node:buffer';

import type { Decoded } from './base64.ts';
import { charsetOfHtml, decodeNamed, type Guess, isForeign } from './charset.ts';
import { certainCharset, charsetOf, SAMPLE_BYTES } from './charset-guess.ts';
import { isUnnamed } from './charset-names.ts';
import { bytesOf, unnamedWords, withCodes } from './encoded-words.ts';
import { linesOf } from './head.ts';
import { type Outline, parameterOf, type Part } from './outline.ts';

const ASCII_FIELD = 'Name: value';

/** @param read the decoded body of a part */
export function createGuess({ parts }: Outline, read: (part: Part) => Decoded): Guess {
  let common: { charset: string | undefined; named: string | undefined } | undefined;
  const find = () => {
    const named = parts.map((part) => parameterOf(part, 'charset')).find(saysSomething);
    const pieces = parts.flatMap((part) => foreignBytes(part, read));
    const all = joined(pieces);
    const others = certainCharset(all) ? [] : pieces.filter((piece) => !certainCharset(piece));
    const bytes = others.length > 0 ? joined(others) : all;
    return { charset: bytes.byteLength > 0 ? charsetOf(bytes, named) : undefined, named };
  };
  return (bytes) => {
    common ??= find();
    const { charset, named } = common;
    const words = foreignWords(bytes);
    const isOther = charset === undefined || !isIn(bytes, charset);
    return isOther ? charsetOf(words, named) : (certainCharset(words) ?? charset);
  };
}

/** A charset that the email names for a text may be that of others, if ASCII is itself in it. */
const saysSomething = (charset: string | undefined): boolean =>
  charset !== undefined &&
  !/^(us-ascii|utf-?8)$/i.test(charset) &&
  decodeNamed(Buffer.from(ASCII_FIELD), charset) === ASCII_FIELD;

const isIn = (bytes: Buffer, charset: string): boolean =>
  decodeNamed(bytes, charset)?.includes('\ufffd') === false;

const joined = (pieces: readonly Buffer[]): Buffer =>
  Buffer.concat(pieces.flatMap((piece) => [piece, Buffer.from(' ')])).subarray(0, SAMPLE_BYTES);

function foreignBytes(part: Part, read: (part: Part) => Decoded): Buffer[] {
  const lines = linesOf(withCodes(part.head)).filter((line) => !isUtf8(line));
  const words = Buffer.concat(unnamedWords(part.head).map(bytesOf));
  const isText = /^(text\/(plain|html)|)$/.test(part.contentType);
  const body = isText ? unnamedBody(part, read(part).content) : [];
  return [...lines, ...(isUtf8(words) ? [] : [words]), ...body].map(foreignWords);
}

function unnamedBody(part: Part, content: Buffer): Buffer[] {
  const named = parameterOf(part, 'charset');
  const charset =
    named ?? (part.contentType === 'text/html' ? charsetOfHtml(content) : undefined) ?? '';
  return isUnnamed(charset) && isForeign(content, charset) ? [content] : [];
}

/** The other words are ASCII in any charset, and say nothing. */
const foreignWords = (bytes: Buffer): Buffer =>
  Buffer.from(
    bytes
      .toString('latin1', 0, SAMPLE_BYTES)
      .split(/[ \t\r\n"<>]+/)
      .filter((word) => /[\x80-\xff]/.test(word))
      .join(' '),
    'latin1',
  );
