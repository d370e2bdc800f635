/** Identifiers sort by time, and name their kind (spec 2). */
import { expect, test } from 'vitest';

import { base32, firstIdAt, ID_RANDOM_BYTES, newId } from '../../../services/core/id/ids.ts';
import { fc } from '../../support/random.ts';

const NOW = new Date('2026-03-01T12:00:00Z');

test.each(['addr', 'evt', 'inv', 'acc', 'token'] as const)(
  'spec 2: an id of kind %s has its prefix and 26 characters that can be read aloud',
  (prefix) => {
    expect(newId(prefix, NOW, Buffer.alloc(ID_RANDOM_BYTES, 0xff))).toMatch(
      new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`),
    );
  },
);

test('a later id sorts after an earlier one, whatever the randomness', () => {
  const time = fc.integer({ min: 0, max: 2 ** 45 });
  const random = fc.uint8Array({ minLength: ID_RANDOM_BYTES, maxLength: ID_RANDOM_BYTES });
  fc.assert(
    fc.property(
      time,
      fc.integer({ min: 1, max: 2 ** 40 }),
      random,
      random,
      (ms, laterMs, one, other) => {
        expect(newId('evt', new Date(ms), one) < newId('evt', new Date(ms + laterMs), other)).toBe(
          true,
        );
      },
    ),
  );
});

test('ids of one millisecond differ only in their random part', () => {
  const [one, other] = [
    newId('evt', NOW, Buffer.alloc(10, 1)),
    newId('evt', NOW, Buffer.alloc(10, 2)),
  ];
  expect(one.slice(0, 14)).toBe(other.slice(0, 14));
  expect(one).not.toBe(other);
});

test.each([
  ['', ''],
  ['00', '00'],
  ['ff', 'zw'],
  ['0000000000', '00000000'],
  ['ffffffffff', 'zzzzzzzz'],
  ['68656c6c6f', 'd1jprv3f'], // hello
])('base 32 of %s is %s', (hex, text) => {
  expect(base32(Buffer.from(hex, 'hex'))).toBe(text);
});

test('no two byte strings of one length share a text', () => {
  const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      expect(base32(one) === base32(other)).toBe(Buffer.from(one).equals(Buffer.from(other)));
    }),
  );
});

test('the first id of a time sorts before its other ids and after all earlier ones', () => {
  const random = fc.uint8Array({ minLength: ID_RANDOM_BYTES, maxLength: ID_RANDOM_BYTES });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 45 }), random, (ms, bytes) => {
      expect(firstIdAt('evt', new Date(ms)) < newId('evt', new Date(ms), bytes)).toBe(true);
      expect(firstIdAt('evt', new Date(ms)) > newId('evt', new Date(ms - 1), bytes)).toBe(true);
    }),
  );
});
