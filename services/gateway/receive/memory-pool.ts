/**
 * Memory for large emails, which threads share. It is used again for other emails, because garbage
 * collection frees it late: each thread that saw it would have to run one. Memory that was ever
 * written counts as a whole, so that emails and unused memory stay within one budget.
 */
import type { ByteBudget, Reservation } from './memory-budget.ts';

export type MemoryPool = { lease(): MemoryLease };

/** Memory for one email. Disposing returns it to the pool: nothing may read it afterwards. */
export type MemoryLease = Disposable & {
  /**
   * The same memory each time, with bytes of an earlier email in it.
   * @param reservation of the email, which then has all that was ever written of the memory
   */
  memory(reservation: Reservation): SharedArrayBuffer;
};

/** After so much time without large emails, garbage collection may free the memory. */
const IDLE_MS = 30_000;

/**
 * The pool runs the garbage collector when it has dropped this much memory. The collector does not see the size of
 * shared memory, so it would leave hundreds of megabytes in a process whose own heap has forty.
 */
const COLLECT_FROM_BYTES = 64 * 1024 * 1024;

/** More than our Received headers take. */
const HEADERS_MAX_BYTES = 1024 * 1024;

/**
 * @param maxMessageBytes size of the largest email, without the headers that the gateway adds
 * @param budget of emails. Unused memory takes what they leave
 * @param collectGarbage frees memory that nothing refers to
 */
export function createMemoryPool(
  maxMessageBytes: number,
  budget: ByteBudget,
  collectGarbage: () => void,
): MemoryPool {
  /** The largest first: no memory grows as long as one that has grown is unused. */
  let unused: SharedArrayBuffer[] = [];
  let unusedBytes = 0;
  let droppedBytes = 0;
  let idle: NodeJS.Timeout | undefined;

  const setUnused = (memories: SharedArrayBuffer[]): void => {
    unused = memories.toSorted((one, other) => other.byteLength - one.byteLength);
    unusedBytes = unused.reduce((sum, { byteLength }) => sum + byteLength, 0);
  };
  const dropWhatDoesNotFit = (): void => {
    const before = unusedBytes;
    while (unusedBytes > budget.left()) unusedBytes -= unused.pop()?.byteLength ?? unusedBytes;
    dropped(before - unusedBytes);
  };
  const dropped = (bytes: number): void => {
    droppedBytes += bytes;
    if (droppedBytes < COLLECT_FROM_BYTES) return;
    droppedBytes = 0;
    collectGarbage();
  };
  budget.onTake(dropWhatDoesNotFit);

  const take = (reservation: Reservation): SharedArrayBuffer => {
    const fitting = unused.find(({ byteLength }) => reservation.fits(byteLength));
    if (fitting === undefined)
      return new SharedArrayBuffer(0, { maxByteLength: maxMessageBytes + HEADERS_MAX_BYTES });
    setUnused(unused.filter((memory) => memory !== fitting));
    reservation.growTo(fitting.byteLength);
    return fitting;
  };

  const give = (memory: SharedArrayBuffer): void => {
    setUnused([...unused, memory]);
    clearTimeout(idle);
    idle = setTimeout(() => {
      const bytes = unusedBytes;
      setUnused([]);
      dropped(bytes);
    }, IDLE_MS).unref();
  };

  return {
    lease: () => {
      let taken: SharedArrayBuffer | undefined;
      return {
        memory: (reservation) => (taken ??= take(reservation)),
        [Symbol.dispose]: () => {
          if (taken !== undefined) give(taken);
          taken = undefined;
        },
      };
    },
  };
}
