/** Which addresses a webhook may reach (spec 5.2.7, D27). */
import { expect, test } from 'vitest';

import { networkRefusal } from '../../../services/core/webhook/public-network.ts';

test.each([
  ['0.0.0.0', 'this network'],
  ['0.255.255.255', 'this network'],
  ['1.0.0.0', undefined],
  ['9.255.255.255', undefined],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['11.0.0.0', undefined],
  ['100.63.255.255', undefined],
  ['100.64.0.0', 'carrier-grade NAT'],
  ['100.100.100.200', 'carrier-grade NAT'],
  ['100.127.255.255', 'carrier-grade NAT'],
  ['100.128.0.0', undefined],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['169.254.169.254', 'link-local'],
  ['168.63.129.16', 'cloud metadata'],
  ['168.63.129.17', undefined],
  ['172.15.255.255', undefined],
  ['172.16.0.0', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.0', undefined],
  ['192.0.0.192', 'protocol assignments'],
  ['192.0.2.1', 'documentation'],
  ['192.88.99.1', '6to4 relay'],
  ['192.168.1.1', 'private'],
  ['198.17.255.255', undefined],
  ['198.18.0.0', 'benchmarking'],
  ['198.19.255.255', 'benchmarking'],
  ['198.51.100.7', 'documentation'],
  ['203.0.113.7', 'documentation'],
  ['223.255.255.255', undefined],
  ['224.0.0.1', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['8.8.8.8', undefined],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['2606:4700:4700::1111', undefined],
  ['2A00:1450:4001:81B::200E', undefined],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['fec0::1', 'site-local'],
  ['fc00::1', 'unique local'],
  ['fd00:ec2::254', 'unique local'],
  ['ff02::1', 'multicast'],
  ['100::1', 'discard'],
  ['2001::1', 'Teredo'],
  ['2001:2::1', 'protocol assignments'],
  ['2001:db8::1', 'documentation'],
  ['3fff::1', 'documentation'],
  ['64:ff9b:1::1', 'local NAT64'],
  ['4000::1', 'reserved'],
  ['1::', 'reserved'],
])('%s is %s', (address, refusal) => {
  expect(networkRefusal(address, [])).toBe(refusal);
});

test.each([
  ['mapped', '::ffff:127.0.0.1', 'loopback'],
  ['mapped, hexadecimal', '::ffff:a9fe:a9fe', 'link-local'],
  ['mapped, public', '::ffff:8.8.8.8', undefined],
  ['translated', '::ffff:0:10.0.0.1', 'private'],
  ['NAT64', '64:ff9b::10.0.0.1', 'private'],
  ['NAT64, public', '64:ff9b::8.8.8.8', undefined],
  ['6to4', '2002:7f00:1::', 'loopback'],
  ['6to4, public', '2002:808:808::1', undefined],
  ['compatible', '::127.0.0.1', 'reserved'],
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
