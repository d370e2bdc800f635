/** /healthz and /readyz for the kubelet and load balancers. They need no token. */
import type { Middleware } from 'koa';

import type { Mongo } from '../../../adapters/mongo/database/connection.ts';
import { withDeadline } from '../../../adapters/async/deadline.ts';
import type { Nats } from '../../../adapters/stream/connection/connection.ts';
import type { Readiness } from '../../../platform/servers/readiness.ts';
import type { Serving } from '../../../platform/servers/backends.ts';
import type { Clock } from '../../../platform/servers/clock.ts';
import type { ApiState } from './state.ts';

/** Route labels of the probes. */
export const HEALTH_ROUTES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

const PING_TIMEOUT_MS = 2_500;

export const mongoResponds = ({ mongo }: { mongo: Pick<Mongo, 'ping'> }): Promise<boolean> =>
  withDeadline(PING_TIMEOUT_MS, mongo.ping()).then(
    () => true,
    () => false,
  );

/**
 * NATS is not required: reads work without it, and a pod that is not ready would receive no requests
 * at all.
 */
export function respondToHealth({
  mongo,
  nats,
  serving,
  readiness,
  clock,
}: {
  mongo: Pick<Mongo, 'ping'>;
  nats: Pick<Nats, 'isConnected'>;
  serving: Pick<Serving, 'isServing'>;
  readiness: Pick<Readiness, 'canWork'>;
  clock: Pick<Clock, 'offsets'>;
}): Middleware<ApiState> {
  return async function respondToProbes(ctx, next) {
    if (!HEALTH_ROUTES.has(ctx.path) || !['GET', 'HEAD'].includes(ctx.method)) return next();
    ctx.state.route = ctx.path;
    if (ctx.path === '/healthz') {
      ctx.body = { status: 'ok' };
      return undefined;
    }
    const needs = { mongodb: await mongoResponds({ mongo }), nats: nats.isConnected() };
    const away = Object.entries(needs)
      .filter(([, isAvailable]) => !isAvailable)
      .map(([name]) => name);
    const isReady = needs.mongodb && serving.isServing() && readiness.canWork();
    ctx.status = isReady ? 200 : 503;
    ctx.body = {
      status: isReady ? 'ready' : 'not_ready',
      away,
      clock_ahead_seconds: clock.offsets(),
    };
    return undefined;
  };
}
