/**
 * What rules may ask about the content of an email. Each fact is read when an expression first names
 * it, once for all recipients: an email whose expressions name none costs nothing (D276).
 */
import { LINKS_MAX, READ_MAX_CHARS } from '../extract/extraction.ts';
import {
  FORWARD_TEXT_MAX_CHARS,
  type ForwardedMail,
  isForwarded,
} from '../extract/forwarded/read-forwarded.ts';
import { createHiddenText } from '../extract/hidden-text.ts';
import { createLinks } from '../extract/links.ts';
import { type HtmlReader, readHtml } from '../html/html-reader.ts';

export type ContentFact = {
  isFound: boolean;
  /** False when the part of the email that is read has none of it, and there is more. */
  isSure: boolean;
};

/** Each computes its fact in its first call. */
export type ContentFacts = {
  hiddenText(): ContentFact;
  mismatchedLinks(): ContentFact;
  forwarded(): ContentFact;
};

export type ReadableContent = Pick<ForwardedMail, 'mailFrom' | 'headers' | 'text'> & {
  html: string | null;
  contentTypes: readonly string[];
};

/** Whether content facts read less than all of it. */
export const isLongContent = ({
  text,
  html,
}: {
  text?: string | null | undefined;
  html?: string | null | undefined;
}): boolean => (text?.length ?? 0) > READ_MAX_CHARS || (html?.length ?? 0) > READ_MAX_CHARS;

/** @param read reads HTML; tests count its calls */
export function createContentFacts(mail: ReadableContent, read = readHtml): ContentFacts {
  const { text, html, headers } = mail;
  const plain = text?.slice(0, READ_MAX_CHARS) ?? '';
  const isWhole = (reader: HtmlReader): boolean =>
    (html === null || read(html.slice(0, READ_MAX_CHARS), [reader])) && !isLongContent(mail);
  return {
    hiddenText: once(() => {
      const reader = createHiddenText();
      const isRead = isWhole(reader);
      return factOf(reader.found([headers.subject ?? '', plain]) !== null, isRead);
    }),
    mismatchedLinks: once(() => {
      const reader = createLinks(headers.all);
      const isRead = isWhole(reader);
      const links = reader.found(plain);
      const isMismatched = links.some((link) => link.shows_other_host);
      return factOf(isMismatched, isRead && reader.isWhole() && links.length < LINKS_MAX);
    }),
    forwarded: once(() => factOf(isForwarded(mail), plain.length <= FORWARD_TEXT_MAX_CHARS)),
  };
}

const factOf = (isFound: boolean, isWhole: boolean): ContentFact => ({
  isFound,
  isSure: isFound || isWhole,
});

/** Whatever the content does to what reads it: nothing was found, and that is not sure. */
const UNREADABLE: ContentFact = { isFound: false, isSure: false };

function once(compute: () => ContentFact): () => ContentFact {
  let known: ContentFact | undefined;
  return function contentFact() {
    try {
      known ??= compute();
    } catch {
      known = UNREADABLE;
    }
    return known;
  };
}
