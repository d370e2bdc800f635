/**
 * Decides when an address gets its next webhook (docs/architecture.md). Each address has a virtual queue
 * (GCRA): an email that must wait gets a time, spaced by the recent latency of the receiver. A failing
 * receiver gets fewer parallel attempts (AIMD). Slow receivers together never occupy a whole dispatcher.
 */

/** The state of one address. Times in milliseconds since 1970. */
export type Pace = {
  /** Attempts in flight. */
  running: number;
  /** Most attempts in flight. A failure halves it; `limit` successes raise it by one. */
  limit: number;
  /** Moving average of what an attempt takes. */
  latencyMs: number;
  /** Time given to the last email in the virtual queue. In the past when the queue is empty. */
  queueEnd: number;
  /** Attempts that failed since the last success. */
  failures: number;
};

/** What all addresses share: the capacity of one dispatcher. */
export type Pool = {
  capacity: number;
  running: number;
  /** Attempts of addresses whose last attempt failed. */
  runningOfFailing: number;
  capacityBytes: number;
  /** Payload bytes of the attempts in flight. */
  runningBytes: number;
};

/** An email that could be attempted now. */
export type Candidate = {
  /** It has waited until its scheduled time, so it is ahead of the virtual queue. */
  wasScheduled: boolean;
  payloadBytes: number;
  /** Emails of this address that wait in memory. */
  waiting: number;
  /** Age of the oldest attempt in flight; 0 without one. */
  oldestMs: number;
};

export type StartDecision =
  | { kind: 'now' }
  /** Wait in memory: at most {@link PATIENCE_MS}. */
  | { kind: 'wait' }
  /** Wait in the RETRY lane until `at`. This does not count as an attempt. */
  | { kind: 'later'; at: number };

export const PATIENCE_MS = 500;
const FIRST_GUESS_MS = 100;
const LATER_MIN_MS = 1_000;
/** Longest wait before the next decision, so that a receiver that recovers gets mail soon. */
export const LATER_MAX_MS = 600_000;
/** An address with attempts in flight may use this share of the free capacity; the rest is for others. */
const SHARE_OF_FREE = 1 / 8;
/** Failing addresses together may use this share of the pool. */
const SHARE_OF_FAILING = 1 / 4;
const SMOOTHING = 1 / 8;

export const newPace = (concurrency: number): Pace => ({
  running: 0,
  limit: concurrency,
  latencyMs: FIRST_GUESS_MS,
  queueEnd: 0,
  failures: 0,
});

/** Whether the limits allow an attempt now. */
export function mayRun(pace: Pace, pool: Pool, payloadBytes: number): boolean {
  if (pace.running >= Math.floor(pace.limit) || pool.running >= pool.capacity) return false;
  if (pool.runningBytes > 0 && pool.runningBytes + payloadBytes > pool.capacityBytes) return false;
  if (pace.running > 0 && pace.running >= (pool.capacity - pool.running) * SHARE_OF_FREE)
    return false;
  return (
    pace.failures === 0 || pool.runningOfFailing < Math.max(1, pool.capacity * SHARE_OF_FAILING)
  );
}

/** Time between two attempts of an address. An attempt that hangs counts before it ends. */
export const intervalMs = (pace: Pace, oldestMs: number): number =>
  Math.max(pace.latencyMs, oldestMs) / Math.max(1, Math.floor(pace.limit));

/**
 * Decides whether an email starts now, waits in memory or waits in the RETRY lane. The caller records
 * `later` with {@link withScheduled}.
 */
export function decideStart(
  pace: Pace,
  pool: Pool,
  candidate: Candidate,
  now: number,
): StartDecision {
  const isBehindOthers = !candidate.wasScheduled && pace.queueEnd > now + PATIENCE_MS;
  if (!isBehindOthers) {
    if (candidate.waiting === 0 && mayRun(pace, pool, candidate.payloadBytes))
      return { kind: 'now' };
    if ((candidate.waiting + 1) * intervalMs(pace, candidate.oldestMs) <= PATIENCE_MS)
      return { kind: 'wait' };
  }
  return { kind: 'later', at: scheduleTime(pace, candidate.oldestMs, now) };
}

/** The next free time at the end of the virtual queue. */
export function scheduleTime(pace: Pace, oldestMs: number, now: number): number {
  const at = Math.max(
    now + LATER_MIN_MS,
    Math.max(now, pace.queueEnd) + intervalMs(pace, oldestMs),
  );
  return Math.ceil(Math.min(at, now + LATER_MAX_MS));
}

export const withScheduled = (pace: Pace, at: number): Pace => ({
  ...pace,
  queueEnd: Math.max(pace.queueEnd, at),
});

/**
 * Updates latency and limit after an attempt.
 * @param concurrency the most attempts that an address may have in flight
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
    // The latency of failures says nothing about a receiver that works again.
    latencyMs: hasRecovered ? attempt.durationMs : smoothedMs,
    limit: attempt.isFailure
      ? Math.max(1, pace.limit / 2)
      : Math.min(concurrency, pace.limit + 1 / Math.max(1, pace.limit)),
    failures: attempt.isFailure ? pace.failures + 1 : 0,
  };
  return { ...after, queueEnd: hasRecovered ? now : shrunkQueueEnd(pace, after, now) };
}

/**
 * When the receiver gets faster, the virtual queue shrinks with the interval. When it gets slower, the
 * queue keeps its end: emails that have a time keep it.
 */
function shrunkQueueEnd(before: Pace, after: Pace, now: number): number {
  if (before.queueEnd <= now) return before.queueEnd;
  const scale = Math.min(1, Math.max(1, intervalMs(after, 0)) / Math.max(1, intervalMs(before, 0)));
  return Math.ceil(now + (before.queueEnd - now) * scale);
}
