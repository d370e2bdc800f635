/**
 * Security headers of every response: no caching, no MIME sniffing, no framing, and HSTS over TLS.
 * CORS headers are never sent, because the API is not for web pages of other origins.
 */
import type { Middleware } from 'koa';

import { arrivedOverTls } from '../state/https.ts';
import type { ApiState } from '../state/state.ts';

const ONE_YEAR_SECONDS = 31_536_000;

export const setSecurityHeaders = (trustedProxies: readonly string[]): Middleware<ApiState> =>
  async function setHeaders(ctx, next) {
    ctx.set('Cache-Control', 'no-store'); // responses can contain secrets
    ctx.set('X-Content-Type-Options', 'nosniff');
    ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    ctx.set('Referrer-Policy', 'no-referrer');
    if (arrivedOverTls(ctx.req, trustedProxies))
      // RFC 6797 §7.2: never over plain HTTP
      ctx.set('Strict-Transport-Security', `max-age=${ONE_YEAR_SECONDS}`);
    await next();
  };
