/** Answers that are bytes instead of JSON, served so that no browser runs or keeps them. */
import type { ParameterizedContext } from 'koa';
import { z } from 'zod';

import type { ApiState } from './state.ts';

/** As the response of an endpoint: what it answers is sent as it is. */
export const ServedFile = z.object({
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  contentType: z.string(),
  /** Saved under this name; null for what is to be read at once. */
  filename: z.string().nullable(),
});
export type ServedFile = z.infer<typeof ServedFile>;

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/i; // RFC 6838 §4.2

export function serveFile(
  ctx: ParameterizedContext<ApiState>,
  { bytes, contentType, filename }: ServedFile,
): void {
  if (filename !== null) ctx.attachment(filename); // before the type, which it guesses
  ctx.set('Content-Type', MEDIA_TYPE.test(contentType) ? contentType : 'application/octet-stream');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Content-Security-Policy', "default-src 'none'; sandbox");
  ctx.body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
