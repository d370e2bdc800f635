/** The link that `wait` returns: that which confirms, wherever it stands. */
import { expect, test } from 'vitest';

import { bestLink, type LinkWish } from '../../../services/core/extract/links.ts';
import { extract } from '../../../services/core/extract/extract.ts';

const LOGO = '<a href="https://shop.example.com"><img src="x" alt="Shop"></a>';
const FOOTER =
  '<a href="https://shop.example.com/privacy">Privacy</a> ' +
  '<a href="https://t.example/optout/a8f3kd92js01lsk3">Unsubscribe</a>';
const bestIn = (html: string, wish?: LinkWish): string | undefined => {
  const mail = { headers: { subject: null, all: [] }, text: null, html };
  return bestLink(extract(new Set(['links']), mail)?.links ?? [], wish)?.url;
};

test.each([
  ['a token in the query', 'https://shop.example.com/c?t=a8f3kd92', 'Confirm my account'],
  ['a link of a tracker', 'https://click.example/ls?u=Zk29dkfj3kd93kdkslwo', 'Konto bestätigen'],
  ['words of the URL alone', 'https://shop.example.com/verify/4f2a91', 'Klik'],
  ['Japanese', 'https://shop.example.com/a/Zk29dkfj3kd93kdkslwo', 'ログイン'],
  [
    'no words at all',
    'https://shop.example.com/p/Zk29dkfj3kd93kdkslwo',
    'https://shop.example.com',
  ],
])('%s, below the logo and above the footer', (_, url, text) => {
  expect(bestIn(`${LOGO}<p>Hi</p><a href="${url}">${text}</a>${FOOTER}`)).toBe(url);
});

test('the first of equal links, and none that unsubscribes', () => {
  expect(
    bestIn('<a href="https://a.example/1">One</a> <a href="https://a.example/2">Two</a>'),
  ).toBe('https://a.example/1');
  expect(bestIn(LOGO)).toBe('https://shop.example.com/');
  expect(bestIn('<a href="https://t.example/x">Unsubscribe</a>')).toBeUndefined();
});

test('a wish for a text or a host counts before the rank', () => {
  const confirm = '<a href="https://a.shop.example.com/verify?t=a8f3kd92">Confirm</a>';
  const html = `${LOGO}${confirm}<a href="https://b.example/1">Read more</a>`;
  expect(bestIn(html, { text: 'READ' })).toBe('https://b.example/1');
  expect(bestIn(html, { host: 'b.example' })).toBe('https://b.example/1');
  expect(bestIn(html, { host: 'Shop.Example.com' })).toContain('/verify');
  expect(bestIn(html, { host: 'hop.example.com' })).toBeUndefined();
});
