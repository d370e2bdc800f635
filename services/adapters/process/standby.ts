/** A worker thread that has started and waits to take the place of one that ended. */
import type { RunningWorker } from './worker.ts';

export type Standby = AsyncDisposable & {
  /** The thread that waits, or a new one. Another one starts afterwards. */
  take(): RunningWorker;
  /** Starts the first one. */
  prepare(): void;
};

/** The thread that was taken is needed sooner, so the next one starts after it. */
const START_AFTER_MS = 500;

export function createStandby(start: () => RunningWorker): Standby {
  let waiting: RunningWorker | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const prepare = () => {
    if (waiting || isStopped) return;
    const started = start();
    waiting = started;
    void started.ended.then(() => {
      if (waiting === started) waiting = undefined; // take() starts another one when it is needed
    });
  };
  return {
    prepare,
    take: () => {
      const taken = waiting ?? start();
      waiting = undefined;
      clearTimeout(timer);
      timer = setTimeout(prepare, START_AFTER_MS).unref();
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
