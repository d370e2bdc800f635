/** Writes one log line and one measurement per request. Never logs a token, a query or a body. */
import type { Middleware } from 'koa';

import type { Log } from '../../../adapters/process/log.ts';
import { HEALTH_ROUTES } from '../state/health.ts';
import { type ApiMetrics, methodLabel, UNROUTED } from '../../process/metrics.ts';
import type { ApiState } from '../state/state.ts';

export const logRequests = (metrics: ApiMetrics, log: Log): Middleware<ApiState> =>
  async function logRequest(ctx, next) {
    const startedAt = performance.now();
    await next();
    const durationMs = performance.now() - startedAt;
    const { requestId, traceId, route = UNROUTED, caller } = ctx.state;
    const method = methodLabel(ctx.method);
    metrics.requests.inc({ route, method, status: String(ctx.status) });
    if (!ctx.state.isSlow) metrics.latency.observe({ route, method }, durationMs / 1_000);
    const level = HEALTH_ROUTES.has(route) ? 'debug' : 'info'; // probes arrive every few seconds
    log[level]('api.requested', {
      request_id: requestId,
      trace_id: traceId,
      method,
      route,
      status: ctx.status,
      duration_ms: Math.round(durationMs),
      token_id: caller?.id,
      account_id: caller?.account_id,
    });
  };
