/** An email as Markdown: its structure, and that nothing in it is HTML, a script or an image. */
import { marked } from 'marked';
import { describe, expect, test } from 'vitest';

import { extract } from '../../../services/core/extract/extract.ts';
import { fc } from '../../support/random.ts';

const markdownOf = (html: string | null, text: string | null = null): string =>
  extract(new Set(['markdown']), { headers: { subject: null, all: [] }, text, html })?.markdown ??
  '';

describe('HTML', () => {
  test.each([
    ['headings and emphasis', '<h1>A</h1><p>b <b> c </b><i>d</i></p>', '# A\n\nb **c** *d*'],
    ['line breaks', 'a<br>b', 'a  \nb'],
    [
      'links',
      '<p>See <a href="https://a.example/x?(y)">the <b>shop</b></a>.</p>',
      'See [the shop](https://a.example/x?%28y%29).',
    ],
    [
      'images',
      '<img src=x><a href="https://a.example"><img src=x alt="Logo"></a>',
      '[Logo](https://a.example/)',
    ],
    ['lists', '<ul><li>a<li>b<ol><li>c<li>d</ol></ul>e', '- a\n- b\n  1. c\n  2. d\n\ne'],
    ['quotations', '<blockquote>a<p>b</p></blockquote>', '> a\n>\n> b'],
    ['code', '<pre>if (a &lt; b)\n  ```</pre>', '````\nif (a < b)\n  ```\n````'],
    [
      'tables',
      '<table><tr><td>Sum<td>$12</tr><tr><td>Tax<td>$1</tr></table>',
      'Sum | $12  \nTax | $1',
    ],
    [
      'text with signs of Markdown',
      '<p># a</p><p>1. b</p><p>*c* [d](e)</p>',
      '\\# a\n\n1\\. b\n\n\\*c\\* \\[d\\](e)',
    ],
    ['entities', '<p>&amp;lt; &lt;b></p>', '&amp;lt; &lt;b>'],
    ['hidden text', '<p>a</p><p style="display:none">b</p>', 'a'],
    ['emphasis around paragraphs', '<b><p>a</p><p>b</p></b>', '**a**\n\n**b**'],
  ])('%s', (_, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

test('without HTML, the text, with its lines and quotations', () => {
  expect(markdownOf(null, 'Hi *Ann*\n\n> a\n> b\n\n<b>c</b> snake_case')).toBe(
    'Hi \\*Ann\\*\n\n> a  \n> b\n\n&lt;b>c&lt;/b> snake_case',
  );
});

test('a long email is cut', () => {
  const markdown = markdownOf(`<p>${'word '.repeat(50_000)}</p>`);
  expect(markdown.length).toBeLessThan(132_000);
  expect(markdown.endsWith('…')).toBe(true);
});

test('whatever the email, a renderer makes no element of its own, no script and no image of it', () => {
  const piece = fc.constantFrom(
    '<b>',
    '</b>',
    '<p>',
    '<a href="javascript:alert(1)">',
    '<a href="data:text/html,x">',
    '</a>',
    '<a href="https://a.example/`x`">',
    '<pre>',
    '</pre>',
    '<ul><li>',
    '</ul>',
    '<blockquote>',
    '&lt;script&gt;',
    '&lt;img src=x onerror=y&gt;',
    '`',
    '```',
    '[a](javascript:b)',
    '![x](y)',
    '<img alt="![x](javascript:y)">',
    '\\',
    '*',
    '_',
    '\n',
    ' ',
    'a',
    '&#60;iframe&#62;',
    '&amp;lt;',
    '<table><tr><td>',
    '</table>',
    '<br>',
    '<h1>',
    '</h1>',
    '<![CDATA[',
    '-->',
    '<!--',
    '|',
    '#',
    '1.',
  );
  const email = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(email, (text) => {
      for (const markdown of [markdownOf(text), markdownOf(null, text)]) {
        const html = marked.parse(markdown, { async: false });
        expect(html).not.toMatch(/<(script|iframe|img|svg|object|style)\b/i);
        expect(html).not.toMatch(/(href|src)="(?!https?:|mailto:|tel:)/i);
      }
    }),
  );
});
