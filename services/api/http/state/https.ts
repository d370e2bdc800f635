/**
 * Whether a request arrived over TLS, at the API itself or at a trusted proxy (spec 5.1.5, D26).
 */
import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';

import { AppError } from '../../../core/error/app-error.ts';
import { isInNetworks } from '../../../core/network/network.ts';
import type { ApiState } from './state.ts';

export const rejectPlainHttp = (trustedProxies: readonly string[]): Middleware<ApiState> =>
  async function rejectRequest(ctx, next) {
    if (!arrivedOverTls(ctx.req, trustedProxies))
      throw new AppError('https_required', 'The API requires HTTPS');
    await next();
  };

export function arrivedOverTls(
  request: IncomingMessage,
  trustedProxies: readonly string[],
): boolean {
  if ('encrypted' in request.socket) return true;
  const forwarded = request.headers['x-forwarded-proto'];
  const client = String(forwarded ?? '')
    .split(',')[0]
    ?.trim()
    // with several proxies, the first value is from the one that the client connected to
    .toLowerCase();
  return client === 'https' && isInNetworks(request.socket.remoteAddress ?? '', trustedProxies);
}
