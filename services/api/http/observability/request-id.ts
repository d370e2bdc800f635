/**
 * Assigns each request an id, the client's own if it is safe, and returns it in the response (D5).
 */
import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';

import type { ApiState } from '../state/state.ts';

const SAFE = /^[\w.:+/=-]{1,128}$/; // ids are written to logs and headers

export const newRequestId = (): string => randomUUID();

export const identifyRequest: Middleware<ApiState> = async function identifyRequest(ctx, next) {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = SAFE.test(given) ? given : newRequestId();
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
};
