/** HTML as an email of plain text would have it: what a person sees, with marks before a quotation. */
import { readHtml } from './html-reader.ts';
import { BLOCKS, CELLS } from './visible-text.ts';

/** As much as texts that are extracted are read. */
const HTML_MAX_CHARS = 1024 * 1024;
/** Yahoo's element around what it quotes, which has the attribution, too. */
const QUOTED = /\byahoo_quoted\b/;
/** Programs without `blockquote` name the element around a quotation so. */
const NAMED_AS_QUOTATION = /^(?!.*gmail_quote).*quote/is; // Gmail's has what it forwards, too
const KEEPS_LINES = /white-space\s*:\s*(pre|break-spaces)/i;

/** The time grows with the length alone: no line is read again while it is put together. */
export function textOfHtml(html: string): string {
  const lines: string[] = [];
  let line = '';
  let hasText = false; // the line has more than blanks
  let depth = 0; // of quotations
  let quoted = 0; // all quotations until now
  const quotations = new Set<object>();
  const preformatted = new Set<object>();
  /** Where those begin that are quotations unless one stands in them. */
  const named = new WeakMap<object, { line: number; quoted: number }>();
  const end = () => {
    const text = hasText ? line.replaceAll(/\s+/g, ' ').trim() : '';
    const mark = '>'.repeat(depth);
    const isRepeated = text === '' && (lines.length === 0 || /^>*$/.test(lines.at(-1) ?? ''));
    if (!isRepeated) lines.push(text === '' ? mark : `${mark}${depth > 0 ? ' ' : ''}${text}`);
    line = '';
    hasText = false;
  };
  const add = (text: string) => {
    line += text;
    hasText ||= /\S/.test(text);
  };
  readHtml(html.slice(0, HTML_MAX_CHARS), [
    {
      open: (element) => {
        const { name, attributes, hiddenBy } = element;
        if (BLOCKS.has(name) && (hasText || name === 'br')) end();
        else if (CELLS.has(name)) line += ' ';
        if (PARAGRAPHS.has(name)) end();
        if (name === 'pre' || KEEPS_LINES.test(attributes.style ?? '')) preformatted.add(element);
        if (hiddenBy !== undefined) return;
        const { class: classes = '' } = attributes;
        if (name === 'blockquote' || QUOTED.test(classes)) {
          quotations.add(element);
          depth++;
          quoted++;
        } else if (BLOCKS.has(name) && NAMED_AS_QUOTATION.test(classes))
          named.set(element, { line: lines.length, quoted });
      },
      text: (text, hiddenBy) => {
        if (hiddenBy !== undefined) return;
        if (preformatted.size === 0) return add(text);
        const [first = '', ...further] = text.split('\n');
        add(first);
        for (const next of further) {
          end();
          add(next);
        }
      },
      close: (element) => {
        const { name } = element;
        if (BLOCKS.has(name) && name !== 'br' && hasText) end();
        preformatted.delete(element);
        if (quotations.delete(element)) depth--;
        if (PARAGRAPHS.has(name)) end();
        const begun = named.get(element);
        if (begun?.quoted !== quoted) return;
        quoted++;
        for (let at = begun.line; at < lines.length; at++) lines[at] = `> ${lines[at]}`.trimEnd();
      },
    },
  ]);
  end();
  while (/^>*$/.test(lines.at(-1) ?? 'x')) lines.pop();
  return lines.join('\n').trim();
}

/** An empty line is before and after them. */
const PARAGRAPHS = new Set(['p', 'ul', 'ol', 'table', 'h1', 'h2', 'h3', 'h4', 'blockquote', 'hr']);
