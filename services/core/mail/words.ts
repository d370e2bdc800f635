/** The words of a text, in any language, as searches compare them. */
import { cutText, withFewMarks } from '../text/text.ts';

const WORD_MAX_CHARS = 32;

/** Scripts that are written without spaces: their words are pairs of characters. */
const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{sc=${script}}`)
  .join('');
const UNSPACED = new RegExp(`[${SCRIPTS}]`, 'u');
const UNSPACED_OR_NOT = new RegExp(`[${SCRIPTS}]+|[^${SCRIPTS}]+`, 'gu');
const ASCII = /^[\0-\x7f]*$/;

/**
 * Words in one spelling: without case, accents and invisible characters. Words of one letter are
 * left out.
 */
export function wordsOf(text: string, maxWords: number): string[] {
  const words = new Set<string>();
  if (ASCII.test(text)) {
    for (const [word] of text.toLowerCase().matchAll(/[a-z0-9]{2,}/g)) {
      words.add(word.slice(0, WORD_MAX_CHARS));
      if (words.size === maxWords) break;
    }
    return [...words];
  }
  for (const [run] of folded(text).matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    for (const word of UNSPACED.test(run) ? pairsOf(run) : run.length > 1 ? [run] : []) {
      words.add(cutText(word, WORD_MAX_CHARS));
      if (words.size === maxWords) return [...words];
    }
  }
  return [...words];
}

const folded = (text: string): string =>
  withFewMarks(text.replaceAll(/\p{Cf}/gu, ''))
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toUpperCase() // ß is SS
    .toLowerCase()
    .normalize('NFC');

function* pairsOf(run: string): Generator<string> {
  for (const [part] of run.matchAll(UNSPACED_OR_NOT)) {
    if (!UNSPACED.test(part)) {
      if (part.length > 1) yield part;
      continue;
    }
    const characters = Array.from(part);
    if (characters.length === 1) yield part;
    for (let i = 1; i < characters.length; i++) yield `${characters[i - 1]}${characters[i]}`;
  }
}
