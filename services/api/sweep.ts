/** Work that an API process does now and then; every process does it, so each round must be harmless when another has done it already. */
import type { Log } from '../adapters/log.ts';

type Options = { name: string; everyMs: number; clock: () => Date };

/** The first round begins at once. A round that fails is logged; the next one tries again. */
export function startSweep({ name, everyMs, clock }: Options, round: (now: Date) => Promise<void>, log: Log): AsyncDisposable {
  let underWay: Promise<void> | undefined;
  const sweep = () => {
    underWay ??= round(clock())
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
}
