/**
 * Work that a process repeats at intervals, with a metric for the last success. Every process does
 * it, so a round must be harmless when another process has just done the same.
 */
import { createInterruptionLog } from './interruption-log.ts';
import type { Log } from './log.ts';
import { ANY, type Meter } from './meter.ts';

/** Result of a round that found another process at work. It is not a success: the other process may still fail. */
export type Elsewhere = 'elsewhere';

/**
 * Starts the first round immediately. Failed rounds are logged, repeated ones once a minute.
 * Disposing waits for the current round.
 */
export type StartSweep = (
  name: string,
  everyMs: number,
  round: (now: Date, clock: () => Date) => Promise<void | Elsewhere>,
) => AsyncDisposable;

export function createSweeps({ gauge }: Meter, clock: () => Date, log: Log): StartSweep {
  const lastSuccess = gauge(
    'inlet_sweep_last_success_timestamp_seconds',
    'when this sweep last succeeded in this process, in Unix time, 0 if never; take the maximum over processes',
    { sweep: ANY },
  );

  return function startSweep(name, everyMs, round) {
    let current: Promise<void> | undefined;
    const interruptions = createInterruptionLog(log);
    lastSuccess.set({ sweep: name }, 0);
    const run = async () => {
      if ((await round(clock(), clock)) !== 'elsewhere')
        lastSuccess.set({ sweep: name }, clock().getTime() / 1_000);
    };
    const sweep = () => {
      current ??= run()
        .catch(
          (error: unknown) =>
            void interruptions.report('warn', 'sweep.failed', { sweep: name, error }),
        )
        .finally(() => {
          current = undefined;
        });
    };
    sweep();
    const timer = setInterval(sweep, everyMs);
    async function stopSweep(): Promise<void> {
      clearInterval(timer);
      await current;
      interruptions[Symbol.dispose]();
    }
    return { [Symbol.asyncDispose]: stopSweep };
  };
}
