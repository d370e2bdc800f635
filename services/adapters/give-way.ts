/** The manners of large work: it goes in pieces, one at a time, each when the event loop has nothing else to do, or after a rest that is long for the work before. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when the next piece may be done; it should take a few milliseconds at most. */
export type GiveWay = () => Promise<void>;

const PAUSE_MS = 2;
/** A loop that is late by more has others to serve. */
const LATE_MS = 1;
/** Rests at most so many times as long as the piece before took: however busy the process, large work has a fifth of its time. */
const REST_SHARE = 4;

export function createGiveWay(): GiveWay {
  let before = Promise.resolve();
  let workedMs = 0;

  async function rest(): Promise<void> {
    const restUntil = performance.now() + REST_SHARE * workedMs;
    let isLate: boolean;
    do {
      const askedAt = performance.now();
      await sleep(PAUSE_MS);
      isLate = performance.now() - askedAt > PAUSE_MS + LATE_MS;
    } while (isLate && performance.now() < restUntil);
    const resumedAt = performance.now();
    setImmediate(() => {
      workedMs = performance.now() - resumedAt;
    });
  }

  return function giveWay() {
    before = before.then(rest);
    return before;
  };
}

/** Work of fewer bytes is small: it gives way to nobody. */
export const LARGE_FROM_BYTES = 1024 * 1024;

/** Slices one by one, those of large work as they may be worked on. */
export async function* unhurried(slices: Iterable<Uint8Array>, giveWay: GiveWay): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for (const slice of slices) {
    if (bytes >= LARGE_FROM_BYTES) await giveWay();
    bytes += slice.byteLength;
    yield slice;
  }
}
