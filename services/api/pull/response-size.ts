/** How many emails a response has: at most 4 MiB of payloads. A larger one is fetched on its own. */
import type { Offered } from '../../adapters/mongo/delivery/offers.ts';
import { lastAttemptFacts } from '../../core/delivery/last-attempt.ts';
import { type AttemptFacts, growthBytes } from '../../core/webhook/payload-bytes.ts';
import { attemptCount } from '../../core/delivery/delivery.ts';

export const RESPONSE_MAX_BYTES = 4 * 1024 * 1024;
/** The size of what a response has for each email in addition to its payload. */
const BESIDE_BYTES = 512;

/** The payload of the attempt that the lease is. */
export const factsOf = (one: Offered): AttemptFacts => ({
  ...lastAttemptFacts(one),
  retryCount: attemptCount(one),
});

export const payloadBytes = (one: Offered): number => one.offer.bytes + growthBytes(factsOf(one));

export const isTooLarge = (one: Offered): boolean =>
  payloadBytes(one) + BESIDE_BYTES > RESPONSE_MAX_BYTES;

/** The first ones, as many as fit. At least one. */
export function takeFitting(offers: readonly Offered[]): Offered[] {
  let total = 0;
  const over = offers.findIndex((one, index) => {
    total += BESIDE_BYTES + (isTooLarge(one) ? 0 : payloadBytes(one));
    return index > 0 && total > RESPONSE_MAX_BYTES;
  });
  return over === -1 ? [...offers] : offers.slice(0, over);
}
