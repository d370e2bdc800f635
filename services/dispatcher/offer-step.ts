/**
 * What an attempt at a pull receiver does: it offers the email, waits for a consumer, or fails. The API
 * leases offers (api/pull/).
 */
import { createFreshCache } from '../adapters/async/fresh-cache.ts';
import { type Offer, offerStep, type OfferStep } from '../core/delivery/offer.ts';

/** @returns undefined for a receiver that Inlet posts to */
export type StepOfOffer = (
  receiver: { id: string; mode?: 'push' | 'pull' } | undefined,
  offer: Offer | undefined,
) => Promise<OfferStep | undefined>;

/** Many emails of one receiver wait at the same time: an answer is used for so long. */
const FRESH_MS = 5_000;
const RECEIVERS_MAX = 10_000;

export function createStepOfOffer(
  io: { requestedAt(receiverId: string): Promise<Date | undefined> },
  clock: () => Date,
): StepOfOffer {
  const known = createFreshCache<{ requestedAt: Date | undefined }>({
    maxSize: RECEIVERS_MAX,
    freshMs: () => FRESH_MS,
    nowMs: () => clock().getTime(),
  });

  const requestedAt = async (id: string): Promise<Date | undefined> =>
    (await known.get(id, async () => ({ requestedAt: await io.requestedAt(id) }))).requestedAt;

  return async function stepOfOffer(receiver, offer) {
    if (receiver?.mode !== 'pull') return undefined;
    return offerStep(offer, offer && (await requestedAt(receiver.id)), clock());
  };
}
