/** /healthz and /readyz for the kubelet and load balancers. They need no token. */
import type { Middleware } from 'koa';

import type { Mongo } from '../../adapters/mongo/connection.ts';
import { withDeadline } from '../../adapters/async/deadline.ts';
import type { Nats } from '../../adapters/stream/connection.ts';
import type { ApiState } from './state.ts';

export type Health = {
  /** Whether the API can serve requests now. */
  isReady: () => Promise<boolean>;
  /** Makes the process ready once its start is complete. Disposing makes it not ready again. */
  serve(): Disposable;
  middleware: Middleware<ApiState>;
};

/** Route labels of the probes. */
export const HEALTH_ROUTES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

const PING_TIMEOUT_MS = 2_500;

export function createHealth({
  mongo,
  nats,
}: {
  mongo: Pick<Mongo, 'ping'>;
  nats: Pick<Nats, 'isConnected'>;
}): Health {
  let isServing = false;

  const mongoResponds = () =>
    withDeadline(PING_TIMEOUT_MS, mongo.ping()).then(
      () => true,
      () => false,
    );

  const facts = async () => ({
    mongodb: await mongoResponds(),
    nats: nats.isConnected(),
    serving: isServing,
  });
  /**
   * NATS is not required: reads work without it, and a pod that is not ready would receive no
   * requests at all.
   */
  const servesRequests = ({ mongodb, serving }: Awaited<ReturnType<typeof facts>>) =>
    mongodb && serving;

  return {
    isReady: async () => servesRequests(await facts()),
    serve: () => {
      isServing = true;
      return {
        [Symbol.dispose]: () => {
          isServing = false;
        },
      };
    },
    middleware: async function respondToHealth(ctx, next) {
      if (!HEALTH_ROUTES.has(ctx.path) || !['GET', 'HEAD'].includes(ctx.method)) return next();
      ctx.state.route = ctx.path;
      if (ctx.path === '/healthz') {
        ctx.body = { status: 'ok' };
        return undefined;
      }
      const now = await facts();
      const { serving: _, ...needs } = now;
      const away = Object.entries(needs)
        .filter(([, isAvailable]) => !isAvailable)
        .map(([name]) => name);
      ctx.status = servesRequests(now) ? 200 : 503;
      ctx.body = { status: ctx.status === 200 ? 'ready' : 'not_ready', away };
      return undefined;
    },
  };
}
