/**
 * Writes Markdown (CommonMark) that contains no HTML, whatever the text. Breaks, spaces and marks
 * are written only when text follows, so nothing is empty.
 */
import { cutText } from '../text/text.ts';

/** A paragraph, an item of a list, or a line within a paragraph. */
type Break = 'paragraph' | 'item' | 'line';
const RANK = { line: 1, item: 2, paragraph: 3 } as const;

/** Begins each line of a quotation or of an item. */
type Prefix = { first: string; rest: string; isUsed?: boolean };
/** Emphasis around text. */
type Mark = { sign: string; isWritten?: boolean };

const PREFIXES_MAX = 10;

export type MarkdownWriter = ReturnType<typeof createMarkdownWriter>;

/** @param maxChars after which nothing more is written */
export function createMarkdownWriter(maxChars: number) {
  const prefixes: Prefix[] = [];
  const marks: Mark[] = [];
  const pieces: string[] = [];
  let length = 0;
  let isCut = false;
  let pending: Break | undefined;
  let between = ''; // before the next text of the same line

  const put = (text: string) => {
    pieces.push(text);
    length += text.length;
  };
  const prefix = (): string =>
    prefixes
      .slice(0, PREFIXES_MAX)
      .map((one) => {
        const text = one.isUsed ? one.rest : one.first;
        one.isUsed = true;
        return text;
      })
      .join('');
  const startLine = (kind: Break | undefined) => {
    for (const { sign, isWritten } of marks.toReversed()) if (isWritten) put(sign);
    for (const mark of marks) mark.isWritten = false;
    const blank = prefixes
      .slice(0, PREFIXES_MAX)
      .map(({ rest, isUsed }) => (isUsed ? rest : ''))
      .join('');
    if (kind === 'paragraph') put(`\n${blank.trimEnd()}`);
    if (kind !== undefined) put(kind === 'line' ? '  \n' : '\n');
    put(prefix());
  };

  return {
    /** @param text already safe, without line breaks of its own */
    write: (text: string) => {
      if (text === '' || isCut) return;
      isCut = length + text.length > maxChars;
      const isFirst = pieces.length === 0;
      const startsLine = isFirst || pending !== undefined;
      if (startsLine) startLine(isFirst ? undefined : pending);
      else put(between);
      for (const mark of marks) {
        if (!mark.isWritten) put(mark.sign);
        mark.isWritten = true;
      }
      const kept = cutText(text, Math.max(0, maxChars - length));
      put(startsLine ? escapedStart(kept) : kept);
      pending = undefined;
      between = '';
    },
    /** Lines as they are, such as those of a code block. */
    block: (lines: readonly string[]) => {
      const chars = lines.reduce((sum, line) => sum + line.length + 1, 0);
      if (isCut || length + chars > maxChars) {
        isCut = true;
        return;
      }
      startLine(pieces.length === 0 ? undefined : 'paragraph');
      const rest = prefixes
        .slice(0, PREFIXES_MAX)
        .map((one) => one.rest)
        .join('');
      put(lines.join(`\n${rest}`));
      pending = 'paragraph';
      between = '';
    },
    /** The larger one of several breaks counts. */
    break: (kind: Break) => {
      if (pending === undefined || RANK[kind] > RANK[pending]) pending = kind;
    },
    /** @param text a space, or what separates cells */
    separate: (text: string) => {
      if (between.length < text.length) between = text;
    },
    pushPrefix: (one: Prefix) => prefixes.push(one),
    popPrefix: () => prefixes.pop(),
    pushMark: (sign: string) => marks.push({ sign }),
    popMark: () => {
      const mark = marks.pop();
      if (mark?.isWritten) put(mark.sign);
    },
    found: (): string => `${pieces.join('')}${isCut ? '\n\n…' : ''}`,
  };
}

const SPECIAL = /[\\`*[\]~_&<]/;

/** Text that Markdown shows as it is. */
export const escapedText = (text: string): string =>
  SPECIAL.test(text)
    ? text
        .replaceAll(/[\\`*[\]]|~(?=~)/g, String.raw`\$&`)
        .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
        .replaceAll(/&(?=#?\w{1,32};)/g, '&amp;')
        .replaceAll('<', '&lt;')
    : text;

/** What would begin a heading, a list, a rule or a table; lines of an email quote as Markdown does. */
const escapedStart = (text: string): string =>
  text.replace(/^([#+=|-])/, String.raw`\$1`).replace(/^(\d{1,9})([.)])/, String.raw`$1\$2`);
