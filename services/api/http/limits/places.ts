/**
 * Who holds what of this process, and for how long: streams, waiting requests, searches and
 * downloads. A place and its bytes belong to one request. They are free when its response has ended
 * or its connection is gone, however the client leaves, so clients that do not read cannot exhaust
 * the memory.
 */
import { AppError, RETRY_AFTER_SECONDS, unavailable } from '../../../core/app-error.ts';

export type PlaceLimits = { places: number; bytes: number };

/** One client's connection: its source, and a callback for the end of the response. */
export type Connection = { source: string; onClose: (callback: () => void) => void };

export type Places = {
  /**
   * @param holder the account or the source that the place counts for
   * @param bytes that the process holds for it
   * @throws AppError `unavailable`, or the refusal of this kind of place, above a limit
   */
  take(holder: string, connection: Pick<Connection, 'onClose'>, bytes?: number): Place;
  taken(): number;
};

/** Disposing frees it before the response has ended. */
export type Place = Disposable & {
  /**
   * Sets how many bytes the process now holds for it.
   * @throws AppError as `take`, and `unavailable` when the client has disconnected
   */
  hold(bytes: number): void;
};

type Limits = {
  perProcess: PlaceLimits;
  perHolder: PlaceLimits;
  /** The error for a holder with too many. */
  refusal?: (holder: string) => Error;
};

const MiB = 1024 * 1024;

/**
 * Memory of a streamed download: a chunk from the bucket, a chunk in the socket's buffer, and their
 * copies.
 */
export const STREAM_BYTES = 2 * MiB;

/** Bounded so that an API with 512 MiB of memory keeps most of it for other requests. */
export const DOWNLOADS: Limits = {
  perProcess: { places: 48, bytes: 160 * MiB },
  perHolder: { places: 16, bytes: 96 * MiB },
};

/** MongoDB has 100 connections for this process: some remain for other requests. */
const SEARCHES_PER_ACCOUNT = 16;
export const SEARCHES: Limits = {
  perProcess: { places: 64, bytes: 0 },
  perHolder: { places: SEARCHES_PER_ACCOUNT, bytes: 0 },
  refusal: () =>
    new AppError(
      'rate_limit_exceeded',
      `The account has ${SEARCHES_PER_ACCOUNT} searches in progress on this server. Wait for one to end`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    ),
};

/** Anybody can ask for policies. Each is one read from an index. One source leaves places to others. */
export const POLICY_READS: Limits = {
  perProcess: { places: 32, bytes: 0 },
  perHolder: { places: 8, bytes: 0 },
};

/** A comparison of rules evaluates up to 40 expressions on each of a hundred emails. */
export const COMPARISONS: Limits = {
  perProcess: { places: 8, bytes: 0 },
  perHolder: { places: 1, bytes: 0 },
  refusal: () =>
    new AppError(
      'rate_limit_exceeded',
      'The account compares rules already on this server. Wait for the response',
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    ),
};

/** Email that is submitted. It is streamed to a gateway, which has a place for it, too. */
export const INTAKES: Limits = {
  perProcess: { places: 64, bytes: 0 },
  perHolder: { places: 16, bytes: 0 },
};

/** Bytes of the past that streams still have to send. Their places are settings. */
export const PAST_BYTES = { perProcess: 48 * MiB, perHolder: 12 * MiB };

export function createPlaces({ perProcess, perHolder, refusal }: Limits): Places {
  const total: PlaceLimits = { places: 0, bytes: 0 };
  const byHolder = new Map<string, PlaceLimits>();

  return {
    take: function takePlace(holder, { onClose }, bytes = 0) {
      const ofHolder = byHolder.get(holder) ?? { places: 0, bytes: 0 };
      const change = (places: number, added: number) => {
        if (places > 0 || added > 0) {
          if (isAbove(total, places, added, perProcess))
            throw unavailable(new Error('the process has too many such requests in flight'));
          if (isAbove(ofHolder, places, added, perHolder))
            throw (
              refusal?.(holder) ??
              unavailable(new Error(`${holder} has too many such requests in flight`))
            );
        }
        for (const usage of [total, ofHolder]) {
          usage.places += places;
          usage.bytes += added;
        }
      };
      change(1, bytes);
      byHolder.set(holder, ofHolder);
      let held = bytes;
      let isOver = false;
      const release = () => {
        if (isOver) return;
        isOver = true;
        change(-1, -held);
        if (ofHolder.places === 0) byHolder.delete(holder);
      };
      onClose(release);
      return {
        hold: (now) => {
          if (isOver && now > 0) throw unavailable(new Error('the client has disconnected'));
          if (isOver) return;
          change(0, now - held);
          held = now;
        },
        [Symbol.dispose]: release,
      };
    },
    taken: () => total.places,
  };
}

const isAbove = (usage: PlaceLimits, places: number, bytes: number, limits: PlaceLimits): boolean =>
  usage.places + places > limits.places || usage.bytes + bytes > limits.bytes;
