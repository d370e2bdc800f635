/** Emails as a page shows them: without contents of attachments, however the bytes are split. */
import { describe, expect, test } from 'vitest';

import {
  emailView,
  EmailView,
  TEXT_MAX_CHARS,
  withoutContents,
} from '../../../services/core/mail/email-view.ts';
import { EXAMPLE_PAYLOAD } from '../../../services/api/documentation/webhook.ts';
import { fc } from '../../support/random.ts';

async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += length) yield bytes.subarray(at, at + length);
}

const filtered = async (payload: object, length: number): Promise<unknown> => {
  const pieces = inPieces(Buffer.from(JSON.stringify(payload)), length);
  return JSON.parse(Buffer.concat(await Array.fromAsync(withoutContents(pieces))).toString());
};

const attachment = { ...EXAMPLE_PAYLOAD.attachments[0], filename: 'a.txt', content: 'QUJD' };

describe('withoutContents', () => {
  test.each([1, 2, 7, 11, 64, 100_000])('drops contents, read in pieces of %i bytes', async (n) => {
    const payload = { ...EXAMPLE_PAYLOAD, attachments: [attachment, attachment] };
    const expected = payload.attachments.map((one) => ({ ...one, content: null }));
    expect(await filtered(payload, n)).toEqual({ ...payload, attachments: expected });
  });

  test.each([
    'a text with "content":"QUJD" in it',
    '\\"content\\":\\"x',
    '"content":"',
    'é"content":"\u{1f600}',
  ])('keeps the text %s', async (text) => {
    const payload = {
      content: { text, html: text },
      attachments: [{ filename: text, content: '' }],
    };
    const expected = { ...payload, attachments: [{ filename: text, content: null }] };
    expect(await filtered(payload, 5)).toEqual(expected);
  });

  test('any text survives any split', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.integer({ min: 1, max: 40 }), async (text, length) => {
        const payload = { content: { text }, attachments: [{ content: null }] };
        expect(await filtered(payload, length)).toEqual(payload);
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

describe('emailView', () => {
  test('says whether there is HTML, and has none', () => {
    const view = emailView({
      ...EXAMPLE_PAYLOAD,
      content: { text: null, html: '<p>x', size_bytes: 9 },
    });
    expect(view.content).toEqual({ text: null, size_bytes: 9, is_cut: false, has_html: true });
    expect(EmailView.parse(view)).toBeDefined();
  });

  test('cuts a long text, and says so', () => {
    const text = 'x'.repeat(TEXT_MAX_CHARS + 1);
    const { content } = emailView({
      ...EXAMPLE_PAYLOAD,
      content: { text, html: null, size_bytes: 9 },
    });
    expect([content.text?.length, content.is_cut, content.has_html]).toEqual([
      TEXT_MAX_CHARS,
      true,
      false,
    ]);
  });
});
