/** HTML as an email of plain text would have it: what a person sees, with marks before a quotation. */
import { readHtml } from './html-reader.ts';
import { BLOCKS, CELLS } from './visible-text.ts';

/** As much as texts that are extracted are read. */
const HTML_MAX_CHARS = 1024 * 1024;
/** Yahoo's element around what it quotes, which has the attribution, too. */
const QUOTED = /\byahoo_quoted\b/;

export function textOfHtml(html: string): string {
  const lines: string[] = [];
  let line = '';
  let depth = 0; // of quotations
  const quotations = new Set<object>();
  const end = () => {
    const text = line.replaceAll(/\s+/g, ' ').trim();
    const mark = '>'.repeat(depth);
    const isRepeated = text === '' && (lines.length === 0 || /^>*$/.test(lines.at(-1) ?? ''));
    if (!isRepeated) lines.push(text === '' ? mark : `${mark}${depth > 0 ? ' ' : ''}${text}`);
    line = '';
  };
  readHtml(html.slice(0, HTML_MAX_CHARS), [
    {
      open: (element) => {
        const { name, attributes, hiddenBy } = element;
        if (BLOCKS.has(name) && (line.trim() !== '' || name === 'br')) end();
        else if (CELLS.has(name)) line += ' ';
        if (PARAGRAPHS.has(name)) end();
        if (hiddenBy !== undefined) return;
        if (name !== 'blockquote' && !QUOTED.test(attributes.class ?? '')) return;
        quotations.add(element);
        depth++;
      },
      text: (text, hiddenBy) => {
        if (hiddenBy === undefined) line += text;
      },
      close: (element) => {
        const { name } = element;
        if (BLOCKS.has(name) && name !== 'br' && line.trim() !== '') end();
        if (quotations.delete(element)) depth--;
        if (PARAGRAPHS.has(name)) end();
      },
    },
  ]);
  end();
  while (/^>*$/.test(lines.at(-1) ?? 'x')) lines.pop();
  return lines.join('\n').trim();
}

/** An empty line is before and after them. */
const PARAGRAPHS = new Set(['p', 'ul', 'ol', 'table', 'h1', 'h2', 'h3', 'h4', 'blockquote', 'hr']);
