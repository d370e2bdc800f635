/** What every answer tells browsers: keep nothing, guess nothing, frame nothing; over TLS also to stay there. No CORS header is ever sent: the API is not for pages of others. */
import type { Middleware } from 'koa';

import { cameOverTls } from './https.ts';
import type { ApiState } from './state.ts';

const ONE_YEAR_SECONDS = 31_536_000;

export const setSecurityHeaders = (trustedProxies: readonly string[]): Middleware<ApiState> =>
  async function setHeaders(ctx, next) {
    ctx.set('Cache-Control', 'no-store'); // answers hold secrets
    ctx.set('X-Content-Type-Options', 'nosniff');
    ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    ctx.set('Referrer-Policy', 'no-referrer');
    if (cameOverTls(ctx.req, trustedProxies))
      ctx.set('Strict-Transport-Security', `max-age=${ONE_YEAR_SECONDS}`); // RFC 6797 §7.2: never over plain HTTP
    await next();
  };
