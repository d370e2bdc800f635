/** Waiting in tests: for a fact, never for a time. */
import { setTimeout as sleep } from 'node:timers/promises';

const GIVE_UP_MS = 25_000;
const POLL_MS = 10;

/** Resolves with the first truthy answer of `check`; says what it waited for when that never comes. */
export async function until<T>(
  what: string,
  check: () => T | Promise<T>,
  giveUpMs = GIVE_UP_MS,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + giveUpMs;
  for (;;) {
    const answer = await check();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${giveUpMs / 1000} s in vain for ${what}`);
    await sleep(POLL_MS);
  }
}
