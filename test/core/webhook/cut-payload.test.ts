/** Payloads whose long strings are cut while they are read, however the bytes are split. */
import { expect, test } from 'vitest';

import { cutPayload, type ReadChars } from '../../../services/core/webhook/shown-email.ts';
import { EXAMPLE_PAYLOAD } from '../../../services/core/webhook/example.ts';
import { fc } from '../../support/random.ts';

const WHOLE: ReadChars = { text: Infinity, html: Infinity, content: Infinity };

async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += length) yield bytes.subarray(at, at + length);
}

const read = async (payload: object, length: number, chars: Partial<ReadChars>) => {
  const pieces = inPieces(Buffer.from(JSON.stringify(payload)), length);
  const cut = await Array.fromAsync(cutPayload(pieces, { ...WHOLE, ...chars }));
  return JSON.parse(Buffer.concat(cut).toString()) as unknown;
};

const attachment = { ...EXAMPLE_PAYLOAD.attachments[0], filename: 'a.txt', content: 'QUJD' };

test.each([1, 2, 7, 11, 64, 100_000])('drops contents, read in pieces of %i bytes', async (n) => {
  const payload = { ...EXAMPLE_PAYLOAD, attachments: [attachment, attachment] };
  const expected = payload.attachments.map((one) => ({ ...one, content: '' }));
  expect(await read(payload, n, { content: 0 })).toEqual({ ...payload, attachments: expected });
});

test.each([1, 3, 100])('cuts only the strings that are named, in pieces of %i bytes', async (n) => {
  const payload = {
    reply_text: 'abcd',
    content: { text: 'abcd', html: 'abcd' },
    attachments: [{ content: 'abcd' }, { content: null }],
    headers: [{ name: 'text', value: 'abcd' }],
  };
  expect(await read(payload, n, { text: 3, html: 0, content: 5 })).toEqual({
    ...payload,
    content: { text: 'abc', html: '' },
  });
});

test.each([
  'a text with "content":"QUJD" in it',
  '\\"content\\":\\"x',
  '"content":"',
  ':"text":',
  'é"content":"\u{1f600}',
])('keeps the text %s', async (text) => {
  const payload = {
    content: { text, html: text },
    attachments: [{ filename: text, content: 'x' }],
  };
  const expected = { ...payload, attachments: [{ filename: text, content: '' }] };
  expect(await read(payload, 5, { content: 0 })).toEqual(expected);
});

test('any text survives any split, and is cut to its first characters', async () => {
  const text = fc.string({ unit: 'binary' });
  const length = fc.integer({ min: 1, max: 40 });
  await fc.assert(
    fc.asyncProperty(text, length, fc.nat(12), async (whole, pieces, chars) => {
      const payload = { content: { text: whole, html: whole }, end: whole };
      const cut = Array.from(whole).slice(0, chars).join('');
      const expected = { ...payload, content: { text: cut, html: whole } };
      expect(await read(payload, pieces, { text: chars })).toEqual(expected);
    }),
  );
});
