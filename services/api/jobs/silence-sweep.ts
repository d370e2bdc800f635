/**
 * Notices addresses whose expected email is absent, and those that get it again. Every API process runs
 * this job; each address is marked by one of them.
 */
import type { SilentAddresses } from '../../adapters/mongo/address/silent-addresses.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import { isSilent } from '../../core/address/expectation.ts';
import type { ApiMetrics } from '../process/metrics.ts';

type SilenceSweepDependencies = {
  silent: SilentAddresses;
  /** Without NATS, gateways accept no email, so its absence says nothing about senders. */
  isReceiving: () => boolean;
  metrics: Pick<ApiMetrics, 'silentAddresses'>;
  startSweep: StartSweep;
};

const ROUND_MS = 30_000;
/** A longer time between two rounds is an outage, of this process or of MongoDB. */
const OUTAGE_MS = 5 * 60_000;

export const startSilenceSweep = (
  { silent, isReceiving, metrics, startSweep }: SilenceSweepDependencies,
  log: Log,
): AsyncDisposable =>
  startSweep(
    'silent_addresses',
    ROUND_MS,
    createSilenceRound({ silent, isReceiving, metrics }, log),
  );

/** One round. The first one, and the first after an outage, begin a new time of steady work. */
export function createSilenceRound(
  { silent, isReceiving, metrics }: Omit<SilenceSweepDependencies, 'startSweep'>,
  log: Log,
) {
  let steadySince: Date | undefined;
  let lastRound: Date | undefined;

  return async function silenceRound(now: Date): Promise<void> {
    const isGap = lastRound === undefined || now.getTime() - lastRound.getTime() > OUTAGE_MS;
    if (!isReceiving()) steadySince = undefined;
    else if (isGap || steadySince === undefined) steadySince = now;
    for await (const address of silent.resumed(now))
      if (await silent.resume(address, now))
        log.info('address.resumed', { address_id: address.id, account_id: address.account_id });
    if (steadySince !== undefined)
      for await (const address of silent.overdue(now)) {
        if (!isSilent(address.expect, steadySince, now)) continue;
        if (await silent.notice(address, now))
          log.warn('address.silent', {
            address_id: address.id,
            account_id: address.account_id,
            silent_at: address.silent_at,
          });
      }
    metrics.silentAddresses.set(await silent.count(now));
    lastRound = now;
  };
}
