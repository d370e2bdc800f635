/** Names of addresses in the DNS. */
import { expect, test } from 'vitest';

import { reversedName } from '../../../services/core/smtp/reversed-name.ts';

test.each([
  ['192.0.2.99', undefined, '99.2.0.192.in-addr.arpa'],
  ['::ffff:192.0.2.99', undefined, '99.2.0.192.in-addr.arpa'],
  ['192.0.2.99', 'bl.test', '99.2.0.192.bl.test'],
  [
    '2001:db8::567:89ab',
    undefined,
    'b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa',
  ],
  ['::1', 'bl.test', `1.${'0.'.repeat(31)}bl.test`],
  ['localhost', undefined, undefined],
])('%s in %s is %s', (address, zone, name) => {
  expect(reversedName(address, zone)).toBe(name);
});
