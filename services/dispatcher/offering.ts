/** What is recorded of an email that is offered to consumers, and of an offer that failed. */
import { type FailedOffer, lookAgainAt, type Offer } from '../core/delivery/offer.ts';
import type { MailEvent } from '../core/delivery/mail-event.ts';
import type { AttemptResult } from './attempt.ts';

/** What is recorded of an offer, and when a dispatcher looks at it again. */
export function offering(
  { payload_bytes: bytes }: Pick<MailEvent, 'payload_bytes'>,
  { storedFiles }: AttemptResult,
  at: Date,
) {
  const offer: Offer = { at, bytes };
  return { lookAt: lookAgainAt(offer, at), offer, storedFiles };
}

/** The outcome of an offer that failed, as that of a POST. */
export const failedAttempt = ({ outcome, error, durationMs }: FailedOffer): AttemptResult => ({
  outcome,
  durationMs,
  excerpt: null,
  error,
});
