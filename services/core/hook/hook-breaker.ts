/**
 * A hook that fails again and again is not asked for a while, so that email does not wait for it.
 * Pure.
 */
export type HookBreaker = {
  /** Since the last answer. */
  failures: number;
  /** Milliseconds since 1970; 0 when it is not paused. */
  pausedUntil: number;
};

/** After this many failures in a row. */
const FAILURES_MAX = 5;
const PAUSE_MIN_MS = 5_000;
const PAUSE_MAX_MS = 60_000;

export const NEW_BREAKER: HookBreaker = { failures: 0, pausedUntil: 0 };

export const isPaused = ({ pausedUntil }: HookBreaker, now: number): boolean => now < pausedUntil;

/** After a pause, the next failure doubles it, and the next answer ends it. */
export function afterCall(before: HookBreaker, hasFailed: boolean, now: number): HookBreaker {
  if (!hasFailed) return NEW_BREAKER;
  if (isPaused(before, now)) return before; // of a call that began earlier
  const failures = before.failures + 1;
  const pauses = failures - FAILURES_MAX;
  if (pauses < 0) return { failures, pausedUntil: 0 };
  return { failures, pausedUntil: now + Math.min(PAUSE_MIN_MS * 2 ** pauses, PAUSE_MAX_MS) };
}
