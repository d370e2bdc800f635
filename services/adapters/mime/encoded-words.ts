/**
 * Encoded words (RFC 2047) as text. Words of one charset that follow each other are decoded together,
 * because programs cut characters between two words.
 */
import { type EncodedWord, encodedWordAt } from '../../core/mail/fields/encoded-word.ts';
import { decodeText, type OnDoubt } from './charset.ts';

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
  let run: { charset: string; bytes: Buffer[] } | undefined;
  const endRun = () => {
    if (run !== undefined)
      decoded += show(decodeText(Buffer.concat(run.bytes), run.charset, undefined, onDoubt));
    run = undefined;
  };
  for (let at = text.indexOf('=?'); at !== -1; at = text.indexOf('=?', at)) {
    const word = encodedWordAt(text, at);
    if (word === undefined) {
      at += 2;
      continue;
    }
    const between = text.slice(from, at);
    const isNext = run !== undefined && between.trim() === ''; // RFC 2047 §6.2: blanks between two words are ignored
    if (!isNext) {
      endRun();
      decoded += between;
    } else if (run?.charset !== word.charset) endRun();
    run ??= { charset: word.charset, bytes: [] };
    run.bytes.push(bytesOf(word));
    at = from = word.end;
  }
  endRun();
  return decoded + text.slice(from);
}

const bytesOf = ({ encoding, content }: EncodedWord): Buffer =>
  encoding === 'b' ? Buffer.from(content, 'base64') : decodeQ(content);

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
