/**
 * A queue of keys: each key waits only once and runs only once at a time. Keys that failed are
 * retried with a backoff.
 */
import { backoffMs } from '../../core/time/backoff.ts';

type WorkQueue = AsyncDisposable & {
  add(key: string): void;
  /** Adds the key after this time, unless it is added earlier. */
  addAfter(key: string, ms: number): void;
  /** Keys that wait or run; without those that wait for a retry. */
  size(): number;
  /** How long the oldest running work has taken so far; 0 when nothing runs. */
  longestMs(): number;
};

type Options = {
  concurrency: number;
  backoff: { firstMs: number; longestMs: number };
  /** Throws to be retried later. `failures`: consecutive failures before this run. */
  work: (key: string, failures: number) => Promise<void>;
};

export function startWorkQueue({ concurrency, backoff, work }: Options): WorkQueue {
  const waiting = new Set<string>();
  const running = new Map<string, { sinceMs: number; again: boolean }>();
  const failures = new Map<string, number>();
  const timers = new Map<string, NodeJS.Timeout>();
  let isStopped = false;
  let stopped: (() => void) | undefined;

  const next = () => {
    for (const key of waiting) {
      if (isStopped || running.size >= concurrency) return;
      waiting.delete(key);
      void run(key);
    }
  };

  const add = (key: string) => {
    if (isStopped) return;
    clearTimeout(timers.get(key));
    timers.delete(key);
    const current = running.get(key);
    if (current) current.again = true;
    else waiting.add(key);
    next();
  };

  const addAfter = (key: string, ms: number) => {
    clearTimeout(timers.get(key));
    if (!isStopped)
      timers.set(
        key,
        setTimeout(() => add(key), ms),
      );
  };

  async function run(key: string): Promise<void> {
    const current = { sinceMs: performance.now(), again: false };
    running.set(key, current);
    const hasFailed = await work(key, failures.get(key) ?? 0).then(
      () => false,
      () => true,
    );
    running.delete(key);
    if (hasFailed) {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      if (!current.again) addAfter(key, backoffMs(count, backoff, Math.random()));
    } else {
      failures.delete(key);
    }
    if (current.again) add(key);
    next();
    if (isStopped && running.size === 0) stopped?.();
  }

  return {
    add,
    addAfter,
    size: () => waiting.size + running.size,
    longestMs: () =>
      Math.max(0, ...[...running.values()].map(({ sinceMs }) => performance.now() - sinceMs)),
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      waiting.clear();
      for (const timer of timers.values()) clearTimeout(timer);
      if (running.size > 0) await new Promise<void>((resolve) => (stopped = resolve));
    },
  };
}
