/** HTML as text, and the reply in an email that has no text. */
import { expect, test } from 'vitest';

import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { textOfHtml } from '../../../services/core/html/html-text.ts';

const ATTRIBUTION = 'On Mon, 4 May 2026 at 10:11, Ann &lt;ann@x.example&gt; wrote:';

test('blocks are lines, cells have a blank between them, quotations have marks', () => {
  const html =
    '<style>p{}</style><p>Hello <b>Bob</b>,<br>two</p><ul><li>a</li><li>b</li></ul>' +
    '<table><tr><td>1</td><td>2</td></tr></table><div style="display:none">x</div>' +
    '<blockquote><p>q</p><blockquote>r</blockquote></blockquote>';
  expect(textOfHtml(html).replaceAll(/\n(>*\n)+/g, '\n')).toBe(
    'Hello Bob,\ntwo\na\nb\n1 2\n> q\n>> r',
  );
});

test.each([
  [
    'Gmail',
    `<div class="gmail_quote"><div class="gmail_attr">${ATTRIBUTION}<br></div>` +
      '<blockquote class="gmail_quote">Shall we?</blockquote></div>',
  ],
  [
    'Outlook',
    '<hr><div id="divRplyFwdMsg"><b>From:</b> Ann &lt;ann@x.example&gt;<br><b>Sent:</b> Monday, ' +
      'May 4, 2026 10:11<br><b>To:</b> Bob<br><b>Subject:</b> Order</div><div>Shall we?</div>',
  ],
  ['Yahoo', `<div class="yahoo_quoted"><div>${ATTRIBUTION}</div><div>Shall we?</div></div>`],
  [
    'Thunderbird',
    '<div class="moz-cite-prefix">Am 04.05.26 um 10:11 schrieb Ann:<br></div>' +
      '<blockquote type="cite"><p>Shall we?</p></blockquote>',
  ],
  [
    'text as it is',
    '<pre>\n\nOn 3 May 2026, at 10:11, Ann &lt;a@b.example&gt; wrote:\n&gt; Shall we?</pre>',
  ],
  ['lines that stay', `<div style="white-space: pre-wrap">${ATTRIBUTION}\n&gt; Shall we?\n</div>`],
])('the reply of an email without a text: %s', (_, quotation) => {
  const html = `<div>Yes, do it.</div><div><br></div><div>Thanks</div>${quotation}`;
  const head = 'Subject: Re: x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n';
  const { text, replyText } = parseMail(Buffer.from(head + html));
  expect([text, replyText]).toEqual([null, 'Yes, do it.\n\nThanks']);
});

test('an element that is named as a quotation is one, unless one stands in it', () => {
  const html =
    '<p>Yes</p><div class="zd_quote"><p>Shall we?</p><p>Ann</p></div>' +
    '<div class="my-quote"><div>On Monday:</div><blockquote>q</blockquote></div>';
  expect(textOfHtml(html).replaceAll(/\n(>*\n)+/g, '\n')).toBe(
    'Yes\n> Shall we?\n> Ann\nOn Monday:\n> q',
  );
});
