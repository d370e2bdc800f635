/** The manners of large work: it goes in pieces, one at a time, and its thread rests for most of the time meanwhile, so that others come first. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves when the next piece may be done; it should take a few milliseconds at most.
 * @param since when the work began (`performance.now`): the oldest goes first, so that it ends while others are still under way
 */
export type GiveWay = (since?: number) => Promise<void>;

const PAUSE_MS = 2;
/** Of its time since the last piece the thread may have worked so much, for whomever, when the next one begins. */
const BUSY_SHARE_MAX = 1 / 5;
/** However busy the thread, large work ends too. */
const REST_MAX_MS = 40;
/** Whoever has waited for so long is next, or its client would be given up for silent. */
const PATIENCE_MS = 10_000;

type Waiter = { since: number; askedAt: number; go: () => void };

export function createGiveWay(): GiveWay {
  const waiting: Waiter[] = []; // the longest first
  let isServing = false;
  let before = usage();

  const rest = async (): Promise<void> => {
    const from = performance.now();
    do {
      await sleep(PAUSE_MS);
    } while (busyShare(before) > BUSY_SHARE_MAX && performance.now() - from < REST_MAX_MS);
    before = usage();
  };

  const serve = async (): Promise<void> => {
    isServing = true;
    while (waiting.length > 0) {
      await rest();
      const next = nextOf(waiting);
      waiting.splice(waiting.indexOf(next), 1);
      next.go();
    }
    isServing = false;
  };

  return function giveWay(since = 0) {
    return new Promise<void>((go) => {
      waiting.push({ since, askedAt: performance.now(), go });
      if (!isServing) void serve();
    });
  };
}

function nextOf(waiting: readonly Waiter[]): Waiter {
  const oldest = waiting.reduce((one, other) => (other.since < one.since ? other : one));
  const [longest = oldest] = waiting;
  return performance.now() - longest.askedAt > PATIENCE_MS ? longest : oldest;
}

const usage = () => ({ atMs: performance.now(), cpu: process.threadCpuUsage() });

function busyShare({ atMs, cpu }: ReturnType<typeof usage>): number {
  const { user, system } = process.threadCpuUsage(cpu);
  return (user + system) / 1000 / (performance.now() - atMs);
}

/** Work of fewer bytes is small: it gives way to nobody. */
export const LARGE_FROM_BYTES = 1024 * 1024;

/** Pieces one by one, those of large work as they may be worked on. */
export async function* unhurried<Piece>(
  pieces: Iterable<Piece> | AsyncIterable<Piece>,
  bytesOf: (piece: Piece) => number,
  giveWay: GiveWay,
): AsyncGenerator<Piece> {
  const since = performance.now();
  let bytes = 0;
  for await (const piece of pieces) {
    if (bytes >= LARGE_FROM_BYTES) await giveWay(since);
    bytes += bytesOf(piece);
    yield piece;
  }
}
