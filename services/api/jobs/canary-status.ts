/**
 * When the last canary of the operator was delivered (`inlet canary`), from its record, so that an
 * alert can tell when none arrives.
 */
import type { NewestDelivered } from '../../adapters/mongo/delivery/newest-delivered.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import type { ApiMetrics } from '../process/metrics.ts';

type CanaryStatusDependencies = {
  newestDelivered: NewestDelivered;
  metrics: Pick<ApiMetrics, 'canary'>;
  startSweep: StartSweep;
};

type WatchedCanary = { address: string; maxAgeMs: number };

const EVERY_MS = 30_000;

export function startCanaryStatus(
  { newestDelivered, metrics, startSweep }: CanaryStatusDependencies,
  { address, maxAgeMs }: WatchedCanary,
  everyMs = EVERY_MS,
): AsyncDisposable {
  const { maxAge, lastSuccess, duration } = metrics.canary;
  maxAge.set(maxAgeMs / 1_000);
  return startSweep('canary_status', everyMs, async () => {
    const newest = await newestDelivered(address);
    if (newest === undefined) return lastSuccess.set(0);
    lastSuccess.set(newest.received_at.getTime() / 1_000);
    duration.set(Math.max(0, newest.delivered_at.getTime() - newest.received_at.getTime()) / 1_000);
  });
}
