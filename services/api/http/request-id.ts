/** Every request has an id, the client's own where it is sane, and every response carries it (D5). */
import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';

import type { ApiState } from './state.ts';

const SANE = /^[\w.:+/=-]{1,128}$/; // goes into logs and headers

export const newRequestId = (): string => randomUUID();

export const identifyRequest: Middleware<ApiState> = async function identifyRequest(ctx, next) {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = SANE.test(given) ? given : newRequestId();
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
};
