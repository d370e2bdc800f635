/**
 * Whose fault it is that an email was not delivered (D290). A fault of theirs (the receiver, the email)
 * uses up an attempt, and may end the email. One of ours does neither: the email waits, within its
 * lifetime.
 */
import { AppError } from '../error/app-error.ts';
import { MissingContentKey } from '../secret/content-key.ts';
import type { Outcome } from './retry.ts';

type Whose = 'theirs' | 'ours';

const WHOSE = {
  // an attempt failed: at the receiver, on the way to it, or in the customer's bucket
  refused: 'theirs',
  busy: 'theirs',
  dns: 'theirs',
  tls: 'theirs',
  timeout: 'theirs',
  connection: 'theirs',
  token: 'theirs',
  storage_failed: 'theirs',
  /** The target must not be called, or there is nothing to send. */
  blocked: 'theirs',
  // the email, each time: no other process could deliver it
  damaged: 'theirs',
  unknown: 'theirs',
  // Inlet, as local evidence shows
  server_away: 'ours',
  thread_ended: 'ours',
  /** The disk, the memory or the open files of this machine. */
  system: 'ours',
  /** A key that this process does not have, and another one may have. */
  key_missing: 'ours',
  clock_wrong: 'ours',
} as const satisfies Record<string, Whose>;

export type Cause = keyof typeof WHOSE;
export const CAUSES = Object.keys(WHOSE) as Cause[];

export const whoseFault = (cause: Cause): Whose => WHOSE[cause];

/** A fault of Inlet that is known where it is found. */
export class OwnFault extends Error {
  override readonly name = 'OwnFault';
  readonly own: Cause;

  /** @param detail for the log only */
  constructor(own: Cause, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.own = own;
  }
}

/** An email that Inlet itself cannot process, however often it tries (D162). */
export class Unprocessable extends Error {
  override readonly name = 'Unprocessable';
  /** What is wrong, in words for the owner of the email. An operator can mend it. */
  readonly reason: string;

  /** @param detail for the log only */
  constructor(reason: string, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.reason = reason;
  }
}

const UNKNOWN = 'an error inside Inlet, which its operator finds in the log';

/** For the record of the email. Other errors can name what is nobody's business, so they do not show. */
export const unprocessableReason = (error: unknown): string =>
  causesOf(error).find((one) => one instanceof Unprocessable)?.reason ?? UNKNOWN;

/** What the machine's own clock decides: certificates, and signatures of requests to buckets. */
const CHECKED_BY_CLOCK: ReadonlySet<Cause> = new Set(['tls', 'storage_failed']);

/** Why an attempt failed; undefined for an accepted one. */
export function causeOfOutcome(
  outcome: Outcome,
  evidence: { isClockWrong: boolean },
): Cause | undefined {
  if (outcome.kind === 'accepted') return undefined;
  const cause = outcome.kind === 'unreachable' ? outcome.reason : outcome.kind;
  return evidence.isClockWrong && CHECKED_BY_CLOCK.has(cause) ? 'clock_wrong' : cause;
}

/**
 * Why an attempt was not made.
 * @param isServerAway whether it is an error of NATS or MongoDB that says so
 */
export function causeOfError(error: unknown, isServerAway: (error: unknown) => boolean): Cause {
  const chain = causesOf(error);
  const own = chain.find((one) => one instanceof OwnFault);
  if (own) return own.own;
  if (chain.some((one) => one instanceof MissingContentKey)) return 'key_missing';
  if (chain.some((one) => one instanceof Unprocessable)) return 'damaged';
  if (isServerAway(error) || chain.some(isUnavailable)) return 'server_away';
  return chain.some(isSystemError) ? 'system' : 'unknown';
}

function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let one = error; one !== undefined && !chain.includes(one);) {
    chain.push(one);
    one = one instanceof Error ? one.cause : undefined;
  }
  return chain;
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError && error.kind === 'unavailable';

/** The operating system refused what Node asked of it. */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && typeof error.syscall === 'string';
