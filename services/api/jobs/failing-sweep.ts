/**
 * Counts receivers that accept nothing, and marks those for which this has lasted too long, that respond
 * with 410, or that refuse credentials since these changed. Every API process runs this job; each
 * receiver is marked by one of them.
 */
import type {
  FailingAddress,
  FailingAddresses,
} from '../../adapters/mongo/address/failing-addresses.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import { failureVerdict, refusalReason, watchedSince } from '../../core/delivery/failing.ts';
import type { ApiMetrics } from '../process/metrics.ts';

type FailingSweepDependencies = {
  failing: FailingAddresses;
  /** Notifies gateways that the address is disabled. */
  announce: (address: { id: string; address: string }) => void;
  metrics: Pick<ApiMetrics, 'failingAddresses'>;
  startSweep: StartSweep;
};

const COUNT_MS = 60_000;

const ROUND_MS = { shortest: 500, longest: 60_000 };
/** A wrong secret is noticed while the person who rotated it is still there. */
const REFUSALS_MS = 5_000;

export function startFailingSweep(
  { failing, announce, metrics, startSweep }: FailingSweepDependencies,
  failingAfterMs: number,
  log: Log,
): AsyncDisposable {
  const everyMs = Math.min(ROUND_MS.longest, Math.max(ROUND_MS.shortest, failingAfterMs / 10));
  const count = async (now: Date) => {
    const { noticed, unnoticed } = await failing.count(now);
    metrics.failingAddresses.set({ noticed: 'true' }, noticed);
    metrics.failingAddresses.set({ noticed: 'false' }, unnoticed);
  };
  const notice = async (address: FailingAddress, verdict: 'notice' | 'disable', now: Date) => {
    if (!(await failing.notice(address, verdict, now))) return;
    if (verdict === 'disable') announce(address); // gateways drop the address and its receivers
    log.warn('address.failing', {
      address_id: address.id,
      receiver_id: address.receiverId,
      account_id: address.account_id,
      failing_since: address.failing_since,
      reason: address.failing_reason,
      is_disabled: verdict === 'disable',
    });
  };
  const mark = async (now: Date) => {
    for await (const address of failing.since(new Date(now.getTime() - failingAfterMs))) {
      const verdict = failureVerdict(address, failingAfterMs);
      if (verdict !== 'wait') await notice(address, verdict, now);
    }
  };
  const markRefusing = async (now: Date) => {
    for await (const address of failing.refusing(watchedSince(now))) {
      const failing_reason = refusalReason(address, now);
      if (failing_reason) await notice({ ...address, failing_reason }, 'notice', now);
    }
  };
  const sweeps = new AsyncDisposableStack();
  sweeps.use(startSweep('failing_count', COUNT_MS, count));
  sweeps.use(startSweep('failing_addresses', everyMs, mark));
  sweeps.use(startSweep('refused_credentials', REFUSALS_MS, markRefusing));
  return sweeps;
}
