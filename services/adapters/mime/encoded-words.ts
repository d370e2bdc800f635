/** Headers as text: encoded words (RFC 2047) of any charset, also where a character is cut between two of them. */
import { decodeNamed, decodeText, isMeaningless } from './charset.ts';

const WORD = /=\?([^?\s*]{1,60})(?:\*[^?\s]{0,60})?\?([bq])\?([^?\r\n]*)\?=/gi;

/** What cannot be read stays as it stands. */
export const decodeWords = (text: string): string => withWords(text, (decoded) => decoded);

/** The same words in a form that every reader knows: whole characters, in UTF-8. */
export const recodeWords = (head: string): string =>
  withWords(head, (decoded) => `=?utf-8?B?${Buffer.from(decoded).toString('base64')}?=`);

function withWords(text: string, show: (decoded: string) => string): string {
  let decoded = '';
  let from = 0;
  let run: { charset: string; bytes: Buffer[]; source: string } | undefined;
  const endRun = () => {
    if (run === undefined) return;
    const words = textOf(run.charset, Buffer.concat(run.bytes));
    decoded += words === undefined ? run.source : show(words);
    run = undefined;
  };
  for (const {
    0: word,
    1: charset = '',
    2: encoding = '',
    3: content = '',
    index,
  } of text.matchAll(WORD)) {
    const between = text.slice(from, index);
    const isNext = run !== undefined && /^\s*$/.test(between); // blanks between two words belong to neither (§6.2)
    if (!isNext) {
      endRun();
      decoded += between;
    } else if (run?.charset !== charset.toLowerCase()) endRun();
    run ??= { charset: charset.toLowerCase(), bytes: [], source: '' };
    run.bytes.push(
      encoding.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : decodeQ(content),
    );
    run.source += word;
    from = index + word.length;
  }
  endRun();
  return decoded + text.slice(from);
}

const textOf = (charset: string, bytes: Buffer): string | undefined =>
  isMeaningless(charset) ? decodeText(bytes, charset) : decodeNamed(bytes, charset);

const decodeQ = (content: string): Buffer =>
  Buffer.from(
    content
      .replaceAll('_', ' ')
      .replace(/=([0-9a-f]{2})/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    'latin1',
  );

/** Every header of a head, in order. */
export function headersOf(head: string): { name: string; value: string }[] {
  const headers: { name: string; value: string }[] = [];
  for (const line of head.split(/\r?\n(?![ \t])/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    if (colon > 0 && !/\s/.test(name))
      headers.push({
        name,
        value: oneLine(
          decodeWords(
            line
              .slice(colon + 1)
              .replace(/\r?\n/g, '')
              .trim(),
          ),
        ),
      });
  }
  return headers;
}

/** Encoded words may hide line ends: whoever writes a header anew of such a text would write two. */
export const oneLine = (text: string): string => text.replace(/[\r\n\0]+/g, ' ').toWellFormed(); // oxlint-disable-line no-control-regex
