/** What is a name in the DNS, and what only looks like one (D110). */
import { expect, test } from 'vitest';

import { absoluteDnsName, dnsName } from '../../../services/core/network/dns-name.ts';

const long = (chars: number) => 'x'.repeat(chars);
/** Four labels with 253 characters in all. */
const LONGEST = [long(63), long(63), long(63), long(61)].join('.');

test.each([
  ['Bank.Test', 'bank.test'],
  ['s1._domainkey.bank-1.test', 's1._domainkey.bank-1.test'],
  ['test', 'test'],
  ['bücher.test', 'xn--bcher-kva.test'],
  ['BÜCHER.test', 'xn--bcher-kva.test'],
  ['bu\u0308cher.test', 'xn--bcher-kva.test'], // not in NFC
  ['straße.test', 'xn--strae-oqa.test'],
  ['xn--bcher-kva.test', 'xn--bcher-kva.test'],
  ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
  [`${long(63)}.test`, `${long(63)}.test`],
  [LONGEST, LONGEST],
])('%j is a name', (text, name) => {
  expect(dnsName(text)).toBe(name);
  expect(absoluteDnsName(`${text}.`)).toBe(name);
});

const ASCII = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code));
const NOT_IN_NAMES = [
  ASCII.filter((character) => !/[A-Za-z0-9_.-]/.test(character)),
  '\u0080 \u00a0 \u00ad \u200b \u200d \u2028 \u3000 \ufeff \ufffd'.split(' '),
  '\ud800 \u3002 \uff0e \uff61 \uff0f \uff41 \u212a'.split(' '), // half a pair; dots and letters
  '\\046 \\. %2e %00'.split(' '),
].flat();
test.each(NOT_IN_NAMES)('a text with %j is no name, wherever it stands', (hostile) => {
  const texts = [
    `${hostile}bank.test`,
    `ba${hostile}nk.test`,
    `bank${hostile}.test`,
    `evil.test${hostile}.bank.test`,
    `bank.test${hostile}`,
    hostile,
  ];
  expect(texts.filter((text) => dnsName(text) !== undefined)).toEqual([]);
});

test.each([
  '',
  '\u0301bank.test',
  '.',
  '.bank.test',
  'bank..test',
  'bank.test.',
  `${long(64)}.test`,
  `${LONGEST}x`,
  `${'ü'.repeat(60)}.test`, // its A-label is too long
  'ü'.repeat(100_000),
  long(100_000),
  '[192.0.2.1]',
  '2001:db8::1',
])('%j is no name', (text) => {
  expect(dnsName(text)).toBeUndefined();
});

test('one final dot is the root, two are not', () => {
  expect(absoluteDnsName('bank.test..')).toBeUndefined();
  expect(absoluteDnsName('.')).toBeUndefined();
});
