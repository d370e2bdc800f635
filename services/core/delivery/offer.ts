/**
 * What a pull receiver can have of a delivery. An attempt at such a receiver offers the email in its
 * record, and a consumer leases it. A lease that ends without an acknowledgment is a failed attempt,
 * and so is an offer of which no consumer has asked. The message sleeps in the RETRY lane meanwhile.
 */
import type { Outcome, Step } from './retry.ts';

export type Offer = {
  /** From when on it can be leased. Of a leased one: when the lease ends. */
  at: Date;
  /** Length of the payload. */
  bytes: number;
  /** Absent unless a consumer has it. */
  lease?: { id: string; since: Date };
};

/** Bounds of what consumers of one receiver hold. */
export const LEASES_MAX = 1_000;
export const LEASE_MIN_SECONDS = 5;
export const LEASE_MAX_SECONDS = 3_600;
export const LEASE_DEFAULT_SECONDS = 60;
/** A lease is not renewed beyond this. */
export const LEASE_TOTAL_MS = 12 * 3_600_000;

/** A receiver of which no consumer has asked for so long counts as one that does not answer. */
const SILENT_AFTER_MS = 300_000;

const LOOK_MIN_MS = 15_000;
const LOOK_MAX_MS = 600_000;

/** When a dispatcher looks at an offer again: soon while it is new, and then ever less often. */
export function lookAgainAt({ at }: Pick<Offer, 'at'>, now: Date): Date {
  const ageMs = now.getTime() - at.getTime();
  const waitMs = Math.min(Math.max(ageMs, LOOK_MIN_MS), LOOK_MAX_MS);
  return new Date(Math.max(at.getTime(), now.getTime()) + waitMs);
}

export const isSameOffer = (one: Offer | undefined, other: Offer | undefined): boolean =>
  one?.at.getTime() === other?.at.getTime() && one?.lease?.id === other?.lease?.id;

/** An attempt that failed, as records and the schedule have it. */
export type FailedOffer = {
  outcome: Extract<Outcome, { kind: 'unreachable' }>;
  error: string;
  durationMs: number;
};

/** What a dispatcher does about an offer that it looks at. */
export type OfferStep =
  | { kind: 'offer' }
  /** A consumer is there, or may still come. */
  | { kind: 'wait' }
  | ({ kind: 'fail' } & FailedOffer);

/** @param requestedAt when a consumer asked last; undefined for never */
export function offerStep(
  offer: Offer | undefined,
  requestedAt: Date | undefined,
  now: Date,
): OfferStep {
  if (offer === undefined) return { kind: 'offer' };
  if (offer.at > now) return { kind: 'wait' };
  if (offer.lease !== undefined) return { kind: 'fail', ...expiredLease(offer) };
  const since = Math.max(offer.at.getTime(), requestedAt?.getTime() ?? 0);
  if (now.getTime() - since < SILENT_AFTER_MS) return { kind: 'wait' };
  return {
    kind: 'fail',
    outcome: { kind: 'unreachable', reason: 'timeout' },
    error: `no consumer has asked for its emails in the last ${SILENT_AFTER_MS / 60_000} minutes`,
    durationMs: 0,
  };
}

/** The failed attempt of a lease that ended without an acknowledgment. */
export const expiredLease = ({ at, lease }: Offer): FailedOffer => ({
  outcome: { kind: 'unreachable', reason: 'timeout' },
  error: 'the lease ended without an acknowledgment',
  durationMs: lease === undefined ? 0 : Math.max(0, at.getTime() - lease.since.getTime()),
});

/**
 * What follows a failed attempt, or none, of an offer.
 * @param offer undefined for an attempt that was a POST
 */
export function scheduledBy(
  step: Step,
  offer: Offer | undefined,
): { nextAttemptAt: Date | null; offer: Offer | undefined } {
  if (step.kind !== 'retry') return { nextAttemptAt: null, offer: undefined };
  // an email that no consumer has asked for can be leased all the time
  if (offer?.lease === undefined) return { nextAttemptAt: step.at, offer };
  const next = { at: step.at, bytes: offer.bytes };
  return { nextAttemptAt: lookAgainAt(next, offer.at), offer: next };
}
