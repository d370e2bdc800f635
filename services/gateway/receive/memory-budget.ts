/** Bounds on the bytes of emails in memory: a budget that refuses, and a queue that waits. */
import { currentHolders } from '../../adapters/threads/job.ts';
import { threadUse } from '../../adapters/threads/serve-jobs.ts';
import { threadsNowMs } from '../../adapters/async/turns.ts';
import { createFairLine } from '../../core/time/fair-order.ts';
import { outOfMemory, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';

/** Counts bytes that emails take in memory. */
export type ByteBudget = {
  /**
   * @throws SmtpRefusal `outOfMemory` when fewer are left: the sender tries again, and a wait could
   * last forever
   */
  take(bytes: number): void;
  give(bytes: number): void;
  left(): number;
  /** Calls back whenever bytes were taken. */
  onTake(listener: () => void): void;
};

export function createByteBudget(maxBytes: number): ByteBudget {
  const listeners: (() => void)[] = [];
  let taken = 0;
  return {
    take: (bytes) => {
      if (taken + bytes > maxBytes) throw new SmtpRefusal(outOfMemory);
      taken += bytes;
      for (const listener of listeners) listener();
    },
    give: (bytes) => {
      taken -= bytes;
    },
    left: () => maxBytes - taken,
    onTake: (listener) => void listeners.push(listener),
  };
}

/** The bytes of one email in a budget; disposing returns them. */
export type Reservation = Disposable & {
  /** Reserves so many bytes in all, if it has fewer. @throws SmtpRefusal when the budget is spent */
  growTo(bytes: number): void;
  fits(bytes: number): boolean;
  clear(): void;
};

export function createReservation(memory: ByteBudget): Reservation {
  let reserved = 0;
  const clear = () => {
    memory.give(reserved);
    reserved = 0;
  };
  return {
    growTo: (bytes) => {
      if (bytes <= reserved) return;
      memory.take(bytes - reserved);
      reserved = bytes;
    },
    fits: (bytes) => bytes - reserved <= memory.left(),
    clear,
    [Symbol.dispose]: clear,
  };
}

/**
 * Runs work, as much at the same time as fits. A larger piece runs alone. What waits is of the jobs of
 * a thread: next is that of the holders which used the least CPU time.
 * @param unwanted when it is aborted, the work leaves the queue unless it has begun
 * @throws the reason of that
 */
type ByteQueue = <T>(bytes: number, work: () => Promise<T>, unwanted?: AbortSignal) => Promise<T>;

export function createByteQueue(maxBytes: number): ByteQueue {
  const line = createFairLine<{ bytes: number; go: () => void }>(threadUse);
  const first = () => line.first(threadsNowMs());
  const fits = (bytes: number) => running === 0 || running + bytes <= maxBytes;
  let running = 0;

  const startNext = () => {
    for (let next = first(); next && fits(next.item.bytes); next = first()) {
      line.remove(next);
      running += next.item.bytes;
      next.item.go();
    }
  };

  const untilNext = (bytes: number, unwanted: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      if (unwanted?.aborted) return reject(unwanted.reason as Error);
      const leave = () => {
        line.remove(place);
        reject(unwanted?.reason as Error);
        startNext(); // what is behind a large piece may fit
      };
      const go = () => {
        unwanted?.removeEventListener('abort', leave);
        resolve();
      };
      const place = line.add(currentHolders(), { bytes, go });
      unwanted?.addEventListener('abort', leave);
    });

  return async (bytes, work, unwanted) => {
    if (first() === undefined && fits(bytes)) running += bytes;
    else await untilNext(bytes, unwanted);
    try {
      return await work();
    } finally {
      running -= bytes;
      startNext();
    }
  };
}
