/** Whether a request came over TLS: to the API itself, or to a proxy that is trusted to say so (spec 5.1.5, D26). */
import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';

import { AppError } from '../../core/app-error.ts';
import { isInNetworks } from '../../core/network.ts';
import type { ApiState } from './state.ts';

export const rejectPlainHttp = (trustedProxies: readonly string[]): Middleware<ApiState> =>
  async function rejectRequest(ctx, next) {
    if (!cameOverTls(ctx.req, trustedProxies))
      throw new AppError('https_required', 'The API is to be called over HTTPS');
    await next();
  };

export function cameOverTls(request: IncomingMessage, trustedProxies: readonly string[]): boolean {
  if ('encrypted' in request.socket) return true;
  const forwarded = request.headers['x-forwarded-proto'];
  const client = String(forwarded ?? '')
    .split(',')[0]
    ?.trim()
    .toLowerCase(); // proxies in a row: the first faced the client
  return client === 'https' && isInNetworks(request.socket.remoteAddress ?? '', trustedProxies);
}
