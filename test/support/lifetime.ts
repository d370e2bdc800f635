/**
 * The life of a process under test, which ends after a number of its writes. The servers of the
 * test ask before they execute a call of the process. Its last write is executed, but the response
 * never arrives, and nothing that the process does later has an effect. Reads leave no trace, so a
 * process that ends after one has left what it had left before it.
 */
export type Lifetime = {
  /** What becomes of the next call. `last`: execute it, then call `end`. */
  next(isWrite: boolean): 'runs' | 'last' | 'never';
  end(): void;
  /** Resolves when the process has ended. */
  ended: Promise<void>;
  hasEnded(): boolean;
  /** Number of writes so far. */
  writes(): number;
};

export function createLifetime(endsAfterWrites = Infinity): Lifetime {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let writes = 0;
  let hasEnded = false;
  return {
    next: (isWrite) => {
      if (hasEnded || writes >= endsAfterWrites) return 'never';
      return isWrite && ++writes === endsAfterWrites ? 'last' : 'runs';
    },
    end: () => {
      hasEnded = true;
      resolve();
    },
    ended,
    hasEnded: () => hasEnded,
    writes: () => writes,
  };
}
