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
