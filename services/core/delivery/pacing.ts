/**
 * When an address gets its next webhook (design §4). Each address has a virtual queue: a mail that must wait is given a turn, spaced by what
 * its receiver lately took (GCRA), and sleeps until then. A failing receiver gets fewer attempts at once (AIMD), and no set of slow receivers
 * gets all of a dispatcher.
 */

/** What is known of one address. Times in milliseconds since 1970. */
export type Pace = {
  /** Attempts under way. */
  running: number;
  /** Attempts that may be under way at once: halved by a failure, raised by one after as many successes as it counts. */
  limit: number;
  /** What an attempt took lately, on average. */
  latencyMs: number;
  /** Turn of the last mail in the virtual queue; in the past when nobody waits. */
  lastTurn: number;
  /** Attempts that failed since the last success. */
  failures: number;
};

/** What all addresses share: attempts of one dispatcher. */
export type Pool = {
  capacity: number;
  running: number;
  /** Those of addresses whose last attempt failed. */
  runningOfFailing: number;
  capacityBytes: number;
  /** Payloads of attempts under way. */
  runningBytes: number;
};

export type Caller = {
  /** It slept until its turn; the others queue behind. */
  hadTurn: boolean;
  payloadBytes: number;
  /** Mails of this address that wait in memory. */
  waiting: number;
  /** How long the oldest attempt under way has taken; 0 without one. */
  oldestMs: number;
};

export type Turn =
  | { kind: 'now' }
  /** Soon enough to wait in memory, up to {@link PATIENCE_MS}. */
  | { kind: 'wait' }
  /** Sleep in the retry lane until then. Not an attempt. */
  | { kind: 'later'; at: number };

export const PATIENCE_MS = 500;
const FIRST_GUESS_MS = 100;
const LATER_MIN_MS = 1_000;
/** However long the queue, a mail asks again after this: a receiver that recovers is not left alone for hours. */
export const LATER_MAX_MS = 600_000;
/** An address that has attempts under way may have this share of what is free, so the last places go to those that have none. */
const SHARE_OF_FREE = 1 / 8;
/** Failing addresses together may have this share of the pool. */
const SHARE_OF_FAILING = 1 / 4;
const SMOOTHING = 1 / 8;

export const newPace = (concurrency: number): Pace => ({
  running: 0,
  limit: concurrency,
  latencyMs: FIRST_GUESS_MS,
  lastTurn: 0,
  failures: 0,
});

/** Whether an attempt may start now, as far as limits go. */
export function mayRun(pace: Pace, pool: Pool, payloadBytes: number): boolean {
  if (pace.running >= Math.floor(pace.limit) || pool.running >= pool.capacity) return false;
  if (pool.runningBytes > 0 && pool.runningBytes + payloadBytes > pool.capacityBytes) return false;
  if (pace.running > 0 && pace.running >= (pool.capacity - pool.running) * SHARE_OF_FREE)
    return false;
  return (
    pace.failures === 0 || pool.runningOfFailing < Math.max(1, pool.capacity * SHARE_OF_FAILING)
  );
}

/** Time between two turns of an address. An attempt that hangs counts before it has ended. */
export const intervalMs = (pace: Pace, oldestMs: number): number =>
  Math.max(pace.latencyMs, oldestMs) / Math.max(1, Math.floor(pace.limit));

/** Who goes now, waits here or comes later. Changes nothing: a `later` is entered with {@link withTurn}. */
export function turnOf(pace: Pace, pool: Pool, caller: Caller, now: number): Turn {
  const isBehindOthers = !caller.hadTurn && pace.lastTurn > now + PATIENCE_MS;
  if (!isBehindOthers) {
    if (caller.waiting === 0 && mayRun(pace, pool, caller.payloadBytes)) return { kind: 'now' };
    if ((caller.waiting + 1) * intervalMs(pace, caller.oldestMs) <= PATIENCE_MS)
      return { kind: 'wait' };
  }
  return { kind: 'later', at: nextTurn(pace, caller.oldestMs, now) };
}

/** The turn behind everyone who has one. */
export function nextTurn(pace: Pace, oldestMs: number, now: number): number {
  const turn = Math.max(
    now + LATER_MIN_MS,
    Math.max(now, pace.lastTurn) + intervalMs(pace, oldestMs),
  );
  return Math.ceil(Math.min(turn, now + LATER_MAX_MS));
}

export const withTurn = (pace: Pace, at: number): Pace => ({
  ...pace,
  lastTurn: Math.max(pace.lastTurn, at),
});

/**
 * What an attempt taught: its time, and whether the receiver can take more at once.
 * @param concurrency the most attempts an address may have under way
 */
export function afterAttempt(
  pace: Pace,
  attempt: { durationMs: number; isFailure: boolean },
  concurrency: number,
  now: number,
): Pace {
  const smoothedMs = pace.latencyMs + (attempt.durationMs - pace.latencyMs) * SMOOTHING;
  const hasRecovered = pace.failures > 0 && !attempt.isFailure;
  const after = {
    ...pace,
    latencyMs: hasRecovered ? attempt.durationMs : smoothedMs, // what a receiver took while it failed says nothing about it now
    limit: attempt.isFailure
      ? Math.max(1, pace.limit / 2)
      : Math.min(concurrency, pace.limit + 1 / Math.max(1, pace.limit)),
    failures: attempt.isFailure ? pace.failures + 1 : 0,
  };
  return { ...after, lastTurn: hasRecovered ? now : shrunkTurn(pace, after, now) };
}

/**
 * As many mails wait as before, but closer together: a queue that a slow answer made long does not outlive the slowness.
 * Those that wait are not put further off when it grows.
 */
function shrunkTurn(before: Pace, after: Pace, now: number): number {
  if (before.lastTurn <= now) return before.lastTurn;
  const scale = Math.min(1, Math.max(1, intervalMs(after, 0)) / Math.max(1, intervalMs(before, 0)));
  return Math.ceil(now + (before.lastTurn - now) * scale);
}
