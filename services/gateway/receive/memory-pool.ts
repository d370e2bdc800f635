/**
 * Memory for large emails, which threads share. It is used again for other emails, because garbage
 * collection frees it late: each thread that saw it would have to run one.
 */

export type MemoryPool = { lease(): MemoryLease };

/** Memory for one email. Disposing returns it to the pool: nothing may read it afterwards. */
export type MemoryLease = Disposable & {
  /** The same memory each time, with bytes of an earlier email in it. */
  memory(): SharedArrayBuffer;
};

/** After so much time without large emails, garbage collection may free the memory. */
const IDLE_MS = 30_000;

/** More than our Received headers take. */
const HEADERS_MAX_BYTES = 1024 * 1024;

/**
 * @param maxMessageBytes size of the largest email, without the headers that the gateway adds
 * @param maxBytes limit of unused memory
 */
export function createMemoryPool(maxMessageBytes: number, maxBytes: number): MemoryPool {
  let unused: SharedArrayBuffer[] = [];
  let idle: NodeJS.Timeout | undefined;

  const take = (): SharedArrayBuffer =>
    unused.pop() ??
    new SharedArrayBuffer(0, { maxByteLength: maxMessageBytes + HEADERS_MAX_BYTES });

  const give = (memory: SharedArrayBuffer) => {
    const total = unused.reduce((sum, { byteLength }) => sum + byteLength, memory.byteLength);
    if (total <= maxBytes) unused.push(memory);
    clearTimeout(idle);
    idle = setTimeout(() => (unused = []), IDLE_MS).unref();
  };

  return {
    lease: () => {
      let taken: SharedArrayBuffer | undefined;
      return {
        memory: () => (taken ??= take()),
        [Symbol.dispose]: () => {
          if (taken !== undefined) give(taken);
          taken = undefined;
        },
      };
    },
  };
}
