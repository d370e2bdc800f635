/** The links of an email: which ones, what they show, and which end a subscription. */
import { expect, test } from 'vitest';

import { extract } from '../../../services/core/extract/extract.ts';
import { LINKS_MAX } from '../../../services/core/extract/extraction.ts';

type Mail = { html?: string; text?: string; listUnsubscribe?: string };
function linksOf({ html, text, listUnsubscribe }: Mail) {
  const all = listUnsubscribe ? [{ name: 'List-Unsubscribe', value: listUnsubscribe }] : [];
  const mail = { headers: { subject: null, all }, text: text ?? null, html: html ?? null };
  return extract(new Set(['links']), mail)?.links ?? [];
}
const urlsOf = (mail: Mail) => linksOf(mail).map(({ url }) => url);

test('a link has its URL, the text that a person sees, and its host', () => {
  const html = '<p>Hi,<br><a href=" https://Shop.example/in?a=1&amp;b=2 "><b>Sign</b>\n in</a></p>';
  expect(linksOf({ html })).toEqual([
    {
      url: 'https://shop.example/in?a=1&b=2',
      text: 'Sign in',
      host: 'shop.example',
      shows_other_host: false,
      is_unsubscribe: false,
    },
  ]);
});

test.each([
  ['of HTML and text, each once, in their order', 'https://b.example/ https://a.example/x'],
  ['in brackets and sentences', '(https://a.example/x), <https://b.example/>.'],
])('links %s', (_, text) => {
  const html = '<a href="https://a.example/x">A</a>';
  expect(urlsOf({ html, text })).toEqual(['https://a.example/x', 'https://b.example/']);
});

test('a URL keeps parentheses of its own, and loses the signs after it', () => {
  expect(urlsOf({ text: 'https://a.example/wiki/X_(y)! (https://b.example/c)' })).toEqual([
    'https://a.example/wiki/X_(y)',
    'https://b.example/c',
  ]);
});

test('an image shows its alternative text; a later text replaces a missing one', () => {
  const html =
    '<a href="https://a.example"><img src=x></a><a href="https://a.example">Shop</a>' +
    '<a href="https://b.example"><img alt=" Logo "></a>';
  expect(linksOf({ html }).map(({ text }) => text)).toEqual(['Shop', 'Logo']);
});

test('scripts, files, addresses, relative and hidden links are left out', () => {
  const html = [
    'javascript:alert(1)',
    'data:text/html,x',
    'mailto:a@b.example',
    'tel:1',
    '/x',
    '#y',
  ]
    .map((href) => `<a href="${href}">x</a>`)
    .join('');
  expect(urlsOf({ html: `${html}<div hidden><a href="https://h.example">x</a></div>` })).toEqual(
    [],
  );
});

test.each([
  ['https://a.example/x|https://b.example/|c', ['https://a.example/x', 'https://b.example/|c']],
])('URLs in a list with bars: %s', (text, urls) => {
  expect(urlsOf({ text })).toEqual(urls);
});

test('a base makes relative links whole, and https is the scheme of a link without one', () => {
  const html = '<a href="//b.example/y">y</a><a href="x?1">x</a>';
  expect(urlsOf({ html })).toEqual(['https://b.example/y']);
  expect(urlsOf({ html: `<base href="http://a.example/in/">${html}` })).toEqual([
    'http://b.example/y',
    'http://a.example/in/x?1',
  ]);
});

test.each([
  ['https://bank.example/login', true],
  ['Bank.example', true],
  ['Visit www.bank.example now', true],
  ['https://login.evil.example/a', false],
  ['www.evil.example', false],
  ['Click here', false],
  ['Node.js', false],
  ['Mr. Smith', false],
  ['bücher.example', true],
])('the text %s of a link to evil.example shows another host: %s', (text, expected) => {
  const [link] = linksOf({ html: `<a href="https://evil.example/x">${text}</a>` });
  expect(link?.shows_other_host).toBe(expected);
});

test.each([
  ['Unsubscribe', 'https://a.example/1'],
  ['Newsletter abbestellen', 'https://a.example/1'],
  ['Se désabonner', 'https://a.example/1'],
  ['Darse de baja', 'https://a.example/1'],
  ['配信停止はこちら', 'https://a.example/1'],
  ['退订', 'https://a.example/1'],
  ['Отписаться', 'https://a.example/1'],
  ['Κατάργηση εγγραφής', 'https://a.example/1'],
  ['Peru tilaus', 'https://a.example/1'],
  ['Odjavite se', 'https://a.example/1'],
  ['Vom Newsletter abmelden', 'https://a.example/1'],
  ['here', 'https://a.example/unsubscribe?u=1'],
])('%s at %s ends a subscription', (text, href) => {
  const [link] = linksOf({
    html: `<a href="${href}">${text}</a><a href="https://b.example">b</a>`,
  });
  expect(link?.is_unsubscribe).toBe(true);
});

test.each([
  'Von allen Geräten abmelden',
  'Afmelden op alle apparaten',
  'Odhlásit všechna zařízení',
])('%s ends no subscription', (text) => {
  const [link] = linksOf({ html: `<a href="https://a.example/abmelden">${text}</a>` });
  expect(link?.is_unsubscribe).toBe(false);
});

test('the URL of List-Unsubscribe is a link of the email, and marks that of the text', () => {
  const listUnsubscribe = '<mailto:u@a.example>, <https://a.example/u?1>';
  const html = '<a href="https://a.example/u?1">Settings</a>';
  const marked = { url: 'https://a.example/u?1', is_unsubscribe: true };
  expect(linksOf({ listUnsubscribe })).toMatchObject([{ ...marked, text: null }]);
  expect(linksOf({ listUnsubscribe, html })).toMatchObject([{ ...marked, text: 'Settings' }]);
});

test('a URL of List-Unsubscribe keeps its commas', () => {
  const listUnsubscribe = '<mailto:u@a.example>,\r\n <https://a.example/u?ids=1,2>';
  expect(urlsOf({ listUnsubscribe })).toEqual(['https://a.example/u?ids=1,2']);
  expect(urlsOf({ listUnsubscribe: 'https://a.example/u, mailto:u@a.example' })).toEqual([
    'https://a.example/u',
  ]);
});

test('their number, their texts and their URLs are bounded', () => {
  const many = Array.from({ length: 200 }, (_, n) => `https://a.example/${n}`);
  expect(linksOf({ text: many.join(' ') })).toHaveLength(LINKS_MAX);
  const long = `<a href="https://a.example/${'x'.repeat(5_000)}">x</a>`;
  const [link] = linksOf({ html: `${long}<a href="https://b.example">${'ä'.repeat(5_000)}</a>` });
  expect([link?.host, link?.text?.length]).toEqual(['b.example', 200]);
});

const TOKEN = 'https://id.example/verify?t=ab12';
test.each([
  ['Chinese', `请点击${TOKEN}完成验证`, TOKEN],
  ['Chinese, with a full stop', `请访问${TOKEN}。链接24小时内有效`, TOKEN],
  ['Chinese, with a comma of ASCII', `点击 ${TOKEN},立即验证`, TOKEN],
  ['Chinese brackets', `（${TOKEN}）【${TOKEN}】`, TOKEN],
  ['Japanese', `${TOKEN}をクリックしてください`, TOKEN],
  ['Japanese, with brackets', `「${TOKEN}」から`, TOKEN],
  ['Korean', `${TOKEN}에서 확인하세요`, TOKEN],
  ['Thai', `คลิก${TOKEN}เพื่อยืนยัน`, TOKEN],
  ['Arabic comma', `اضغط ${TOKEN}، ثم`, TOKEN],
  ['Arabic letters', `اضغط ${TOKEN}للتأكيد`, TOKEN],
  ['Hebrew', `לחצו ${TOKEN}־כאן`, TOKEN],
  ['Hebrew letters', `לחצו ${TOKEN}לאישור`, TOKEN],
  ['Hindi', `${TOKEN}। धन्यवाद`, TOKEN],
  ['Lao', `${TOKEN}ເພື່ອ`, TOKEN],
  ['a dash', `See ${TOKEN}—it is short`, TOKEN],
  ['quotes', `“${TOKEN}” ‹${TOKEN}› „${TOKEN}“`, TOKEN],
  ['an arrow', `${TOKEN}→ next`, TOKEN],
  ['a table', `| ${TOKEN}|`, TOKEN],
  [
    'a path in Cyrillic',
    'https://ru.example/вики/Почта.',
    'https://ru.example/%D0%B2%D0%B8%D0%BA%D0%B8/%D0%9F%D0%BE%D1%87%D1%82%D0%B0',
  ],
  ['letters with accents', 'https://fr.example/été', 'https://fr.example/%C3%A9t%C3%A9'],
  ['a host in Japanese', 'https://例え.jp/x?a=1を', 'https://xn--r8jz45g.jp/x?a=1'],
  ['broken in angle brackets', '<https://id.example/verify?\nt=ab\r\n  12>', TOKEN],
  ['broken, with a label', '<URL:https://id.example/verify?t=\n ab12>', TOKEN],
])('a URL ends where its script does: %s', (_, text, url) => {
  expect(urlsOf({ text })).toEqual([url]);
  const html = `<p>${text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</p>`;
  expect(urlsOf({ html })).toEqual([url]);
});

test.each([
  ['Go to bank.example.com now', 'https://evil.example/', true],
  ['Go to Bank.example.com: now', 'https://bank.example.com/', false],
  ['在bank.com登录', 'https://evil.example/', true],
  ['在bank.com登录', 'https://www.bank.com/', false],
  ['See https://bank.com完成', 'https://bank.com/x', false],
  ['Read it in Node.js or in README.md', 'https://docs.example/', false],
  ['Click here.It works', 'https://docs.example/', false],
  ['Write to ann@bank.com', 'https://mail.example/', false],
])('a host between words: %s', (text, href, expected) => {
  expect(linksOf({ html: `<a href="${href}">${text}</a>` })[0]?.shows_other_host).toBe(expected);
});
