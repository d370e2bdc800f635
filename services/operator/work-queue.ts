/** Keys to be worked on: each once, never two at a time for one key, a few at once in all, those that failed again later. */
import { backoffMs } from '../core/backoff.ts';

export type WorkQueue = AsyncDisposable & {
  add(key: string): void;
  /** Unless it is added before. */
  addAfter(key: string, ms: number): void;
  /** Keys that wait or are worked on; those that wait to be tried again do not count. */
  size(): number;
  /** How long the longest work under way has taken by now; 0 when there is none. */
  longestMs(): number;
};

type Options = {
  concurrency: number;
  backoff: { firstMs: number; longestMs: number };
  /** Throws to be asked again later; `failures` counts those before, in a row. */
  work: (key: string, failures: number) => Promise<void>;
};

export function startWorkQueue({ concurrency, backoff, work }: Options): WorkQueue {
  const waiting = new Set<string>();
  const underWay = new Map<string, { sinceMs: number; again: boolean }>();
  const failures = new Map<string, number>();
  const timers = new Map<string, NodeJS.Timeout>();
  let isStopped = false;
  let stopped: (() => void) | undefined;

  const next = () => {
    for (const key of waiting) {
      if (isStopped || underWay.size >= concurrency) return;
      waiting.delete(key);
      void take(key);
    }
  };

  const add = (key: string) => {
    if (isStopped) return;
    clearTimeout(timers.get(key));
    timers.delete(key);
    const current = underWay.get(key);
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

  async function take(key: string): Promise<void> {
    const current = { sinceMs: performance.now(), again: false };
    underWay.set(key, current);
    const hasFailed = await work(key, failures.get(key) ?? 0).then(
      () => false,
      () => true,
    );
    underWay.delete(key);
    if (hasFailed) {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      if (!current.again) addAfter(key, backoffMs(count, backoff, Math.random()));
    } else {
      failures.delete(key);
    }
    if (current.again) add(key);
    next();
    if (isStopped && underWay.size === 0) stopped?.();
  }

  return {
    add,
    addAfter,
    size: () => waiting.size + underWay.size,
    longestMs: () =>
      Math.max(0, ...[...underWay.values()].map(({ sinceMs }) => performance.now() - sinceMs)),
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      waiting.clear();
      for (const timer of timers.values()) clearTimeout(timer);
      if (underWay.size > 0) await new Promise<void>((resolve) => (stopped = resolve));
    },
  };
}
