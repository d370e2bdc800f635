/** Waits in tests for a condition, not for a fixed time. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Only a test that fails waits so long. */
export const GIVE_UP_MS = 50_000;
const POLL_MS = 10;

/**
 * Resolves with the first truthy result of `check`. @throws an error that names `what`, after
 * `giveUpMs`
 */
export async function until<T>(
  what: string,
  check: () => T | Promise<T>,
  giveUpMs = GIVE_UP_MS,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + giveUpMs;
  for (;;) {
    const result = await check();
    if (result) return result;
    if (Date.now() > deadline)
      throw new Error(`waited ${giveUpMs / 1000} s for ${what}, without success`);
    await sleep(POLL_MS);
  }
}
