/** Assembles what consumers of pull receivers ask. */
import type { Stores } from '../../adapters/mongo/stores.ts';
import type { ReplayStore } from '../../adapters/stream/replay.ts';
import { AppError, RETRY_AFTER_SECONDS } from '../../core/app-error.ts';
import { createRecordLeases } from '../email/email-views.ts';
import type { OneReceivers } from '../receiver/one-receiver.ts';
import type { ApiConfig } from '../process/config.ts';
import { watchersPerAccount } from '../../platform/settings/stream.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createSlots, type Slots } from '../http/limits/slots.ts';
import type { RecheckReach } from '../http/reach.ts';
import type { ApiMetrics } from '../process/metrics.ts';
import { createLeases } from './leases.ts';
import { pullEndpoints } from './pull-endpoints.ts';

type PullDependencies = {
  stores: Pick<Stores, 'accounts' | 'deliveries' | 'events' | 'target'>;
  store: Pick<ReplayStore, 'payload'>;
  one: OneReceivers;
  downloads: Slots;
  recheck: RecheckReach;
  metrics: Pick<ApiMetrics, 'leases'>;
  clock: () => Date;
};

export function assemblePull(
  config: Pick<ApiConfig, 'RETRY_SCHEDULE' | 'REGION' | 'STREAM_WATCHERS'>,
  { stores, store, one, downloads, recheck, metrics, clock }: PullDependencies,
): Disposable & { endpoints: Endpoint[] } {
  const { deliveries, target } = stores;
  const perAccount = watchersPerAccount(config);
  const stop = new AbortController();
  const leases = createLeases({
    deliveries,
    target,
    scheduleMs: config.RETRY_SCHEDULE,
    region: config.REGION,
    clock,
    random: Math.random,
    counted: (result, count) => metrics.leases.inc({ result }, count),
  });
  const slots = createSlots({
    perProcess: { slots: config.STREAM_WATCHERS, bytes: 0 },
    perHolder: { slots: perAccount, bytes: 0 },
    refusal: () =>
      new AppError(
        'rate_limit_exceeded',
        `The account has ${perAccount} consumers that wait on this server. Close one, or wait`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      ),
  });
  return {
    endpoints: pullEndpoints({
      leases,
      one,
      recordLeases: createRecordLeases(stores),
      store,
      slots,
      downloads,
      recheck,
      stopped: stop.signal,
    }),
    [Symbol.dispose]: () => stop.abort(),
  };
}
