/** Credentials in a response: masked in every encoding in which a receiver may repeat them. */
import { expect, test } from 'vitest';

import { createSecretMask } from '../../../services/core/webhook/secret-mask.ts';

const PASSWORD = 'p/ss "wörd"+%&7';
const base64 = (text: string) => Buffer.from(text).toString('base64');

const CREDENTIALS: Record<string, [headers: Record<string, string>, secrets: string[]]> = {
  'an API key': [{ 'x-api-key': 'key-of_the/receiver+1' }, ['key-of_the/receiver+1']],
  'a bearer token': [
    { authorization: 'Bearer eyJhbGciOi.J9-_abc' },
    ['Bearer eyJhbGciOi.J9-_abc', 'eyJhbGciOi.J9-_abc'],
  ],
  'HTTP Basic': [
    { authorization: `Basic ${base64(`ann:${PASSWORD}`)}` },
    [`ann:${PASSWORD}`, PASSWORD, base64(`ann:${PASSWORD}`)],
  ],
  'a short password': [{ authorization: `Basic ${base64('a:b4d!')}` }, ['a:b4d!', 'b4d!']],
  'a cookie': [{ cookie: 'session=0123456789abcdef; path=x' }, ['0123456789abcdef']],
};

const percentEveryByte = (text: string) =>
  Buffer.from(text).toString('hex').replaceAll(/../g, '%$&');
const htmlEscaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
const ENCODINGS: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'in upper case': (text) => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()),
  'percent-encoded': encodeURIComponent,
  'as a form': (text) => new URLSearchParams({ '': text }).toString().slice(1),
  'percent-encoded, every byte': percentEveryByte,
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in JSON': (text) => JSON.stringify(text),
  'in JSON within JSON': (text) => JSON.stringify(JSON.stringify(text)),
  'in JSON with \\u': (text) =>
    text.replaceAll(/./g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'in JSON with \\/': (text) => text.replaceAll('/', '\\/'),
  'in HTML': htmlEscaped,
  'in HTML, every character': (text) =>
    text.replaceAll(/./g, (c) => `&#x${c.charCodeAt(0).toString(16)};`),
};
const BASE64: Record<string, (text: string) => string> = {
  'in Base64': base64,
  'in Base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
  'in Base64 of more, at offset 1': (text) => base64(`${'x'.repeat(40)}${text} and more`),
  'in Base64 of more, at offset 2': (text) => base64(`${'x'.repeat(41)}${text} and more`),
  'in Base64 of its percent-encoding': (text) => base64(encodeURIComponent(text)),
  'percent-encoded in Base64': (text) => encodeURIComponent(base64(text)),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
};

const cases = Object.entries(CREDENTIALS).flatMap(([kind, [headers, secrets]]) =>
  Object.entries({ ...ENCODINGS, ...BASE64 }).map(
    ([encoding, encode]) => [kind, encoding, headers, secrets, encode] as const,
  ),
);

test.each(cases)('%s, %s', (_, encoding, headers, secrets, encode) => {
  const mask = createSecretMask(headers);
  for (const secret of secrets) {
    // a short text has no Base64 of its own that is long enough to search for
    if (encoding in BASE64 && secret.length < 6) continue;
    const echoed = encode(secret);
    const shown = mask(`ümlaut before ${echoed} after`);
    expect(shown).toMatch(/^ümlaut before .*\*\*\*.* after$/);
    // of Base64, a character at each end has bits of its neighbors
    expect(shown.length).toBeLessThan('ümlaut before  after'.length + 3 + echoed.length - 3);
    for (const other of secrets) expect(shown.toLowerCase()).not.toContain(other.toLowerCase());
  }
});

test.each(Object.entries(ENCODINGS))('%s: also when the text is cut within it', (_, encode) => {
  const [headers] = CREDENTIALS['HTTP Basic'] ?? [{}];
  const mask = createSecretMask(headers);
  const echoed = encode(PASSWORD);
  for (let cut = 1; cut < echoed.length; cut++) {
    const text = Buffer.from(`before ${echoed.slice(0, echoed.length - cut)}`).toString();
    // four characters of a secret tell little
    const rest = mask(text).replace('before ', '').replace('***', '');
    expect([cut, rest.length]).toEqual([
      cut,
      Math.min(rest.length, encode(PASSWORD.slice(0, 6)).length),
    ]);
  }
});

test('other text stays as it is, also without credentials', () => {
  const text = 'Zürich %41 \\u0041 &amp; a+b 50% {"error":"no"} \ud83d\ude00 &#x110000; \\';
  expect(createSecretMask({})(text)).toBe(text);
  expect(createSecretMask({ 'x-api-key': 'key-of-the-receiver' })(text)).toBe(text);
});

test('a long response of escapes takes little time', () => {
  const mask = createSecretMask({ authorization: `Bearer ${'ab%25'.repeat(800)}` });
  const text = '%25'.repeat(20_000);
  expect(mask(text)).toContain('%25');
});
