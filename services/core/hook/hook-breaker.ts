/**
 * A hook that fails again and again is not asked for a while, so that email does not wait for it. One
 * sender alone cannot bring that about, with emails on which the hook fails (D174). Pure.
 */
export type HookBreaker = {
  /** Since the last answer. */
  failures: number;
  /** The first few networks whose emails failed since then. */
  sources: readonly string[];
  /** Milliseconds since 1970; 0 when it is not paused. */
  pausedUntil: number;
};

/** After this many failures in a row. */
const FAILURES_MAX = 5;
/** The breaker opens only if emails from this many networks failed. */
const SOURCES_MIN = 3;
const PAUSE_MIN_MS = 5_000;
const PAUSE_MAX_MS = 60_000;

export const NEW_BREAKER: HookBreaker = { failures: 0, sources: [], pausedUntil: 0 };

export const isPaused = ({ pausedUntil }: HookBreaker, now: number): boolean => now < pausedUntil;

/**
 * After a pause, the next failure doubles it, and the next answer ends it.
 * @param failedSource network of the sender of an email on which the hook failed; undefined after an
 * answer
 */
export function afterCall(
  before: HookBreaker,
  failedSource: string | undefined,
  now: number,
): HookBreaker {
  if (failedSource === undefined) return NEW_BREAKER;
  if (isPaused(before, now)) return before; // of a call that began earlier
  const sources = [...new Set([...before.sources, failedSource])].slice(0, SOURCES_MIN);
  // failures of one network count only up to the limit
  const failures =
    sources.length < SOURCES_MIN
      ? Math.min(before.failures + 1, FAILURES_MAX)
      : before.failures + 1;
  const pauses = failures - FAILURES_MAX;
  if (pauses < 0 || sources.length < SOURCES_MIN) return { failures, sources, pausedUntil: 0 };
  const pauseMs = Math.min(PAUSE_MIN_MS * 2 ** pauses, PAUSE_MAX_MS);
  return { failures, sources, pausedUntil: now + pauseMs };
}
