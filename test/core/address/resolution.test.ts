/**
 * Which address a mailbox belongs to: exact, plus, catch-all, wildcards. The result is always the
 * one that a search through all addresses would find.
 */
import { expect, test } from 'vitest';

import type { Recipient } from '../../../services/core/address/recipient.ts';
import {
  candidatesFor,
  domainsAbove,
  mailboxAt,
  takesPart,
} from '../../../services/core/address/resolution.ts';
import { fc, runs } from '../../support/random.ts';
import { newRecipient as recipient } from '../../support/new-address.ts';

const keys = (text: string) => candidatesFor(text)?.map(({ key }) => key);

test('exact, catch-all, then the wildcards above, the longest domain first', () => {
  expect(keys('Box@a.b.Example.com')).toEqual([
    'box@a.b.example.com',
    '*@a.b.example.com',
    'box@*.b.example.com',
    '*@*.b.example.com',
    'box@*.example.com',
    '*@*.example.com',
  ]);
});

test('a plus: the whole name, the name before it, then the catch-all; the tag is unchanged', () => {
  expect(candidatesFor('Box+News+2@in.example')).toEqual([
    { key: 'box+news+2@in.example' },
    { key: 'box@in.example', plusTag: 'News+2' },
    { key: '*@in.example', plusTag: 'News+2' },
  ]);
});

test.each([
  [
    'an empty tag is a tag',
    'box+@in.example',
    [
      ['box+@in.example', undefined],
      ['box@in.example', ''],
      ['*@in.example', ''],
    ],
  ],
  [
    'an empty name before the plus is no candidate',
    '+tag@in.example',
    [
      ['+tag@in.example', undefined],
      ['*@in.example', 'tag'],
    ],
  ],
  [
    'unneeded quotes are not part of name and tag',
    '"box+Tag"@in.example',
    [
      ['box+tag@in.example', undefined],
      ['box@in.example', 'Tag'],
      ['*@in.example', 'Tag'],
    ],
  ],
  [
    'an IDN domain is looked up in A-labels',
    'box@bücher.example',
    [
      ['box@xn--bcher-kva.example', undefined],
      ['*@xn--bcher-kva.example', undefined],
    ],
  ],
])('%s', (_, text, expected) => {
  expect(candidatesFor(text)?.map(({ key, plusTag }) => [key, plusTag])).toEqual(expected);
});

test.each(['', 'postmaster', 'box@', 'box@*.example.com', 'box@[192.0.2.1]'])(
  '%j is no mailbox',
  (text) => {
    expect(candidatesFor(text)).toBeUndefined();
  },
);

test('few addresses are looked up, however long the domain is', () => {
  expect(keys(`a+b@${'x.'.repeat(120)}example.com`)).toHaveLength(24);
  expect(domainsAbove('1.2.3.4.5.6.7.8.9.com')).toEqual([
    '3.4.5.6.7.8.9.com',
    '4.5.6.7.8.9.com',
    '5.6.7.8.9.com',
    '6.7.8.9.com',
    '7.8.9.com',
    '8.9.com',
    '9.com',
  ]);
});

const NOW = new Date('2026-03-01T12:00:00Z');

test.each<[string, Partial<Recipient>, boolean]>([
  ['an enabled address is a match', {}, true],
  ['a disabled address refuses, and hides later candidates', { is_enabled: false }, true],
  ['so does an address of a suspended account', { is_suspended: true }, true],
  ['a deleted address is ignored', { deleted_at: NOW }, false],
  ['an expired address is ignored', { expires_at: NOW }, false],
])('%s', (_, fields, expected) => {
  expect(takesPart(recipient(fields), NOW)).toBe(expected);
});

/**
 * The rank of one stored address by the rules, without candidates: smaller is better, and undefined
 * is no match.
 */
function rank(stored: string, mailbox: string): readonly number[] | undefined {
  const [storedLocal = '', storedDomain = ''] = stored.split('@');
  const [local = '', domain = ''] = mailbox.split('@');
  const isWildcard = storedDomain.startsWith('*.');
  if (isWildcard ? !domain.endsWith(storedDomain.slice(1)) : domain !== storedDomain)
    return undefined;
  const before = /^([^+]+)\+/.exec(local)?.[1];
  const byName =
    storedLocal === local ? 0 : storedLocal === before ? 1 : storedLocal === '*' ? 2 : undefined;
  return byName === undefined ? undefined : [isWildcard ? 1 : 0, -storedDomain.length, byName];
}

const LOCALS = ['a', 'b', 'a+b', 'a+', '*'];
const label = fc.constantFrom('x', 'y');
const domain = fc
  .array(label, { maxLength: 3 })
  .map((labels) => [...labels, 'd', 'example'].join('.'));
const stored = fc
  .record({ local: fc.constantFrom(...LOCALS), domain, isWildcard: fc.boolean() })
  .map((one) => `${one.local}@${one.isWildcard ? '*.' : ''}${one.domain}`);
const mailbox = fc
  .record({ local: fc.constantFrom('a', 'b', 'c', 'a+b', 'a+c', 'b+', '+a', 'A+B+c'), domain })
  .map((one) => `${one.local}@${one.domain}`);

test('the first stored candidate is the best of all stored addresses', () => {
  fc.assert(
    fc.property(fc.uniqueArray(stored, { maxLength: 30 }), mailbox, (all, text) => {
      const ranked = all.flatMap((one) => {
        const its = rank(one, text.toLowerCase());
        return its === undefined ? [] : [{ one, its }];
      });
      const [best] = ranked.toSorted(
        (one, other) =>
          one.its
            .map((part, i) => part - (other.its[i] ?? 0))
            .find((difference) => difference !== 0) ?? 0,
      );
      expect(keys(text)?.find((key) => all.includes(key))).toBe(best?.one);
    }),
    runs(3_000),
  );
});

test.each([
  ['box@in.example', undefined, 'box@in.example'],
  ['box@in.example', 'BOX@in.example', 'box@in.example'],
  ['box@in.example', 'other@in.example', undefined],
  ['*@in.example', undefined, undefined],
  ['*@in.example', 'Support@in.example', 'support@in.example'],
  ['*@in.example', 'support+tag@in.example', undefined],
  ['*@in.example', 'support@a.in.example', undefined],
  ['box@*.in.example', 'box@a.in.example', 'box@a.in.example'],
  ['*@*.in.example', 'x@a.b.in.example', 'x@a.b.in.example'],
])('one mailbox of %s, named %s', (address, named, expected) => {
  expect(mailboxAt(address, named)).toBe(expected);
});
