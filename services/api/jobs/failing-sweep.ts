/**
 * Counts receivers that accept nothing, and marks those for which this has lasted too
 * long. Every API process runs this job; each receiver is marked by one of them.
 */
import type { FailingAddresses } from '../../adapters/mongo/addresses/failing-addresses.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import { failureVerdict } from '../../core/delivery/failing.ts';
import type { ApiMetrics } from '../metrics.ts';

type Parts = {
  failing: FailingAddresses;
  /** Notifies gateways that the address is disabled. */
  announce: (address: { id: string; address: string }) => void;
  metrics: Pick<ApiMetrics, 'failingAddresses'>;
  startSweep: StartSweep;
};

const COUNT_MS = 60_000;

const ROUND_MS = { shortest: 500, longest: 60_000 };

export function startFailingSweep(
  { failing, announce, metrics, startSweep }: Parts,
  failingAfterMs: number,
  log: Log,
): AsyncDisposable {
  const everyMs = Math.min(ROUND_MS.longest, Math.max(ROUND_MS.shortest, failingAfterMs / 10));
  const count = async (now: Date) => {
    const { noticed, unnoticed } = await failing.count(now);
    metrics.failingAddresses.set({ noticed: 'true' }, noticed);
    metrics.failingAddresses.set({ noticed: 'false' }, unnoticed);
  };
  const mark = async (now: Date) => {
    for await (const address of failing.since(new Date(now.getTime() - failingAfterMs))) {
      const verdict = failureVerdict(address, failingAfterMs);
      if (verdict === 'wait' || !(await failing.notice(address, verdict, now))) continue;
      if (verdict === 'disable') announce(address); // gateways drop the address and its receivers
      log.warn('address.failing', {
        addressId: address.id,
        receiverId: address.receiverId,
        accountId: address.account_id,
        failingSince: address.failing_since,
        isDisabled: verdict === 'disable',
      });
    }
  };
  const sweeps = new AsyncDisposableStack();
  sweeps.use(startSweep('failing_count', COUNT_MS, count));
  sweeps.use(startSweep('failing_addresses', everyMs, mark));
  return sweeps;
}
