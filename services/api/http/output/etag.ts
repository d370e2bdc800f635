/**
 * Entity tags: a client that already has the response receives 304 without a body (RFC 9110 §8.8.3,
 * §13.1.2).
 */
import { createHash } from 'node:crypto';
import type { ParameterizedContext } from 'koa';

import type { ApiState } from '../state/state.ts';

export const etagOf = (body: string | Buffer): string =>
  `"${createHash('sha256').update(body).digest('base64url')}"`;

/** Sets the tag. True when the client sent the same one; the response then is 304. */
export function isNotModified(ctx: ParameterizedContext<ApiState>, etag: string): boolean {
  ctx.set('ETag', etag);
  const known = ctx
    .get('If-None-Match')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, '')); // §13.1.2: compared weakly
  if (!known.includes(etag) && !known.includes('*')) return false;
  ctx.status = 304;
  return true;
}
