/** The lines of a text in which codes are looked for, in one spelling of digits and without URLs. */
import { withFewMarks } from '../text/text.ts';
import { withoutInvisible } from '../html/invisible-characters.ts';

export type Line = { text: string; /** In lower case. */ lower: string };

const LINES_MAX = 5_000;
export const LINE_MAX_CHARS = 4_096;
/** The longest code with each digit on its own line. */
const BOXES_MAX_CHARS = 20;
const URL_OR_ADDRESS =
  /(?:https?:\/\/|www\.)\S{1,2048}|(?<![^\s@<>])[^\s@<>]{1,64}@[^\s@<>]{1,255}/giu;

export function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (const raw of withoutInvisible(text).split(/\r?\n/, LINES_MAX)) {
    const line = asciiDigits(
      withFewMarks(withSpacedCommas(raw.slice(0, LINE_MAX_CHARS))).normalize('NFKC'),
    )
      .replaceAll(URL_OR_ADDRESS, ' · ')
      .replaceAll(/\s+/g, ' ')
      .trim();
    if (line !== '') lines.push({ text: line, lower: line.toLowerCase() });
  }
  return joinedDigits(lines);
}

/** `482913，5分钟内有效`: NFKC would make one number with a decimal comma of it. */
const withSpacedCommas = (text: string): string => text.replaceAll(/(?<=\d)，(?=\d)/g, ', ');

/** Arabic and Persian digits. NFKC has changed those of full width. */
const asciiDigits = (text: string): string =>
  text.replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf));

/** A code with each digit in a line of its own, as in a row of boxes. */
function joinedDigits(lines: readonly Line[]): Line[] {
  const joined: Line[] = [];
  let isOpen = false;
  for (const line of lines) {
    const isDigit = /^\d$/.test(line.text);
    const last = joined.at(-1);
    if (isDigit && isOpen && last && last.text.length < BOXES_MAX_CHARS) {
      const text = `${last.text} ${line.text}`;
      joined[joined.length - 1] = { text, lower: text };
    } else joined.push(line);
    isOpen = isDigit;
  }
  return joined;
}
