/** The Koa application: what every request passes, in order, before its endpoint. */
import Koa, { type Middleware } from 'koa';

import { causeChain, type Log } from '../../adapters/process/log.ts';
import { AppError } from '../../core/app-error.ts';
import type { Endpoint } from './endpoint.ts';
import { answerErrors } from './errors.ts';
import type { Health } from './health.ts';
import { refusePlainHttp } from './https.ts';
import type { ApiMetrics } from '../metrics.ts';
import { recordRequests } from './request-log.ts';
import { identifyRequest } from './request-id.ts';
import { createRouter, type Door, refuseUnrouted } from './router.ts';
import { protectAnswers } from './security-headers.ts';
import type { ApiState } from './state.ts';

type Parts = {
  endpoints: readonly Endpoint[];
  door: Door;
  requireHttps: boolean;
  trustedProxies: readonly string[];
  health: Health;
  metrics: ApiMetrics;
  log: Log;
};

export function createApp({
  endpoints,
  door,
  requireHttps,
  trustedProxies,
  health,
  metrics,
  log,
}: Parts): Koa<ApiState> {
  const app = new Koa<ApiState>();
  app.on('error', (error: unknown) =>
    log.debug('api.connection_lost', { reason: causeChain(error) }),
  ); // all others are answered before
  app.use(identifyRequest);
  app.use(recordRequests(metrics, log));
  app.use(answerErrors(log));
  app.use(protectAnswers(trustedProxies));
  app.use(refuseHostless);
  app.use(health.middleware); // the kubelet speaks plain HTTP
  if (requireHttps) app.use(refusePlainHttp(trustedProxies));
  app.use(createRouter(endpoints, door).routes());
  app.use(refuseUnrouted);
  return app;
}

const refuseHostless: Middleware<ApiState> = async function refuseHostless(ctx, next) {
  if (ctx.req.httpVersion === '1.1' && ctx.req.headers.host === undefined)
    throw new AppError('bad_request', 'The Host header is missing'); // RFC 9112 §3.2
  await next();
};
