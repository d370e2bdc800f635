/** Work that a process does now and then, and when each last succeeded. Every process does it, so a round must be harmless when another has done it already. */
import { Gauge, type Registry } from 'prom-client';

import type { Log } from './log.ts';

/** The first round begins at once. A round that fails is logged; the next one tries again. Disposing waits for the round under way. */
export type StartSweep = (
  name: string,
  everyMs: number,
  round: (now: Date) => Promise<void>,
) => AsyncDisposable;

export function createSweeps(registry: Registry, clock: () => Date, log: Log): StartSweep {
  const lastSuccess = new Gauge({
    name: 'inlet_sweep_last_success_timestamp_seconds',
    help: 'when a round of regular work last succeeded in this process, in Unix time; 0 before the first: take the maximum over processes',
    labelNames: ['sweep'],
    registers: [registry],
  });

  return function startSweep(name, everyMs, round) {
    let underWay: Promise<void> | undefined;
    lastSuccess.set({ sweep: name }, 0);
    const sweep = () => {
      underWay ??= round(clock())
        .then(() => lastSuccess.set({ sweep: name }, clock().getTime() / 1_000))
        .catch((error: unknown) => log.warn('sweep.failed', { sweep: name, error }))
        .finally(() => {
          underWay = undefined;
        });
    };
    sweep();
    const timer = setInterval(sweep, everyMs);
    async function stopSweep(): Promise<void> {
      clearInterval(timer);
      await underWay;
    }
    return { [Symbol.asyncDispose]: stopSweep };
  };
}
