/** A worker thread that has started and waits to take the place of one that ended. */
import type { RunningWorker } from './worker.ts';

export type Standby = AsyncDisposable & {
  /** The thread that waits, or a new one. Another one starts a while later. */
  take(): RunningWorker;
};

/** What the process does now is needed sooner. */
const START_AFTER_MS = 5_000;

export function createStandby(start: () => RunningWorker): Standby {
  let waiting: RunningWorker | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const startNext = () => {
    if (waiting || isStopped) return;
    const started = start();
    waiting = started;
    void started.ended.then(() => {
      if (waiting === started) waiting = undefined; // take() starts another one when it is needed
    });
  };
  const startLater = () => {
    clearTimeout(timer);
    timer = setTimeout(startNext, START_AFTER_MS).unref();
  };
  return {
    take: () => {
      const taken = waiting ?? start();
      waiting = undefined;
      startLater();
      return taken;
    },
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      clearTimeout(timer);
      waiting?.end('stopped');
      await waiting?.ended;
    },
  };
}
