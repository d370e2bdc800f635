/**
 * A worker thread that has started and waits to take the place of one that ended. It takes memory, so
 * it exists only for a while after a thread has ended: what ended one often ends the next, too.
 */
import type { RunningWorker } from './worker.ts';

export type Standby = AsyncDisposable & {
  /** The thread that waits, or a new one. */
  take: () => RunningWorker;
  /** A thread has ended: another one starts soon, after the one that is needed now. */
  prepare: () => void;
};

const START_AFTER_MS = 1_000;
const KEPT_MS = 600_000;

export function createStandby(
  start: () => RunningWorker,
  { startAfterMs = START_AFTER_MS, keptMs = KEPT_MS } = {},
): Standby {
  let waiting: RunningWorker | undefined;
  let timer: NodeJS.Timeout | undefined;

  const after = (ms: number, work: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(work, ms).unref();
  };
  const end = () => {
    waiting?.end('stopped');
    waiting = undefined;
  };
  const startNext = () => {
    if (waiting === undefined) {
      const started = start();
      waiting = started;
      const forget = () => {
        if (waiting === started) waiting = undefined;
      };
      void started.ended.then(forget);
    }
    after(keptMs, end);
  };
  return {
    take: () => {
      const taken = waiting ?? start();
      waiting = undefined;
      return taken;
    },
    prepare: () => after(startAfterMs, startNext),
    [Symbol.asyncDispose]: async () => {
      clearTimeout(timer);
      const last = waiting;
      end();
      await last?.ended;
    },
  };
}
