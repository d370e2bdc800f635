/** What happens after an attempt: the outcomes of spec 3 and the schedule of spec 6.2. */

/** The result of one attempt. */
export type Outcome =
  | { kind: 'accepted'; status: number }
  /** Final: 4xx other than 429, and every status that the spec does not name (D18). */
  | { kind: 'refused'; status: number }
  /** 5xx or 429: retry after `retryAfterMs` at the earliest (D19). */
  | { kind: 'busy'; status: number; retryAfterMs?: number }
  | { kind: 'unreachable'; reason: 'dns' | 'tls' | 'timeout' | 'connection' }
  /** The receiver's authorization server gave no token. */
  | { kind: 'unreachable'; reason: 'token'; tokenStatus: number }
  /** Files of the email could not be stored in the customer's bucket, so the receiver was not called. */
  | { kind: 'storage_failed' }
  /** Final: the target must not be called, or there is nothing to send. */
  | { kind: 'blocked'; reason: string };

export type Step = { kind: 'done' } | { kind: 'retry'; at: Date } | { kind: 'give-up' };

/** Delays after the first attempt, in milliseconds (spec 6.2). */
export const RETRY_SCHEDULE_MS: readonly number[] = [
  1_000, 60_000, 300_000, 1_800_000, 7_200_000, 28_800_000,
];

const RETRY_AFTER_MAX_MS = 3_600_000; // D19
const JITTER = 0.1; // D20

/** For Retry-After, for emails that wait for their turn, and for outages of a receiver within an attempt. */
const LIFETIME_MARGIN = 1.5;

/**
 * How long Inlet tries to deliver an email (D169).
 * @param askedMs the setting; a longer schedule needs more
 */
export const lifetimeMs = (askedMs: number, schedule: readonly number[]): number =>
  Math.max(askedMs, LIFETIME_MARGIN * schedule.reduce((sum, delay) => sum + delay, 0));

const ROUND_MAX_MS = 600_000;

/**
 * How long a message sleeps at a time (D165). JetStream keeps the end of a NAK, whatever becomes of the
 * clock that it was counted with: an email that is due later is pulled and sent back again.
 */
export const roundMs = (at: Date, now: Date): number =>
  Math.min(Math.max(1, at.getTime() - now.getTime()), ROUND_MAX_MS);

/** Inlet itself was away: the time begins with the first dispatcher that has the email. */
const LATE_MS = 3_600_000;

/**
 * When the time of an email begins: with its receipt, or with its last replay or release.
 * @param isFirst no dispatcher had it before
 */
export function beginningOf(
  receivedMs: number,
  { began_at, isFirst }: { began_at: Date | undefined; isFirst: boolean },
  now: Date,
): Date {
  if (began_at !== undefined) return began_at;
  return new Date(isFirst && now.getTime() - receivedMs > LATE_MS ? now : receivedMs);
}

export function outcomeOf(status: number, retryAfter: string | undefined, now: Date): Outcome {
  if (status >= 200 && status < 300) return { kind: 'accepted', status };
  if (status !== 429 && !(status >= 500 && status < 600)) return { kind: 'refused', status };
  const retryAfterMs =
    status === 429 || status === 503 ? parseRetryAfter(retryAfter, now) : undefined;
  return retryAfterMs === undefined
    ? { kind: 'busy', status }
    : { kind: 'busy', status, retryAfterMs };
}

/**
 * @param attempt counts from 1
 * @param schedule delays in milliseconds; its length is the number of retries
 * @param random in [0, 1): jitter adds up to 10 % to the delay (D20)
 */
export function nextStep(
  outcome: Outcome,
  attempt: number,
  schedule: readonly number[],
  now: Date,
  random: number,
): Step {
  if (outcome.kind === 'accepted') return { kind: 'done' };
  const delayMs = schedule[attempt - 1];
  if (outcome.kind === 'refused' || outcome.kind === 'blocked' || delayMs === undefined)
    return { kind: 'give-up' };
  const jitteredMs = delayMs + Math.floor(delayMs * JITTER * random);
  const notBeforeMs = outcome.kind === 'busy' ? (outcome.retryAfterMs ?? 0) : 0;
  return { kind: 'retry', at: new Date(now.getTime() + Math.max(jitteredMs, notBeforeMs)) };
}

/**
 * The step after an attempt whose outcome cannot be recorded (D160). No record counts its attempts,
 * so the age of the email spaces them, and ends them when the whole schedule is over.
 */
export function unrecordedStep(
  step: Step,
  receivedAtMs: number,
  schedule: readonly number[],
  now: Date,
): Step {
  if (step.kind !== 'retry') return step;
  const ageMs = Math.max(0, now.getTime() - receivedAtMs);
  if (ageMs >= schedule.reduce((sum, delay) => sum + delay, 0)) return { kind: 'give-up' };
  return { kind: 'retry', at: new Date(Math.max(step.at.getTime(), now.getTime() + ageMs)) };
}

/**
 * The delay in a `Retry-After` header: seconds or an HTTP date (RFC 9110 §10.2.3), at most one hour
 * (D19).
 */
function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header.trim())
    ? Number(header) * 1000
    : Date.parse(header) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, RETRY_AFTER_MAX_MS) : undefined;
}
