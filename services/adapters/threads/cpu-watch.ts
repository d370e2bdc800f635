/**
 * Ends a worker thread that one step holds for longer than its job may. CPU time counts, because a
 * busy machine may stop a thread for as long as it likes. Only the main thread can measure that: a
 * thread that never returns reports nothing.
 */
import type { RunningWorker } from './worker.ts';

const CHECK_MS = 50;

/**
 * @param limitMs of a job, by its id; without one, of whatever holds the thread
 */
export function watchCpu(
  worker: RunningWorker,
  limitMs: (id: number | undefined) => number,
): Disposable {
  let since: { sequence: number; cpuMs: number | undefined } = { sequence: -1, cpuMs: undefined };
  let isMeasuring = false;

  const check = async () => {
    const { sequence, job } = worker.activity();
    if (sequence !== since.sequence) {
      since = { sequence, cpuMs: undefined };
      return;
    }
    const cpuMs = await worker.cpuMs();
    if (cpuMs === undefined || worker.activity().sequence !== sequence) return;
    since.cpuMs ??= cpuMs;
    const usedMs = cpuMs - since.cpuMs + (job?.cpuMs ?? 0);
    if (usedMs > limitMs(job?.id)) worker.end('timeout', job);
  };
  const timer = setInterval(() => {
    if (isMeasuring) return;
    isMeasuring = true;
    void check().finally(() => (isMeasuring = false));
  }, CHECK_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
