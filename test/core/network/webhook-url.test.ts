/** Which webhook URLs are accepted (spec 5.2.7, D9, D27). */
import { expect, test } from 'vitest';

import { checkWebhookUrl } from '../../../services/core/network/webhook-url.ts';
import { REFUSED_URLS } from '../../support/refused-addresses.ts';

const LONGEST = `https://example.com/${'a'.repeat(2048 - 'https://example.com/'.length)}`;
const BARE = `https://${'a.'.repeat(1018)}test`;

test.each([
  ['unchanged', 'https://example.com/hooks?a=b', 'https://example.com/hooks?a=b'],
  ['a bare origin stays bare', 'https://example.com', 'https://example.com'],
  ['any port', 'https://example.com:8443/x', 'https://example.com:8443/x'],
  ['the default port is removed', 'https://example.com:443/x', 'https://example.com/x'],
  ['scheme and host in lower case', 'HTTPS://Example.COM/Path', 'https://example.com/Path'],
  ['an IDN host in A-labels', 'https://bücher.example/x', 'https://xn--bcher-kva.example/x'],
  ['non-ASCII path in percent encoding', 'https://example.com/ü', 'https://example.com/%C3%BC'],
  ['dots resolved', 'https://example.com/a/../b', 'https://example.com/b'],
  ['an @ in the path is no user', 'https://example.com/@me?x=@', 'https://example.com/@me?x=@'],
  ['a public literal', 'https://8.8.8.8/x', 'https://8.8.8.8/x'],
  ['a public IPv6 literal', 'https://[2606:4700:4700::1111]/x', 'https://[2606:4700:4700::1111]/x'],
  ['2048 characters', LONGEST, LONGEST],
  ['2048 characters of a bare origin', BARE, BARE],
])('D27: accepted: %s', (_, text, url) => {
  expect(checkWebhookUrl(text, [])).toEqual({ url });
});

test.each([
  ['', 'invalid_url'],
  ['example.com/hook', 'invalid_url'],
  ['//example.com/hook', 'invalid_url'],
  ['https://', 'invalid_url'],
  ['https:///path', 'invalid_url'],
  ['https:example.com', 'invalid_url'],
  ['https:/example.com', 'invalid_url'],
  ['https:\\\\example.com', 'invalid_url'],
  ['https://example.com\\path', 'invalid_url'],
  ['https://exa mple.com/', 'invalid_url'],
  ['https://example.com/a b', 'invalid_url'],
  ['https://example.com/\n', 'invalid_url'],
  [' https://example.com/', 'invalid_url'],
  ['https://example.com:99999/', 'invalid_url'],
  ['https://[::1/', 'invalid_url'],
  ['https://user@example.com/', 'invalid_url'],
  ['https://user:pass@example.com/', 'invalid_url'],
  ['https://@example.com/', 'invalid_url'],
  ['https://:@example.com/', 'invalid_url'],
  ['https://example.com/#top', 'invalid_url'],
  ['https://example.com/#', 'invalid_url'],
  ['http://example.com/', 'not_https'],
  ['ftp://example.com/', 'not_https'],
  ['javascript:alert(1)', 'not_https'],
  ['mailto:a@example.com', 'not_https'],
  ['http://localhost/', 'not_https'],
  [`${LONGEST}a`, 'too_long'],
  [`https://example.com/${'ü'.repeat(400)}`, 'too_long'], // 2,400 characters once it is encoded
])('D27: refused: %j is %s', (text, fault) => {
  expect(checkWebhookUrl(text, [])).toEqual({ fault });
});

test.each(REFUSED_URLS)('spec 5.2.7: not publicly reachable: %s', (text) => {
  expect(checkWebhookUrl(text, [])).toEqual({ fault: 'not_public' });
});

test.each([
  ['https://127.0.0.1:9443/x', ['127.0.0.0/8'], true],
  ['https://[::ffff:127.0.0.1]/x', ['127.0.0.0/8'], true],
  ['https://127.0.0.1/x', ['10.0.0.0/8'], false],
  ['https://localhost:9443/x', ['127.0.0.0/8'], true],
  ['https://localhost:9443/x', ['::1'], true],
  ['https://localhost:9443/x', ['10.0.0.0/8'], false],
  ['https://hooks.svc.cluster.local/x', ['10.0.0.0/8'], true], // what it resolves to is checked when it is called
  ['https://hooks/x', ['10.0.0.0/8'], true],
])('%s with %j allowed: accepted is %s', (text, allowed, isAccepted) => {
  expect('url' in checkWebhookUrl(text, allowed)).toBe(isAccepted);
});
