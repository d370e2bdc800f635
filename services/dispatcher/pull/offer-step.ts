/**
 * What an attempt at a pull receiver does: it offers the email, waits for a consumer, or fails. The API
 * leases offers (api/pull/).
 */
import { type Offer, offerStep, type OfferStep } from '../../core/delivery/offer.ts';

/** @returns undefined for a receiver that Inlet posts to */
export type StepOfOffer = (
  receiver: { id: string; mode?: 'push' | 'pull' } | undefined,
  offer: Offer | undefined,
) => Promise<OfferStep | undefined>;

/** Many emails of one receiver wait at the same time: an answer is used for so long. */
const FRESH_MS = 5_000;
const RECEIVERS_MAX = 10_000;

export function createStepOfOffer(
  io: { askedAt(receiverId: string): Promise<Date | undefined> },
  clock: () => Date,
): StepOfOffer {
  const known = new Map<string, { readAt: number; askedAt: Promise<Date | undefined> }>();

  const askedAt = (id: string): Promise<Date | undefined> => {
    const now = clock().getTime();
    const found = known.get(id);
    if (found !== undefined && now - found.readAt < FRESH_MS) return found.askedAt;
    if (known.size >= RECEIVERS_MAX) known.clear();
    const reading = io.askedAt(id);
    reading.catch(() => known.delete(id));
    known.set(id, { readAt: now, askedAt: reading });
    return reading;
  };

  return async function stepOfOffer(receiver, offer) {
    if (receiver?.mode !== 'pull') return undefined;
    return offerStep(offer, offer && (await askedAt(receiver.id)), clock());
  };
}
