/**
 * Decides when an address gets its next webhook (docs/architecture.md). Each address has a virtual
 * queue (GCRA): an email that must wait gets a time, spaced by the recent latency of the receiver.
 * A failing receiver gets fewer parallel attempts (AIMD). Beyond its fair share, an account has
 * such a queue, too.
 */
import { fairShare, mayTake, type Shared } from './fair-share.ts';

/** The state of one address. Times in milliseconds since 1970. */
export type Pace = {
  /** Attempts in flight. */
  running: number;
  /** Most attempts in flight. A failure halves it; `limit` fast responses raise it by one. */
  limit: number;
  /** Moving average of what an attempt takes. */
  latencyMs: number;
  /** Time given to the last email in the virtual queue. In the past when the queue is empty. */
  queueEnd: number;
  /** When the virtual queue was last empty. Old after a queue that ended some seconds ago. */
  queueSince: number;
  /** Attempts that failed since the last success. */
  failures: number;
};

/** What all addresses share: the capacity of one dispatcher. */
export type Pool = {
  /** Attempts in flight. */
  attempts: Shared;
  /** Attempts of addresses whose last attempt failed. */
  failing: Shared;
  /** Payload bytes of the attempts in flight. */
  bytes: Shared;
};

/**
 * Slots of one partition. An email takes one while it waits in memory and while it is attempted.
 */
export type LaneSlots = Readonly<Record<'mail' | 'retry', Shared>>;

/** What the account of an email has in flight: attempts of failing addresses, and payload bytes. */
export type AccountHolds = { failing: number; bytes: number };

/** An email that could be attempted now. */
export type Candidate = {
  /** It has waited until its scheduled time, so it is ahead of the virtual queue. */
  wasScheduled: boolean;
  payloadBytes: number;
  account: AccountHolds;
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
/** Latency of an address or account that is not known yet. */
export const FIRST_GUESS_MS = 100;
/** Limit of a new address. Only fast responses raise it further. */
export const FIRST_LIMIT = 4;
export const FAST_MS = 1_000;
const LATER_MIN_MS = 1_000;
/** For an account at its share: slots are free again sooner than a receiver. */
export const ACCOUNT_LATER_MIN_MS = 200;
/** Longest wait before the next decision, so that a receiver that recovers gets mail soon. */
export const LATER_MAX_MS = 600_000;
/**
 * A queue without emails for this long has ended. Less would end it while its last emails return
 * from the RETRY lane.
 */
const QUEUE_ENDED_MS = 10_000;
/**
 * An address with attempts in flight may use this share of the free capacity; the rest is for
 * others.
 */
const SHARE_OF_FREE = 1 / 8;
/** Failing addresses together may use this share of the pool. */
const SHARE_OF_FAILING = 1 / 4;
/**
 * Payloads up to this share of all bytes need no fair share of bytes: they would wait for large
 * ones.
 */
const SHARE_OF_SMALL_PAYLOAD = 1 / 1000;
const SMOOTHING = 1 / 8;

/** @param bytes of payloads in flight */
export const newPool = (attempts: number, bytes: number): Pool => ({
  attempts: { capacity: attempts, used: 0 },
  failing: { capacity: Math.max(1, attempts * SHARE_OF_FAILING), used: 0 },
  bytes: { capacity: bytes, used: 0 },
});

export const newPace = (concurrency: number): Pace => ({
  running: 0,
  limit: Math.min(FIRST_LIMIT, concurrency),
  latencyMs: FIRST_GUESS_MS,
  queueEnd: 0,
  queueSince: 0,
  failures: 0,
});

/** Whether the limits allow an attempt now. */
export function mayRun(
  pace: Pace,
  { attempts, failing, bytes }: Pool,
  { account, payloadBytes }: Pick<Candidate, 'account' | 'payloadBytes'>,
): boolean {
  const free = attempts.capacity - attempts.used;
  if (pace.running >= Math.floor(pace.limit) || free <= 0) return false;
  if (pace.running > 0 && pace.running >= free * SHARE_OF_FREE) return false;
  const isSmall = payloadBytes <= bytes.capacity * SHARE_OF_SMALL_PAYLOAD;
  if (!mayTake(bytes, isSmall ? 0 : account.bytes, payloadBytes)) return false;
  return pace.failures === 0 || mayTake(failing, account.failing);
}

/** Time between two attempts of an address. An attempt that hangs counts before it ends. */
export const intervalMs = (pace: Pick<Pace, 'latencyMs' | 'limit'>, oldestMs: number): number =>
  Math.max(pace.latencyMs, oldestMs) / Math.max(1, Math.floor(pace.limit));

/**
 * Decides whether an email starts now, waits in memory or waits in the RETRY lane, as far as its
 * address and the pool are concerned. The caller records `later` with {@link withScheduled}.
 */
export function decideStart(
  pace: Pace,
  pool: Pool,
  candidate: Candidate,
  now: number,
): StartDecision {
  const isBehindOthers = !candidate.wasScheduled && pace.queueEnd > now + PATIENCE_MS;
  if (!isBehindOthers) {
    if (candidate.waiting === 0 && mayRun(pace, pool, candidate)) return { kind: 'now' };
    if ((candidate.waiting + 1) * intervalMs(pace, candidate.oldestMs) <= PATIENCE_MS)
      return { kind: 'wait' };
  }
  return { kind: 'later', at: scheduleTime(pace, candidate.oldestMs, now) };
}

/**
 * The time of an email whose account has its fair share of slots: the end of the account's virtual
 * queue for one partition of the RETRY lane.
 * @param account what it holds of that lane, the time given to the last email in its queue, what
 * its attempts take, and the age of its oldest attempt in flight
 */
export function accountScheduleTime(
  account: { held: number; queueEnd: number; latencyMs: number; oldestMs: number },
  retrySlots: Shared,
  now: number,
): number {
  const limit = fairShare(retrySlots, account.held);
  const interval = intervalMs({ ...account, limit }, account.oldestMs);
  return nextTime(account.queueEnd, interval, now, [ACCOUNT_LATER_MIN_MS, LATER_MAX_MS]);
}

/**
 * Whether an account gives its slots back so soon that others need not be protected from it. Its
 * first response shows it.
 * @param latencyMs what its attempts take
 * @param oldestMs the age of its oldest attempt in flight: a receiver that hangs is noticed by it
 */
export const attemptsEndSoon = (latencyMs: number, oldestMs: number): boolean =>
  latencyMs < FIRST_GUESS_MS && oldestMs < FAST_MS;

/**
 * The next free time at the end of the virtual queue. An email waits for the next decision at most
 * as long as there has been a queue: after a receiver was slow for seconds, no email is minutes late.
 */
export function scheduleTime(pace: Pace, oldestMs: number, now: number): number {
  const queuedMs = now - queueSinceOf(pace, now);
  const most = Math.min(Math.max(LATER_MIN_MS, queuedMs), LATER_MAX_MS);
  return nextTime(pace.queueEnd, intervalMs(pace, oldestMs), now, [LATER_MIN_MS, most]);
}

/** @param limits the shortest and the longest wait */
function nextTime(
  queueEnd: number,
  interval: number,
  now: number,
  [least, most]: readonly [number, number],
): number {
  const at = Math.max(now + least, Math.max(now, queueEnd) + interval);
  return Math.ceil(Math.min(at, now + most));
}

export const withScheduled = (pace: Pace, at: number, now: number): Pace => ({
  ...pace,
  queueEnd: Math.max(pace.queueEnd, at),
  queueSince: queueSinceOf(pace, now),
});

const queueSinceOf = ({ queueEnd, queueSince }: Pace, now: number): number =>
  now - queueEnd > QUEUE_ENDED_MS ? now : queueSince;

/** The moving average after another value. */
export const smoothed = (average: number, value: number): number =>
  average + (value - average) * SMOOTHING;

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
  const smoothedMs = smoothed(pace.latencyMs, attempt.durationMs);
  const hasRecovered = pace.failures > 0 && !attempt.isFailure;
  const highest =
    attempt.durationMs <= FAST_MS
      ? concurrency
      : Math.max(pace.limit, Math.min(FIRST_LIMIT, concurrency));
  const after = {
    ...pace,
    // The latency of failures says nothing about a receiver that works again.
    latencyMs: hasRecovered ? attempt.durationMs : smoothedMs,
    limit: attempt.isFailure
      ? Math.max(1, pace.limit / 2)
      : Math.min(highest, pace.limit + 1 / Math.max(1, pace.limit)),
    failures: attempt.isFailure ? pace.failures + 1 : 0,
  };
  return { ...after, queueEnd: hasRecovered ? now : shrunkQueueEnd(pace, after, now) };
}

/**
 * When the receiver gets faster, the virtual queue shrinks with the interval. When it gets slower,
 * the queue keeps its end: emails that have a time keep it.
 */
function shrunkQueueEnd(before: Pace, after: Pace, now: number): number {
  if (before.queueEnd <= now) return before.queueEnd;
  const scale = Math.min(1, Math.max(1, intervalMs(after, 0)) / Math.max(1, intervalMs(before, 0)));
  return Math.ceil(now + (before.queueEnd - now) * scale);
}
