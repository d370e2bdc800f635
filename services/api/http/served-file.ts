/** Responses that are bytes instead of JSON, sent so that no browser runs or caches them. */
import type { ParameterizedContext } from 'koa';
import { z } from 'zod';

import type { ApiState } from './state.ts';

/** The response schema of such an endpoint: its bytes are sent unchanged. */
export const ServedFile = z.object({
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  contentType: z.string(),
  /** Name for saving; null to show the content inline. */
  filename: z.string().nullable(),
});
export type ServedFile = z.infer<typeof ServedFile>;

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/i; // RFC 6838 §4.2

export function serveFile(
  ctx: ParameterizedContext<ApiState>,
  { bytes, contentType, filename }: ServedFile,
): void {
  if (filename !== null) ctx.attachment(filename); // sets a guessed type, so the type follows
  ctx.set('Content-Type', MEDIA_TYPE.test(contentType) ? contentType : 'application/octet-stream');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Content-Security-Policy', "default-src 'none'; sandbox");
  ctx.body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
