/** Names that people may choose for addresses and domains (RFC 5321 §4.1.2, RFC 6531 §3.3; D8). */
import { expect, test } from 'vitest';

import {
  checkDomain,
  checkLocalPart,
  checkDomainPart,
  isReserved,
  looksGenerated,
} from '../../../services/core/address/address-name.ts';
import { normaliseAddress } from '../../../services/core/mail/fields/email-address.ts';
import { base32 } from '../../../services/core/id/ids.ts';
import { candidatesFor } from '../../../services/core/address/resolution.ts';
import { fc, runs } from '../../support/random.ts';

test.each<[string, string]>([
  ['Sales', 'sales'],
  ['a.b-c_d', 'a.b-c_d'],
  ["o'neil", "o'neil"],
  ['{x}|y~z', '{x}|y~z'],
  ['BÜCHER', 'bücher'],
  ['bu\u0308cher', 'bücher'],
  ['用户', '用户'],
  ['*', '*'],
  ['ü'.repeat(32), 'ü'.repeat(32)],
])('%s is a local part', (text, localPart) => {
  expect(checkLocalPart(text)).toEqual({ localPart });
});

test.each<[string, string]>([
  ['', 'too_small'],
  ['a'.repeat(65), 'too_long'],
  ['ü'.repeat(33), 'too_long'],
  ...[
    'a+b',
    '+',
    'a*',
    '**',
    '.a',
    'a.',
    'a..b',
    'a b',
    'a@b',
    '"a"',
    'a\\b',
    'a,b',
    'a\u0000b',
    'a\nb',
    'a\u00a0b',
    'a\u200bb',
    'a\u2028b',
    'a\ud800',
  ].map((text): [string, string] => [text, 'invalid_value']),
])('%j is not a local part: %s', (text, fault) => {
  expect(checkLocalPart(text)).toEqual({ fault });
});

test('mail to an accepted name finds its address, in any case', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), (text) => {
      const checked = checkLocalPart(text);
      fc.pre('localPart' in checked && checked.localPart !== '*');
      const key = `${'localPart' in checked ? checked.localPart : ''}@own.example`;
      expect(normaliseAddress(key)).toBe(key);
      for (const named of [text, text.toUpperCase().toLowerCase(), text.normalize('NFD')])
        expect(candidatesFor(`${named}@Own.example`)?.[0]?.key).toBe(
          normaliseAddress(`${named}@own.example`),
        );
      expect(candidatesFor(`${text}@Own.example`)?.[0]?.key).toBe(key);
    }),
    runs(2_000),
  );
});

test.each([
  ['Shop.Example', 'shop.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['shop.example.', 'shop.example'],
  ['a.b.c.d.e.f.g.example', 'a.b.c.d.e.f.g.example'],
  ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
  ['ΟΔΟΣ-1.example', 'xn---1-k9b7bby.example'],
])('%s is a domain, and mail to it in this spelling finds it', (text, domain) => {
  expect(checkDomain(text)).toEqual({ domain });
  expect(normaliseAddress(`box@${text}`)).toBe(`box@${domain}`);
});

test.each([
  'example',
  'localhost',
  '192.0.2.1',
  '1.2.3.4.5',
  'a..example',
  '-a.example',
  'a-.example',
  'a_b.example',
  'a b.example',
  '*.shop.example',
  'a.b.c.d.e.f.g.h.example',
  '[::1]',
  'shop.example:25',
  'a@b.example',
])('%j is not a domain', (text) => {
  expect(checkDomain(text)).toEqual({ fault: 'invalid_value' });
});

test('a domain part is a domain or all its subdomains', () => {
  expect([
    checkDomainPart('*.Shop.example'),
    checkDomainPart('shop.example'),
    checkDomainPart('*.*.shop.example'),
    checkDomainPart('*.example'),
  ]).toEqual([
    { domainPart: '*.shop.example', domain: 'shop.example' },
    { domainPart: 'shop.example', domain: 'shop.example' },
    { fault: 'invalid_value' },
    { fault: 'invalid_value' },
  ]);
});

test('D8: a chosen name never looks like a generated one; names of the service are reserved', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 10, maxLength: 10 }), (bytes) =>
      looksGenerated(base32(bytes)),
    ),
  );
  expect(
    ['sales', 'customersupport1', '0123456789abcde', '0123456789abcdef0'].map(looksGenerated),
  ).toEqual([false, false, false, false]);
  expect(['postmaster', 'abuse', 'admin', 'noreply', 'sales'].map(isReserved)).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
});
