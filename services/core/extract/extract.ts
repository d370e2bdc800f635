/**
 * Reads everything that the receivers of an email ask for, in one pass over its HTML. Whatever the
 * email, the work is linear and bounded.
 */
import { mailKind } from '../mail/mail-kind.ts';
import { readHtml } from '../html/html-reader.ts';
import { createVisibleText } from '../html/visible-text.ts';
import { codesIn } from './codes.ts';
import { type Extracted, type Extraction, READ_MAX_CHARS } from './extraction.ts';
import { createHiddenText } from './hidden-text.ts';
import { createLinks } from './links.ts';
import { createMarkdown } from './markdown.ts';

/** The parts of a parsed email that are read. */
type ReadableMail = {
  headers: {
    subject: string | null;
    all: readonly { name: string; value: string }[];
  };
  text: string | null;
  html: string | null;
};

/** The numbers of a bounce or a report are statuses and ids. */
function isReport(all: ReadableMail['headers']['all']): boolean {
  const value = (name: string) =>
    all.find((header) => header.name.toLowerCase() === name)?.value ?? '';
  const mailFrom = value('return-path').replaceAll(/[<>\s]/g, '');
  const isNull = all.some(({ name }) => name.toLowerCase() === 'return-path') && mailFrom === '';
  const { is_bounce } = mailKind({ mailFrom: isNull ? '' : mailFrom || 'unknown', headers: all });
  return is_bounce || /^multipart\/report\b/i.test(value('content-type').trim());
}

/** Undefined when nothing is asked for. */
export function extract(
  requested: ReadonlySet<Extraction>,
  { headers, text, html }: ReadableMail,
): Extracted | undefined {
  if (requested.size === 0) return undefined;
  const plain = text?.slice(0, READ_MAX_CHARS) ?? '';
  const links = requested.has('links') ? createLinks(headers.all) : undefined;
  const hidden = requested.has('hidden_text') ? createHiddenText() : undefined;
  const visible = requested.has('codes') ? createVisibleText() : undefined;
  const markdown = requested.has('markdown') ? createMarkdown() : undefined;
  const readers = [links, hidden, visible, markdown].filter((reader) => reader !== undefined);
  if (html !== null) readHtml(html.slice(0, READ_MAX_CHARS), readers);
  return {
    ...(visible && {
      codes: isReport(headers.all)
        ? []
        : codesIn([
            { source: 'subject', text: headers.subject ?? '' },
            { source: 'text', text: plain },
            { source: 'html', text: visible.found() },
          ]),
    }),
    ...(links && { links: links.found(plain) }),
    ...(markdown && { markdown: markdown.found(plain, html !== null) }),
    ...(hidden && {
      hidden_text: hidden.found([headers.subject ?? '', plain]),
    }),
  };
}
