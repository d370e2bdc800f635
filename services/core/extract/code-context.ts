/** The words near a candidate: those that name codes, and those that name other numbers. */
import { type CodeWords, WESTERN_CODE_WORDS } from './code-words.ts';
import { FURTHER_CODE_WORDS } from './further-code-words.ts';
import { BOOKING_WORDS, PROMOTION_WORDS } from './other-words.ts';

type Kind = keyof CodeWords;
export type Word = { kind: Kind; text: string; start: number; end: number };

/** Scripts that write words without spaces, or join them with particles. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Arabic}]/u;
const KINDS = ['other', 'thing', 'strong', 'weak', 'action'] as const;

const CODE_WORDS = [...Object.values(WESTERN_CODE_WORDS), ...Object.values(FURTHER_CODE_WORDS)];

const PATTERNS = KINDS.map(
  (kind) => [kind, wordPattern(CODE_WORDS.flatMap((words) => words[kind]))] as const,
);
const PROMOTION = wordPattern(PROMOTION_WORDS);
const BOOKING = wordPattern(BOOKING_WORDS);

/** @param words where `*` stands for any ending */
function wordPattern(words: readonly string[]): RegExp {
  const longestFirst = [...new Set(words)].toSorted((a, b) => b.length - a.length);
  const { unspaced = [], spaced = [] } = Object.groupBy(longestFirst, (word) =>
    UNSPACED.test(word) ? 'unspaced' : 'spaced',
  );
  const whole = String.raw`(?<![\p{L}\p{N}])${anyOf(spaced)}(?!\p{L})`;
  return new RegExp(unspaced.length === 0 ? whole : `${whole}|${anyOf(unspaced)}`, 'gu');
}

function anyOf(words: readonly string[]): string {
  return `(?:${words.map(literal).join('|')})`;
}

function literal(word: string): string {
  return word
    .normalize('NFKC')
    .replaceAll(/[.+?^$()[\]{}|\\]/g, String.raw`\$&`)
    .replaceAll('*', String.raw`\p{L}{0,12}`)
    .replaceAll("'", "['’]");
}

/** Words of a short text in lower case, in their order. A longer one hides those within it. */
export function wordsIn(text: string): Word[] {
  const all = PATTERNS.flatMap(([kind, pattern]) =>
    Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({
      kind,
      text: found,
      start: index,
      end: index + found.length,
    })),
  ).toSorted((a, b) => a.start - b.start || b.end - a.end);
  const words: Word[] = [];
  for (const word of all) {
    const last = words.at(-1);
    if (last && word.start < last.end) {
      if (word.end - word.start > last.end - last.start) words[words.length - 1] = word;
    } else words.push(word);
  }
  return words;
}

export const saysPromotion = (text: string): boolean => text.search(PROMOTION) !== -1;
export const saysBooking = (text: string): boolean => text.search(BOOKING) !== -1;
