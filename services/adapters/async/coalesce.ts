/**
 * Callers that ask for the same key at the same time share one read. A caller that arrives while a
 * read is in flight shares the next one, so no result is older than its request.
 */

type CoalescedRead<T> = (key: string, read: () => Promise<T>) => Promise<T>;

export function createCoalescedRead<T>(): CoalescedRead<T> {
  const running = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();

  const start = (key: string, read: () => Promise<T>): Promise<T> => {
    const started = read().finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };

  return function coalescedRead(key, read) {
    const awaited = next.get(key);
    if (awaited) return awaited;
    const before = running.get(key);
    if (!before) return start(key, read);
    const startNext = () => {
      next.delete(key);
      return start(key, read);
    };
    const after = before.then(startNext, startNext);
    next.set(key, after);
    return after;
  };
}
