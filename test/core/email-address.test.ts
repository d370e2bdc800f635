/** One spelling for each mailbox: case, Unicode forms, IDN domains (RFC 5891, RFC 6531). */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { asciiDomain, normaliseAddress } from '../../services/core/email-address.ts';

test.each([
  ['stays as it is', 'box@in.example', 'box@in.example'],
  ['case does not matter', 'BoX@In.Example', 'box@in.example'],
  ['a U-label is its A-label', 'box@bücher.example', 'box@xn--bcher-kva.example'],
  ['in upper case too', 'box@BÜCHER.example', 'box@xn--bcher-kva.example'],
  ['an A-label stays', 'box@xn--bcher-kva.example', 'box@xn--bcher-kva.example'],
  ['an A-label in upper case is the same', 'box@XN--BCHER-KVA.example', 'box@xn--bcher-kva.example'],
  ['a decomposed umlaut is a composed one', 'bu\u0308cher@bu\u0308cher.example', 'bücher@xn--bcher-kva.example'],
  ['an ideographic full stop is a dot', 'box@in。example', 'box@in.example'],
  ['a trailing dot goes', 'box@in.example.', 'box@in.example'],
  ['a trailing ideographic full stop goes', 'box@in.example。', 'box@in.example'],
  ['non-ASCII local part in lower case', 'BÜCHER@in.example', 'bücher@in.example'],
  ['the last @ counts', '"a@b"@in.example', '"a@b"@in.example'],
  ['plus stays part of the name', 'box+tag@in.example', 'box+tag@in.example'],
])('%s: %s', (_, text, normalised) => {
  expect(normaliseAddress(text)).toBe(normalised);
});

test.each(['', 'box', '@in.example', 'box@', 'box@.', 'box@。', 'box@in example', 'box@in/example', 'box@in:25', 'box@a%2eb', 'box@*.example', 'box@﹡.example', 'box@[192.0.2.1]', 'box@xn--\u0000'])('%j is no mailbox here', (text) => {
  expect(normaliseAddress(text)).toBeUndefined();
});

test('what is normal already stays, whatever was written', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }), fc.string({ unit: 'grapheme', maxLength: 8 }), (local, domain) => {
      const once = normaliseAddress(`${local}@${domain}`);
      expect(once && normaliseAddress(once)).toBe(once);
    }),
    { numRuns: 2_000 },
  );
});

test('domains are told in A-labels', () => {
  expect([asciiDomain('例え.example'), asciiDomain('xn--r8jz45g.example'), asciiDomain('')]).toEqual(['xn--r8jz45g.example', 'xn--r8jz45g.example', undefined]);
});
