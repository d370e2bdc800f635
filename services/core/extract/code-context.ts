/** The words near a candidate: those that name codes, and those that name other numbers. */
import { ASIAN_CODE_WORDS } from './asian-code-words.ts';
import { type CodeWords, WESTERN_CODE_WORDS } from './code-words.ts';
import { FURTHER_CODE_WORDS } from './further-code-words.ts';
import { BOOKING_WORDS, PROMOTION_WORDS, RECEIPT_WORDS } from './other-words.ts';
import { createWordSearch, type FoundWord } from './word-search.ts';

export type Word = FoundWord<keyof CodeWords>;

const LANGUAGES = [WESTERN_CODE_WORDS, FURTHER_CODE_WORDS, ASIAN_CODE_WORDS].flatMap((words) =>
  Object.values(words),
);
const ofAll = (kind: keyof CodeWords): string[] => LANGUAGES.flatMap((words) => words[kind]);

const CODE_WORDS = createWordSearch<keyof CodeWords>({
  other: ofAll('other'),
  thing: ofAll('thing'),
  strong: ofAll('strong'),
  weak: ofAll('weak'),
  action: ofAll('action'),
});
const PROMOTION = createWordSearch({ promotion: PROMOTION_WORDS });
const RECEIPT = createWordSearch({ receipt: RECEIPT_WORDS });
const BOOKING = createWordSearch({ booking: BOOKING_WORDS });

/** Words of a text in lower case, in their order. A longer one hides those that it overlaps. */
export function wordsIn(text: string): Word[] {
  const words: Word[] = [];
  for (const word of CODE_WORDS.findAll(text)) {
    const last = words.at(-1);
    if (last && word.start < last.end) {
      if (word.end - word.start > last.end - last.start) words[words.length - 1] = word;
    } else words.push(word);
  }
  return words;
}

export const saysPromotion = (text: string): boolean => PROMOTION.hasAny(text);
export const saysReceipt = (text: string): boolean => RECEIPT.hasAny(text);
export const saysBooking = (text: string): boolean => BOOKING.hasAny(text);
