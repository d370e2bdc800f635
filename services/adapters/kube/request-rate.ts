/** Turns for requests, so many a second on average and so many at once: in the order of asking. */
import { setTimeout as sleep } from 'node:timers/promises';

export function createTurns({
  perSecond,
  burst,
}: {
  perSecond: number;
  burst: number;
}): () => Promise<void> {
  let freeAtMs = -Infinity; // when the turn after all given ones would be due, at an even pace
  return async function turn() {
    const nowMs = performance.now();
    freeAtMs = Math.max(freeAtMs, nowMs - (burst - 1) * (1_000 / perSecond)) + 1_000 / perSecond;
    const waitMs = freeAtMs - 1_000 / perSecond - nowMs;
    if (waitMs > 0) await sleep(waitMs);
  };
}
