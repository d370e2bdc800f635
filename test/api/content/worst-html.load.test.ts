/**
 * HTML that any sender can choose, made into a page: the work is bounded. It is measured in
 * processor time, because the machine runs other programs at the same time.
 */
import { expect, test } from 'vitest';

import { readableHtml } from '../../../services/api/content/readable-html.ts';
import { HTML_MAX_CHARS } from '../../../services/core/webhook/shown-email.ts';

/** Of processor time in all. The worst page takes about 200 ms. */
const PAGE_MAX_MS = 1_000;

const full = (piece: string, begin = '') =>
  (begin + piece.repeat(HTML_MAX_CHARS / piece.length + 1)).slice(0, HTML_MAX_CHARS);
const numbered = (begin: string, end: string) =>
  Array.from({ length: 100_000 }, (_, index) => `${begin}${index}${end}`).join('');

test.each([
  ['end tags that open and close a paragraph', full('</p>')],
  ['paragraphs that end each other', full('<p>')],
  ['line breaks', full('<br>')],
  ['images without a source', full('<img>')],
  ['links', full('<a href=x>')],
  ['table cells that end each other', full('<td>')],
  ['end tags within a thousand elements', full('</p>', '<i>'.repeat(999))],
  ['end tags without an element within a thousand', full('</b>', '<i>'.repeat(999))],
  ['elements without an end', full('<div><font size=1>')],
  ['one tag that never ends', full('a', '<')],
  ['one tag with a hundred thousand attributes', `<p ${numbered('a', ' ')}>`],
  ['one attribute of quotes', `<p title="${full("'").slice(20)}">`],
  ['many attributes of signs', full(`<p title="${'&'.repeat(16_000)}"></p>`)],
  ['signs that begin an entity', full('&')],
  ['entities', full('&amp;')],
  ['signs that begin a tag', full('<')],
  ['one style sheet of signs', full('<', '<style>')],
  ['comments that never end', full('<!-- ')],
  ['one image within the HTML', full('A', '<img src="data:image/png;base64,')],
  ['names that are all different', numbered('<x', '></x>')],
])('%s', (_, html) => {
  readableHtml(html, new Map()); // the first run compiles the code
  const before = process.threadCpuUsage();
  readableHtml(html, new Map());
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(PAGE_MAX_MS);
});
