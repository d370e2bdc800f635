/** An email that may be attempted, and the slot that it has meanwhile. */
import type { QueuedMail } from '../../adapters/stream/pull.ts';
import type { WebhookTarget } from '../../core/address/address.ts';
import type { DeliveryState } from '../../core/delivery/delivery.ts';
import type { Resumption } from '../../core/delivery/resume.ts';

/** What is known of it. */
export type Prepared = {
  isNew: boolean;
  state: DeliveryState | undefined;
  resumption: Extract<Resumption, { kind: 'attempt' }>;
  target: WebhookTarget | undefined;
  beganAt: Date;
};

/**
 * Runs the end of an email's processing, which waits for MongoDB and NATS. The email has had its
 * slot since pull.ts took it from the stream, and gives it back here, so that the next email is
 * pulled. Otherwise the slot is free when `deliver` ends.
 */
export type AfterFreeingSlot = (work: () => Promise<void>) => Promise<void>;

/** @param withinMs in both directions: the clock of a gateway may be ahead */
export const isSurelyNew = (
  { event, lane, isRepeat }: QueuedMail,
  withinMs: number,
  now: Date,
): boolean =>
  lane === 'mail' && !isRepeat && Math.abs(now.getTime() - event.received_at_ms) < withinMs;
