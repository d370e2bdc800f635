/** Which addresses a webhook may reach (spec 5.2.7, D27). */
import { expect, test } from 'vitest';

import { networkRefusal, serviceRefusal } from '../../../services/core/network/public-network.ts';
import { REFUSED_ADDRESSES, REFUSED_EMBEDDED } from '../../support/refused-addresses.ts';

test.each([
  ...REFUSED_ADDRESSES,
  ['1.0.0.0', undefined],
  ['9.255.255.255', undefined],
  ['11.0.0.0', undefined],
  ['100.63.255.255', undefined],
  ['100.128.0.0', undefined],
  ['168.63.129.17', undefined],
  ['172.15.255.255', undefined],
  ['172.32.0.0', undefined],
  ['198.17.255.255', undefined],
  ['223.255.255.255', undefined],
  ['8.8.8.8', undefined],
  ['2606:4700:4700::1111', undefined],
  ['2A00:1450:4001:81B::200E', undefined],
])('%s is %s', (address, refusal) => {
  expect(networkRefusal(address, [])).toBe(refusal);
});

test.each([
  ...REFUSED_EMBEDDED,
  ['mapped, public', '::ffff:8.8.8.8', undefined],
  ['NAT64, public', '64:ff9b::8.8.8.8', undefined],
  ['6to4, public', '2002:808:808::1', undefined],
])('an IPv4 address inside IPv6 counts: %s', (_, address, refusal) => {
  expect(networkRefusal(address, [])).toBe(refusal);
});

test.each([
  '',
  'example.com',
  '1.2.3',
  '1.2.3.4.5',
  '256.1.1.1',
  '01.2.3.4',
  '0x7f.0.0.1',
  '1.2.3.4 ',
  ':',
  ':::',
  '1:',
  ':1',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '::12345',
  '::g',
  '1.2.3.4::',
  '::1.2.3',
])('what is not an IP address is refused: "%s"', (text) => {
  expect(networkRefusal(text, ['0.0.0.0/0', '::/0'])).toBe('not an IP address');
});

test.each([
  ['10.1.2.3', ['10.0.0.0/8'], true],
  ['10.1.2.3', ['10.1.2.3'], true],
  ['10.1.2.4', ['10.1.2.3/32'], false],
  ['::ffff:10.1.2.3', ['10.0.0.0/8'], true],
  ['10.1.2.3', ['::ffff:0:0/96'], false],
  ['::1', ['127.0.0.0/8'], false],
  ['::1', ['127.0.0.0/8', '::1/128'], true],
  ['fd00::5', ['fd00::/8'], true],
  ['192.168.0.1', ['0.0.0.0/0'], true],
  ['192.168.0.1', ['::/0'], false],
  ['192.168.0.1', ['nonsense', '192.168.0.0/33'], false],
])('%s with %j allowed: open is %s', (address, allowed, isOpened) => {
  expect(networkRefusal(address, allowed) === undefined).toBe(isOpened);
});

test('D53: a Service may be at a private address, and at no other special one', () => {
  const refused = [
    ...REFUSED_ADDRESSES.map(([address]) => address),
    ...REFUSED_EMBEDDED.map(([, address]) => address),
  ];
  const allowed = refused.filter((address) => serviceRefusal(address, []) === undefined);
  expect(allowed).toEqual([
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.0',
    '100.127.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.168.1.1',
    'fc00::1',
    '::ffff:0:10.0.0.1',
    '64:ff9b::10.0.0.1',
  ]);
  expect(serviceRefusal('::ffff:100.100.100.200', [])).toBe('cloud metadata');
  expect(serviceRefusal('8.8.8.8', [])).toBeUndefined();
});
