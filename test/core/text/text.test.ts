/** D300: what storableJson writes is JSON.stringify of the value with every text replaced. */
import { expect, test } from 'vitest';

import { cutText, storableJson, storableText } from '../../../services/core/text/text.ts';
import { fc } from '../../support/random.ts';

const text = fc.string({
  unit: fc.constantFrom('a', '\0', '\ud83d', '\ude00', '\\', 'u0000', 'ud83d', '"', '\n', '\x1f'),
  maxLength: 12,
});
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constantFrom(null, true, 7),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
}));

/** Character by character. */
const replaced = (one: string): string =>
  Array.from(one, (char) => (char === '\0' || /^\p{Cs}$/u.test(char) ? '\ufffd' : char)).join('');
const walked = (one: unknown): unknown =>
  typeof one === 'string'
    ? replaced(one)
    : Array.isArray(one)
      ? one.map(walked)
      : typeof one === 'object' && one !== null
        ? Object.fromEntries(Object.entries(one).map(([key, of]) => [replaced(key), walked(of)]))
        : one;

test('no text of the JSON has U+0000 or half of a pair, and all others are unchanged', () => {
  fc.assert(
    fc.property(value, (one) => {
      // both are parsed: JSON.parse of Node 24 reads the key `"` as a backslash after an object with such a key
      expect(JSON.parse(storableJson(one))).toEqual(JSON.parse(JSON.stringify(walked(one))));
    }),
  );
  fc.assert(
    fc.property(text, (one) => {
      expect(storableText(one)).toBe(replaced(one));
    }),
  );
});

test.each([
  ['a value that is as it should be', { a: ['\u{1f600}', '\\u0000', '\\\\ud83d', '\x01'] }],
  ['a date', { at: new Date('2026-04-06T09:00:00Z') }],
  ['a member without a value', { a: undefined, b: 1 }],
])('the JSON of %s is what JSON.stringify writes', (_, one) => {
  expect(storableJson(one)).toBe(JSON.stringify(one));
});

test('a text is cut between characters, to at most the length that is asked for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), fc.nat(40), (whole, to, from) => {
      const cut = cutText(whole, to, from);
      expect(cut.isWellFormed()).toBe(true);
      expect(whole.slice(from, to)).toContain(cut);
      expect(cut.length).toBeGreaterThanOrEqual(whole.slice(from, to).length - 2);
    }),
  );
  expect(cutText('ab', 2)).toBe('ab');
  expect(cutText('a\u{1f600}', 2)).toBe('a');
  expect(cutText('\u{1f600}b', 3, 1)).toBe('b');
});
