/**
 * Decides when an email may be attempted (docs/project/internals.md, Isolation). An address has a claim
 * on its receiver, and an account has one on each thing that accounts share. A claim limits what is
 * held. Its further emails get a time each: it has a virtual queue (GCRA), spaced by what its
 * attempts take.
 */

/** Something that accounts share: slots of a lane, attempts at failing receivers, payload bytes. */
export type SharedLimit = {
  capacity: number;
  /** What all accounts hold together. */
  used: number;
};

/** Times are milliseconds since 1970. */
export type Claim = {
  /** Attempts in flight of an address, or the part of something shared that an account holds. */
  held: number;
  /** Most that may be held. An address learns it (AIMD), the limit of an account is its fair share. */
  limit: number;
  /** Requests in flight, in the order in which they started. */
  requests: Set<{ startedAt: number }>;
  /** Moving average of what an attempt takes. */
  latencyMs: number;
  /** Attempts that failed since the last success. */
  failures: number;
  /** Attempts without any answer since the last answer, whatever that was. */
  silences: number;
  /** Time given to the last email in the virtual queue. In the past when the queue is empty. */
  queueEnd: number;
  /** When the virtual queue was last empty. Old after a queue that ended some seconds ago. */
  queueSince: number;
};

/** An email waits in memory at most this long. */
export const MEMORY_WAIT_MS = 500;
/** Limit of a new address. Only fast responses raise it further. */
const FIRST_LIMIT = 4;
const FIRST_GUESS_MS = 100;
const FAST_MS = 1_000;
/** The shortest sleep in the RETRY lane: slots are free again sooner than a receiver. */
export const SLEEP_MIN_MS = { address: 1_000, account: 200 } as const;
/** The longest sleep while a queue is new, and ever: a receiver that recovers gets mail soon. */
export const SLEEP_MAX_MS = { first: 5_000, ever: 600_000 } as const;
/**
 * A queue without emails for this long has ended. Less would end it while its last emails return
 * from the RETRY lane.
 */
const QUEUE_ENDED_MS = 10_000;
/** Share of the capacity that is reserved for accounts that hold nothing. */
const RESERVE = 1 / 8;
/** An account may hold this many times what it leaves free beyond the reserve: alone 70 % of all. */
const TIMES_FREE = 4;
const SMOOTHING = 1 / 8;

export const newClaim = (limit: number): Claim => ({
  held: 0,
  limit: Math.min(FIRST_LIMIT, limit),
  requests: new Set(),
  latencyMs: FIRST_GUESS_MS,
  failures: 0,
  silences: 0,
  queueEnd: 0,
  queueSince: 0,
});

/**
 * Whether an account may take more of something shared. An amount above the capacity may be taken
 * alone.
 * @param held the slots that it has already
 */
export function mayTake({ capacity, used }: SharedLimit, held: number, amount = 1): boolean {
  if (used === 0) return true;
  const left = capacity - used - amount;
  return held === 0 ? left >= 0 : held + amount <= TIMES_FREE * (left - capacity * RESERVE);
}

/** Who holds what of something that accounts share. Each gets a fair share, and nothing waits. */
export type Shares = {
  /** Undefined above the share of this account. Disposing gives it back. */
  take(accountId: string, ...amounts: readonly number[]): Disposable | undefined;
};

/** @param capacities of each thing, in the order of the amounts that are taken together */
export function createShares(...capacities: readonly number[]): Shares {
  const shared = capacities.map((capacity) => ({
    capacity,
    used: 0,
    heldBy: new Map<string, number>(),
  }));
  return {
    take: (accountId, ...amounts) => {
      const heldOf = (at: number) => shared[at]?.heldBy.get(accountId) ?? 0;
      if (!shared.every((one, at) => mayTake(one, heldOf(at), amounts[at]))) return undefined;
      const add = (sign: 1 | -1) => {
        for (const [at, one] of shared.entries()) {
          const amount = sign * (amounts[at] ?? 0);
          const held = heldOf(at) + amount;
          one.used += amount;
          if (held > 0) one.heldBy.set(accountId, held);
          else one.heldBy.delete(accountId);
        }
      };
      add(1);
      return { [Symbol.dispose]: () => add(-1) };
    },
  };
}

/** The most that an account can reach while others keep what they have. */
export const fairShare = ({ capacity, used }: SharedLimit, held: number): number =>
  Math.max(
    1,
    Math.floor((TIMES_FREE / (TIMES_FREE + 1)) * (capacity * (1 - RESERVE) - used + held)),
  );

/** Time between two attempts. A request that hangs counts before it ends. */
export function intervalMs({ requests, latencyMs, limit }: Claim, now: number): number {
  const [oldest] = requests;
  const oldestMs = oldest ? now - oldest.startedAt : 0;
  return Math.max(latencyMs, oldestMs) / Math.max(1, Math.floor(limit));
}

/**
 * What its address means for an email: it starts, waits in memory, or sleeps in the RETRY lane.
 * @param wasScheduled it has slept until its time, so it is ahead of the virtual queue
 * @param waiting emails of the address that wait in memory
 * @param mayRun whether all limits allow an attempt now
 */
export function decideStart(
  claim: Claim,
  { wasScheduled, waiting, mayRun }: { wasScheduled: boolean; waiting: number; mayRun: boolean },
  now: number,
): 'now' | 'wait' | 'later' {
  if (!wasScheduled && claim.queueEnd > now + MEMORY_WAIT_MS) return 'later';
  if (waiting === 0 && mayRun) return 'now';
  return (waiting + 1) * intervalMs(claim, now) <= MEMORY_WAIT_MS ? 'wait' : 'later';
}

/**
 * Gives an email the time at the end of the virtual queue. After the first seconds, it sleeps at
 * most as long as there has been a queue: after a receiver was slow for seconds, no email is minutes
 * late.
 */
export function schedule(claim: Claim, minMs: number, now: number): { at: number; claim: Claim } {
  const queueSince = now - claim.queueEnd > QUEUE_ENDED_MS ? now : claim.queueSince;
  const mostMs = Math.min(Math.max(SLEEP_MAX_MS.first, now - queueSince), SLEEP_MAX_MS.ever);
  const turn = Math.max(now, claim.queueEnd) + intervalMs(claim, now);
  const at = Math.ceil(Math.min(Math.max(now + minMs, turn), now + mostMs));
  return { at, claim: { ...claim, queueSince, queueEnd: Math.max(claim.queueEnd, at) } };
}

/** Two attempts in a row: one may have been an accident. */
const SILENT_AFTER = 2;
/** A receiver that works, but slowly, is recognized by one of so many. */
const PATIENT_EVERY = 8;
const FIRST_BYTE_MS = 5_000;

/**
 * How long an attempt waits for the first byte: a receiver that accepts connections and never answers
 * must not hold up each of its emails for the whole timeout. undefined for the whole timeout.
 */
export const firstByteWithin = ({ silences }: Claim): number | undefined =>
  silences >= SILENT_AFTER && silences % PATIENT_EVERY !== 0 ? FIRST_BYTE_MS : undefined;

/** The moving average after another value. */
export const smoothed = (average: number, value: number): number =>
  average + (value - average) * SMOOTHING;

/** What an attempt says of the receiver. `isSilent`: nothing came back in time. */
export type ReceiverSample = { durationMs: number; isFailure: boolean; isSilent?: boolean };

/**
 * The claim of an address after an attempt.
 * @param concurrency the most attempts that an address may have in flight
 */
export function afterAttempt(
  claim: Claim,
  { durationMs, isFailure, isSilent = false }: ReceiverSample,
  concurrency: number,
  now: number,
): Claim {
  const hasRecovered = claim.failures > 0 && !isFailure;
  const highest =
    durationMs <= FAST_MS ? concurrency : Math.max(claim.limit, Math.min(FIRST_LIMIT, concurrency));
  const after = {
    ...claim,
    // The latency of failures says nothing about a receiver that works again.
    latencyMs: hasRecovered ? durationMs : smoothed(claim.latencyMs, durationMs),
    limit: isFailure
      ? Math.max(1, claim.limit / 2)
      : hasRecovered
        ? Math.max(claim.limit, Math.min(FIRST_LIMIT, concurrency)) // as a new address
        : Math.min(highest, claim.limit + 1 / Math.max(1, claim.limit)),
    failures: isFailure ? claim.failures + 1 : 0,
    silences: isSilent ? claim.silences + 1 : 0,
  };
  return { ...after, queueEnd: hasRecovered ? now : shrunkQueueEnd(claim, after, now) };
}

/**
 * When the receiver gets faster, the virtual queue shrinks with the interval. When it gets slower,
 * the end of the queue stays: scheduled emails keep their time.
 */
function shrunkQueueEnd(before: Claim, after: Claim, now: number): number {
  if (before.queueEnd <= now) return before.queueEnd;
  const interval = (claim: Claim) =>
    Math.max(1, intervalMs({ ...claim, requests: new Set() }, now));
  const scale = Math.min(1, interval(after) / interval(before));
  return Math.ceil(now + (before.queueEnd - now) * scale);
}
