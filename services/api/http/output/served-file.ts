/** Responses that are bytes instead of JSON, sent so that no browser runs or caches them. */
import { Readable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import { z } from 'zod';

import { storableText } from '../../../core/text/text.ts';
import type { ApiState } from '../state/state.ts';

/** The response schema of such an endpoint: its bytes are sent unchanged. */
export const ServedFile = z.object({
  /** Bytes, or a stream that the client's pace pulls. */
  content: z.custom<Uint8Array | AsyncIterable<Uint8Array>>(
    (value) => value instanceof Uint8Array || typeof value === 'object',
  ),
  /** Length of the content in bytes. */
  size: z.int(),
  contentType: z.string(),
  /** Name for saving; null to show the content inline. */
  filename: z.string().nullable(),
  /** Content-Security-Policy, for a page that is shown; by default nothing runs or loads. */
  policy: z.string().optional(),
});
export type ServedFile = z.infer<typeof ServedFile>;

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/i; // RFC 6838 §4.2

const FILE_POLICY = "default-src 'none'; sandbox";

/** Bytes per write to the socket. */
const SLICE_BYTES = 64 * 1024;

function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += SLICE_BYTES)
    yield bytes.subarray(at, at + SLICE_BYTES);
}

export function serveFile(
  ctx: ParameterizedContext<ApiState>,
  { content, size, contentType, filename, policy = FILE_POLICY }: ServedFile,
): void {
  if (filename !== null) ctx.attachment(storableText(filename)); // sets a guessed type, so the type follows
  ctx.set('Content-Type', MEDIA_TYPE.test(contentType) ? contentType : 'application/octet-stream');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Content-Security-Policy', policy);
  ctx.set('X-DNS-Prefetch-Control', 'off'); // names in a page are not looked up either
  const stream = Readable.from(content instanceof Uint8Array ? slicesOf(content) : content, {
    objectMode: false,
    highWaterMark: SLICE_BYTES,
  });
  // the status is sent: only a broken connection shows it
  stream.once('error', () => ctx.res.destroy());
  ctx.body = stream;
  ctx.length = size;
}
