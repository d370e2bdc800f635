/**
 * The places of emails that are being submitted. When none is free, the slowest upload ends, so that
 * clients that stall keep nobody out.
 */
import type { IncomingMessage } from 'node:http';

import { AppError } from '../../core/app-error.ts';
import { type Connection, createPlaces, INTAKES, type Place } from '../http/limits/places.ts';

/** Disposing frees its place. */
export type Upload = Disposable & {
  /** @throws AppError `request_timeout` when another upload needs the place */
  content: AsyncIterable<Buffer>;
};

export type Uploads = {
  /** @throws AppError `unavailable` without a free place */
  begin(holder: string, connection: Pick<Connection, 'onClose'>, request: IncomingMessage): Upload;
};

/** Nobody is slow before that. */
const SLOW_AFTER_MS = 2_000;
/** A modem of 1995. */
const SLOW_BYTES_PER_SECOND = 3_600;

type InProgress = { holder: string; bytesPerSecond: () => number; end: () => void };

export function createUploads(clock: () => number = () => performance.now()): Uploads {
  const places = createPlaces(INTAKES);
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
  const takePlace = (holder: string, connection: Pick<Connection, 'onClose'>): Place => {
    try {
      return places.take(holder, connection);
    } catch (full) {
      // its own first: another account's place is of no use above the account's own limit
      if (!endSlowest(holder) && !endSlowest()) throw full;
      return places.take(holder, connection);
    }
  };

  return {
    begin: function beginUpload(holder, connection, request) {
      const place = takePlace(holder, connection);
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
        place[Symbol.dispose]();
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
