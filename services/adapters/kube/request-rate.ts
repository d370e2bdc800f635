/**
 * Limits the rate of requests: so many per second on average, with bursts, in the order of the
 * calls.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** @returns a function that resolves when the next request may be sent */
export function createRequestSlots({
  perSecond,
  burst,
}: {
  perSecond: number;
  burst: number;
}): () => Promise<void> {
  const intervalMs = 1_000 / perSecond;
  let nextFreeMs = -Infinity; // when the slot after all reserved ones is due, at an even rate
  return async function requestSlot() {
    const nowMs = performance.now();
    nextFreeMs = Math.max(nextFreeMs, nowMs - (burst - 1) * intervalMs) + intervalMs;
    const waitMs = nextFreeMs - intervalMs - nowMs;
    if (waitMs > 0) await sleep(waitMs);
  };
}
