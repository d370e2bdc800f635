/**
 * The slots of emails that are being submitted. When none is free, the slowest upload ends, so that
 * clients that stall keep nobody out.
 */
import type { IncomingMessage } from 'node:http';

import { AppError } from '../../core/error/app-error.ts';
import { type Connection, createSlots, INTAKES, type Slot } from '../http/limits/slots.ts';

/** Disposing frees its slot. */
export type Upload = Disposable & {
  /** @throws AppError `request_timeout` when another upload needs the slot */
  content: AsyncIterable<Buffer>;
};

export type Uploads = {
  /** @throws AppError `unavailable` without a free slot */
  begin(holder: string, connection: Pick<Connection, 'onClose'>, request: IncomingMessage): Upload;
};

/** Nobody is slow before that. */
const SLOW_AFTER_MS = 2_000;
/** A modem of 1995. */
const SLOW_BYTES_PER_SECOND = 3_600;

type InProgress = { holder: string; bytesPerSecond: () => number; end: () => void };

export function createUploads(clock: () => number = () => performance.now()): Uploads {
  const slots = createSlots(INTAKES);
  const inProgress = new Set<InProgress>();

  /** @returns whether there was one */
  const endSlowest = (holder?: string): boolean => {
    const slow = Array.from(inProgress, (upload) => ({ upload, rate: upload.bytesPerSecond() }))
      .filter(({ upload }) => holder === undefined || upload.holder === holder)
      .filter(({ rate }) => rate < SLOW_BYTES_PER_SECOND)
      .toSorted((one, other) => one.rate - other.rate);
    slow[0]?.upload.end();
    return slow.length > 0;
  };
  const takeSlot = (holder: string, connection: Pick<Connection, 'onClose'>): Slot => {
    try {
      return slots.take(holder, connection);
    } catch (full) {
      // its own first: another account's slot is of no use above the account's own limit
      if (!endSlowest(holder) && !endSlowest()) throw full;
      return slots.take(holder, connection);
    }
  };

  return {
    begin: function beginUpload(holder, connection, request) {
      const slot = takeSlot(holder, connection);
      const { promise: ended, reject } = Promise.withResolvers<never>();
      ended.catch(() => undefined); // it may end before anybody reads
      const reading = readTimed(request, ended, clock);
      const upload: InProgress = {
        holder,
        bytesPerSecond: reading.bytesPerSecond,
        end: () => {
          release();
          reject(new AppError('request_timeout', 'The email is too slow, and others wait'));
        },
      };
      const release = () => {
        inProgress.delete(upload);
        slot[Symbol.dispose]();
      };
      inProgress.add(upload);
      connection.onClose(release);
      return { content: reading.content, [Symbol.dispose]: release };
    },
  };
}

/** Only the time counts in which the server waits for the client, not that of a busy gateway. */
function readTimed(request: IncomingMessage, ended: Promise<never>, clock: () => number) {
  let [bytes, waitedMs] = [0, 0];
  let waitingSince: number | undefined;

  async function* content(): AsyncGenerator<Buffer> {
    // a request that is destroyed could not get its response
    const chunks = request.iterator({ destroyOnReturn: false });
    for (;;) {
      waitingSince = clock();
      const next = (await Promise.race([chunks.next(), ended])) as IteratorResult<Buffer>;
      waitedMs += clock() - waitingSince;
      waitingSince = undefined;
      if (next.done) return;
      bytes += next.value.byteLength;
      yield next.value;
    }
  }
  const bytesPerSecond = (): number => {
    const ms = waitedMs + (waitingSince === undefined ? 0 : clock() - waitingSince);
    return ms < SLOW_AFTER_MS || waitingSince === undefined ? Infinity : (bytes * 1000) / ms;
  };
  return { content: content(), bytesPerSecond };
}
