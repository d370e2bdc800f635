/** Waits in tests for a condition, not for a fixed time. */
import { setTimeout as sleep } from 'node:timers/promises';

import { atMost } from './slowdown.ts';

/** Only a test that fails waits so long, and longer on a slow or busy machine. */
export const GIVE_UP_MS = 50_000;
/** On any machine, unless the caller waits longer: one slow second makes the factor large. */
export const GIVE_UP_MOST_MS = 180_000;
/** Later, `check` is asked less often: many of them connect to a server. */
const POLL_MS = { first: 10, most: 50 };
/** Of the time that it has waited. */
const POLL_SHARE = 1 / 20;

/**
 * Resolves with the first truthy result of `check`. @throws an error that names `what`, after
 * `giveUpMs` of a fast machine
 */
export async function until<T>(
  what: string,
  check: () => T | Promise<T>,
  giveUpMs = GIVE_UP_MS,
): Promise<NonNullable<T>> {
  const startedMs = Date.now();
  for (;;) {
    const result = await check();
    if (result) return result;
    const waitedMs = Date.now() - startedMs;
    const mostMs = Math.max(giveUpMs, GIVE_UP_MOST_MS);
    if (waitedMs > giveUpMs && waitedMs > Math.min(mostMs, atMost(giveUpMs, startedMs)))
      throw new Error(`waited ${Math.round(waitedMs / 1000)} s for ${what}, without success`);
    await sleep(Math.min(POLL_MS.most, Math.max(POLL_MS.first, waitedMs * POLL_SHARE)));
  }
}
