/**
 * A span for each request. A client with a valid credential that sends a `traceparent` header finds
 * it in its own trace. The header of a stranger decides neither the trace nor whether it is exported.
 * Names follow the semantic conventions for HTTP servers.
 */
import type { Middleware } from 'koa';

import { pooledRandom } from '../../../adapters/process/randomness.ts';
import type { Tracing } from '../../../adapters/tracing/span.ts';
import {
  idOf,
  readTraceparent,
  SPAN_ID_BYTES,
  TRACE_ID_BYTES,
} from '../../../core/id/trace-context.ts';
import { methodLabel } from '../../process/metrics.ts';
import { HEALTH_ROUTES } from '../state/health.ts';
import type { ApiState } from '../state/state.ts';

export function traceRequests(tracing: Pick<Tracing, 'isSampled' | 'add'>): Middleware<ApiState> {
  return async function traceRequest(ctx, next) {
    const startedAt = new Date();
    const startedMs = performance.now();
    await next();
    const { requestId, route, caller } = ctx.state;
    const parent = caller && readTraceparent(ctx.get('traceparent'));
    const traceId = parent?.traceId ?? idOf(pooledRandom(TRACE_ID_BYTES));
    ctx.state.traceId = traceId;
    const isProbe = route !== undefined && HEALTH_ROUTES.has(route); // every few seconds
    if (isProbe || !tracing.isSampled(traceId, parent)) return;
    const method = methodLabel(ctx.method);
    tracing.add({
      name: route === undefined ? method : `${method} ${route}`,
      kind: 'server',
      traceId,
      spanId: idOf(pooledRandom(SPAN_ID_BYTES)),
      parentSpanId: parent?.spanId,
      startedAt,
      durationMs: performance.now() - startedMs,
      attributes: {
        'http.request.method': method === 'other' ? '_OTHER' : method,
        'http.response.status_code': ctx.status,
        'url.scheme': ctx.protocol,
        'inlet.request_id': requestId,
        ...(route !== undefined && { 'http.route': route }),
        ...(caller && { 'inlet.account_id': caller.account_id }),
        ...(ctx.status >= 500 && { 'error.type': String(ctx.status) }),
      },
      isError: ctx.status >= 500,
    });
  };
}
