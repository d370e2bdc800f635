/** One spelling for each mailbox: case, Unicode forms, IDN domains (RFC 5891, RFC 6531). */
import { expect, test } from 'vitest';

import {
  asciiDomain,
  normaliseAddress,
  normaliseLocalPart,
} from '../../../../services/core/mail/fields/email-address.ts';
import { fc, runs } from '../../../support/random.ts';

test.each([
  ['unchanged', 'box@in.example', 'box@in.example'],
  ['case does not matter', 'BoX@In.Example', 'box@in.example'],
  ['a U-label is its A-label', 'box@bücher.example', 'box@xn--bcher-kva.example'],
  ['in upper case too', 'box@BÜCHER.example', 'box@xn--bcher-kva.example'],
  ['an A-label stays', 'box@xn--bcher-kva.example', 'box@xn--bcher-kva.example'],
  [
    'an A-label in upper case is the same',
    'box@XN--BCHER-KVA.example',
    'box@xn--bcher-kva.example',
  ],
  [
    'a decomposed umlaut is a composed one',
    'bu\u0308cher@bu\u0308cher.example',
    'bücher@xn--bcher-kva.example',
  ],
  ['an ideographic full stop is a dot', 'box@in。example', 'box@in.example'],
  ['a trailing dot is removed', 'box@in.example.', 'box@in.example'],
  ['a trailing ideographic full stop is removed', 'box@in.example。', 'box@in.example'],
  ['non-ASCII local part in lower case', 'BÜCHER@in.example', 'bücher@in.example'],
  ['unneeded quotes are removed (RFC 5321 §4.1.2)', '"Box.one"@in.example', 'box.one@in.example'],
  ['so are backslashes', String.raw`"b\ox"@in.example`, 'box@in.example'],
  ['quotes that are needed stay', '"box one"@in.example', '"box one"@in.example'],
  ['quotes that are needed for a dot stay', '"box."@in.example', '"box."@in.example'],
  ['the last @ counts', '"a@b"@in.example', '"a@b"@in.example'],
  ['plus stays part of the name', 'box+tag@in.example', 'box+tag@in.example'],
])('%s: %s', (_, text, normalised) => {
  expect(normaliseAddress(text)).toBe(normalised);
});

test.each([
  '',
  'box',
  '@in.example',
  'box@',
  'box@.',
  'box@..',
  'box@in..example',
  'box@.in.example',
  'box@in.example..',
  'box@in.example.。',
  'box@bücher..example',
  'box@。',
  'box@in example',
  'box@in/example',
  'box@in:25',
  'box@a%2eb',
  'box@*.example',
  'box@﹡.example',
  'box@[192.0.2.1]',
  'box@xn--\u0000',
])('%j is not a mailbox', (text) => {
  expect(normaliseAddress(text)).toBeUndefined();
});

test('normalizing a normalized address changes nothing', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      (local, domain) => {
        const once = normaliseAddress(`${local}@${domain}`);
        expect(once && normaliseAddress(once)).toBe(once);
      },
    ),
    runs(2_000),
  );
});

test('a decomposed upper-case letter becomes the composed lower-case one', () => {
  const accented = Array.from({ length: 0x2_0000 }, (_, code) => String.fromCodePoint(code)).filter(
    (letter) =>
      /^\p{Ll}\p{M}+$/u.test(letter.normalize('NFD')) && letter.normalize('NFC') === letter,
  );
  expect(accented).toContain('\u01f0'); // j with a caron
  const differing = accented.filter((letter) => {
    const [base = '', ...accents] = letter.normalize('NFD');
    const upper = base.toUpperCase();
    return (
      upper.toLowerCase() === base &&
      normaliseLocalPart([upper, ...accents].join('')) !== normaliseLocalPart(letter)
    );
  });
  expect(differing).toEqual([]);
});

test('domains are shown in A-labels', () => {
  expect([
    asciiDomain('例え.example'),
    asciiDomain('xn--r8jz45g.example'),
    asciiDomain(''),
  ]).toEqual(['xn--r8jz45g.example', 'xn--r8jz45g.example', undefined]);
});
