/** Bounds on what mail may hold in memory at once: bytes as they arrive, and bytes that are being worked on. */
import { LARGE_FROM_BYTES } from '../../adapters/process/yield.ts';
import { outOfMemory, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';

/** Counts the bytes of mails that are being received. */
export type ByteBudget = {
  /** @throws SmtpRefusal `outOfMemory` when that is more than is left: the sender tries again, a wait could last for ever */
  take(bytes: number): void;
  give(bytes: number): void;
};

export function createByteBudget(maxBytes: number): ByteBudget {
  let taken = 0;
  return {
    take: (bytes) => {
      if (taken + bytes > maxBytes) throw new SmtpRefusal(outOfMemory);
      taken += bytes;
    },
    give: (bytes) => {
      taken -= bytes;
    },
  };
}

/** Runs work in the order asked for, as much at once as fits; a single larger piece runs alone. */
export type ByteQueue = <T>(bytes: number, work: () => Promise<T>) => Promise<T>;

export function createByteQueue(maxBytes: number): ByteQueue {
  const waiting: { bytes: number; go: () => void }[] = [];
  let running = 0;

  const admit = () => {
    for (
      let next = waiting[0];
      next && (running === 0 || running + next.bytes <= maxBytes);
      next = waiting[0]
    ) {
      waiting.shift();
      running += next.bytes;
      next.go();
    }
  };

  return async (bytes, work) => {
    await new Promise<void>((go) => {
      waiting.push({ bytes, go });
      admit();
    });
    try {
      return await work();
    } finally {
      running -= bytes;
      admit();
    }
  };
}

const SMALL_SHARE = 1 / 4;

/**
 * Large mails wait for each other, and nobody else waits for them. Each queue lets pass at once what belongs to the other: `large` goes around all that is
 * done for a mail, since each copy counts; `small` around its reading and storing alone, so that one that waits for the DNS keeps no other waiting.
 */
export function createSizeLanes(maxBytes: number): { large: ByteQueue; small: ByteQueue } {
  const [large, small] = [createByteQueue(maxBytes), createByteQueue(maxBytes * SMALL_SHARE)];
  return {
    large: (bytes, work) => (bytes > LARGE_FROM_BYTES ? large(bytes, work) : work()),
    small: (bytes, work) => (bytes > LARGE_FROM_BYTES ? work() : small(bytes, work)),
  };
}
