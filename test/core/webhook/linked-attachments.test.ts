/** The file of linked attachments: what a download reads is what the parser found. */
import { expect, test } from 'vitest';

import { storableText } from '../../../services/core/text/text.ts';
import {
  linkedAttachments,
  openLinkedAttachment,
} from '../../../services/core/webhook/linked-attachments.ts';
import type { ParsedAttachment } from '../../../services/core/webhook/payload.ts';
import { fc } from '../../support/random.ts';

const attachment = (fields: Partial<ParsedAttachment> = {}): ParsedAttachment => ({
  filename: 'a.bin',
  contentType: 'application/pdf',
  contentId: null,
  disposition: null,
  method: null,
  content: Buffer.from('content'),
  ...fields,
});

/** The bytes in chunks of these lengths, then the rest. */
async function* cut(bytes: Buffer, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const length of lengths) {
    yield bytes.subarray(at, at + length);
    at += length;
  }
  yield bytes.subarray(at);
}

async function read(file: AsyncIterable<Uint8Array>, index: number) {
  const found = await openLinkedAttachment(file, index);
  if (found === undefined) return undefined;
  return { ...found, content: Buffer.concat(await Array.fromAsync(found.content)) };
}

const attachments = fc.array(
  fc.record({
    filename: fc.option(fc.string({ unit: 'binary', maxLength: 20 })),
    contentType: fc.string({ maxLength: 20 }),
    content: fc.uint8Array({ maxLength: 60 }),
  }),
  { maxLength: 5 },
);

test('has each attachment by its index, however its bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(attachments, fc.array(fc.nat({ max: 70 })), async (some, lengths) => {
      const file = Buffer.concat(linkedAttachments(some.map((fields) => attachment(fields))));
      for (const [index, { filename, contentType, content }] of some.entries())
        expect(await read(cut(file, lengths), index)).toEqual({
          filename: filename === null ? null : storableText(filename),
          contentType,
          size: content.byteLength,
          content: Buffer.from(content),
        });
      expect(await read(cut(file, lengths), some.length)).toBeUndefined();
    }),
  );
});

test('a chunk is read only when the attachment before it was passed on', async () => {
  let chunksRead = 0;
  async function* counted() {
    for (const piece of linkedAttachments([attachment({ content: Buffer.alloc(50) })])) {
      for (let at = 0; at < piece.byteLength; at += 10) {
        chunksRead++;
        yield piece.subarray(at, at + 10);
      }
    }
  }
  const found = await openLinkedAttachment(counted(), 0);
  const before = chunksRead;
  const content = found?.content[Symbol.asyncIterator]();
  expect(chunksRead).toBe(before);
  for (let n = 1; n <= 5; n++) {
    await content?.next();
    expect(chunksRead).toBe(before + n);
  }
});

test('names and types of any length are bounded', async () => {
  const [filename, contentType] = ['é\u0001'.repeat(10_000), 'x/'.repeat(10_000)];
  const file = Buffer.concat(linkedAttachments([attachment({ filename, contentType })]));
  expect(await read(cut(file, []), 0)).toMatchObject({
    filename: filename.slice(0, 255),
    contentType: 'application/octet-stream',
  });
});

test.each([
  ['that ends within a content', Buffer.concat(linkedAttachments([attachment()])).subarray(0, -1)],
  ['that ends within a description', Buffer.from('{"filename":')],
  ['whose description has no end', Buffer.alloc(10_000, 'x')],
])('a file %s is an error', async (_, file) => {
  await expect(read(cut(file, []), 0)).rejects.toThrow(/file of attachments/);
});
