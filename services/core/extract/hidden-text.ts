/** Text of an email that a person does not see, but a program does, such as a language model. */
import type { HtmlReader } from '../html/html-reader.ts';
import { smuggledText, withoutInvisible } from '../html/invisible-characters.ts';
import type { HiddenReason } from '../html/look.ts';
import type { HiddenText } from './extraction.ts';
import { cutText } from '../text/text.ts';

const SAMPLE_MAX_CHARS = 500;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

export function createHiddenText(): HtmlReader & {
  /** @param shown texts outside of the HTML; null when nothing is hidden */
  found(shown: readonly string[]): HiddenText | null;
} {
  let sample = '';
  let chars = 0;
  const reasons = new Set<HiddenReason>();

  const add = (raw: string, reason: HiddenReason) => {
    const text = withoutInvisible(raw).replaceAll(/\s+/g, ' ').trim();
    if (!LETTER_OR_DIGIT.test(text)) return; // spaces keep the preview of an email short
    chars += text.length;
    reasons.add(reason);
    if (sample.length < SAMPLE_MAX_CHARS) sample += `${sample === '' ? '' : ' '}${text}`;
  };
  const addSmuggled = (text: string) => {
    const smuggled = smuggledText(text);
    if (smuggled !== '') add(smuggled, 'invisible_characters');
  };

  return {
    text: (text, hiddenBy) => {
      if (hiddenBy !== undefined) add(text, hiddenBy);
      addSmuggled(text);
    },
    found: (shown) => {
      for (const text of shown) addSmuggled(text);
      if (chars === 0) return null;
      return {
        sample: cutText(sample, SAMPLE_MAX_CHARS),
        chars,
        reasons: [...reasons],
      };
    },
  };
}
