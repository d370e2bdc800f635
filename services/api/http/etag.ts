/** Entity tags: who has the answer already is told so instead of being sent it (RFC 9110 §8.8.3, §13.1.2). */
import { createHash } from 'node:crypto';
import type { ParameterizedContext } from 'koa';

import type { ApiState } from './state.ts';

export const etagOf = (text: string): string =>
  `"${createHash('sha256').update(text).digest('base64url')}"`;

/** Sets the tag; true when it is the client's, who then gets 304 without a body. */
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
