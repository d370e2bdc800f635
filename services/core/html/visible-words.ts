/** The different words of an email that a person sees: of its subject, its text and its HTML. */
import { wordsOf } from '../mail/words.ts';
import { readHtml } from './html-reader.ts';
import { createVisibleText } from './visible-text.ts';

/** So many characters of each are searched: the subject, the text and the HTML. */
export const SEARCHED_MAX_CHARS = 65_536;
/** So many characters of HTML are read to find that much text. */
const HTML_MAX_CHARS = 4 * SEARCHED_MAX_CHARS;
/** In addresses. That of a reply address is a secret of its reader (docs/reply-addresses.md). */
const PLUS_TAG = /\+[^\s@]{1,64}@/g;

type Readable = {
  headers: { subject: string | null };
  text: string | null;
  html: string | null;
};

/** In the order of their first use. */
export function visibleWords({ headers, text, html }: Readable, maxWords: number): string[] {
  const visible = createVisibleText();
  if (html !== null) readHtml(html.slice(0, HTML_MAX_CHARS), [visible]);
  const texts = [headers.subject ?? '', text ?? '', visible.found()];
  const searched = texts.map((one) => one.slice(0, SEARCHED_MAX_CHARS).replaceAll(PLUS_TAG, '@'));
  return wordsOf(searched.join('\n'), maxWords);
}
