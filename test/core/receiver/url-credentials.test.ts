/** User name and password of a webhook URL become `auth.basic` (D340). */
import { expect, test } from 'vitest';

import { withCredentialsOfUrl } from '../../../services/core/receiver/url-credentials.ts';

const basic = (username: string, password: string) => ({ auth: { basic: { username, password } } });

test.each<[object, object]>([
  [
    { webhook_url: 'https://ann:s%3Ae%40%C3%BC@example.com:8443/hook?a=@' },
    { webhook_url: 'https://example.com:8443/hook?a=@', ...basic('ann', 's:e@ü') },
  ],
  [{ url: 'https://key@example.com' }, { url: 'https://example.com', ...basic('key', '') }],
  [
    { url: 'https://:secret@example.com/', auth: null },
    { url: 'https://example.com/', ...basic('', 'secret') },
  ],
  [{ url: 'https://example.com/@me' }, { url: 'https://example.com/@me' }],
  [{ description: 'https://a:b@example.com/' }, { description: 'https://a:b@example.com/' }],
  [{ url: 7 }, { url: 7 }],
])('%j', (body, stored) => {
  expect(withCredentialsOfUrl(body)).toEqual(stored);
});

test.each<[object, string]>([
  [{ url: 'https://a:b@example.com/', auth: { headers: {} } }, 'together with auth'],
  [{ webhook_url: 'https://user:%ff@example.com/' }, 'in UTF-8'],
])('refused: %j', (body, text) => {
  expect(() => withCredentialsOfUrl(body)).toThrow(text);
});
