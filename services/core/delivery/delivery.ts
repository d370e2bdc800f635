/**
 * The record of one event's delivery: its attempts and where it stands (spec section 3). Attempts
 * are counted here, not by the stream.
 */
import type { Environment } from '../account/address.ts';
import type { MailEvent, StoredAt } from './mail-event.ts';
import type { Outcome, Step } from './retry.ts';

/** `pending` is a mail that no attempt was made for yet. */
export type DeliveryStatus = 'pending' | 'retrying' | 'delivered' | 'failed';

export type Attempt = {
  at: Date;
  duration_ms: number;
  outcome: Outcome['kind'];
  /** null when no answer came. */
  status_code: number | null;
  /** Why no answer came, for the address's owner; null when one came. */
  error: string | null;
  /** First KiB of the answer's body as text; null when it had none. */
  excerpt: string | null;
};

export type Delivery = {
  event_id: string;
  account_id: string;
  environment: Environment;
  address_id: string;
  status: DeliveryStatus;
  mail_from: string;
  from: string | null;
  subject: string | null;
  size_bytes: number;
  received_at: Date;
  stored_at: StoredAt;
  payload_in: MailEvent['payload_in'] | 'removed';
  attempts: Attempt[];
  /** Attempts before the last replay, which starts the schedule again; 0 without a replay. */
  attempts_before_replay: number;
  /** Not before this time; null when nothing is due. */
  next_attempt_at: Date | null;
  updated_at: Date;
};

/** What a lane must know of an event that it has seen before. */
export type DeliveryState = {
  status: DeliveryStatus;
  /** Made in all. */
  attempts: number;
  /** Attempts before the last replay, which starts the schedule again; 0 without a replay. */
  attempts_before_replay: number;
  next_attempt_at: Date | null;
};

export const statusAfter = (step: Step): DeliveryStatus =>
  (({ done: 'delivered', retry: 'retrying', 'give-up': 'failed' }) as const)[step.kind];

/** A delivered event stays delivered, whatever a late copy of it came to. */
export const statusNow = (
  before: DeliveryStatus | undefined,
  after: DeliveryStatus,
): DeliveryStatus => (before === 'delivered' ? 'delivered' : after);

/** The record of an event before any attempt. */
export function newDelivery(event: MailEvent, stored_at: StoredAt): Delivery {
  const received_at = new Date(event.received_at_ms);
  return {
    event_id: event.event_id,
    account_id: event.account_id,
    environment: event.environment,
    address_id: event.address_id,
    status: 'pending',
    mail_from: event.mail_from,
    from: event.from,
    subject: event.subject,
    size_bytes: event.size_bytes,
    received_at,
    stored_at,
    payload_in: event.payload_in,
    attempts: [],
    attempts_before_replay: 0,
    next_attempt_at: null,
    updated_at: received_at,
  };
}

/**
 * Counter changes that one step of an event causes (D14, D28): an event counts once however often
 * it is redelivered.
 */
export type Tally = { received: number; delivered: number; failed: number };

export function tallyOf(before: DeliveryStatus | undefined, after: DeliveryStatus): Tally {
  const is = (status: DeliveryStatus) => Number(after === status) - Number(before === status);
  return {
    received: before === undefined ? 1 : 0,
    delivered: is('delivered'),
    failed: is('failed'),
  };
}

/**
 * What to do with an event that the stream redelivers: the record knows more than the message.
 * A step repeats the settling that a crash cut short. `attempt` is the place in the schedule of the
 * attempt to make now, from 1;
 * `retryCount` tells the receiver how many were made before.
 */
export type Resumption =
  { kind: 'attempt'; attempt: number; retryCount: number } | { kind: 'settle'; step: Step };

export function resume(state: DeliveryState | undefined, now: Date): Resumption {
  if (state === undefined) return { kind: 'attempt', attempt: 1, retryCount: 0 };
  if (state.status === 'delivered') return { kind: 'settle', step: { kind: 'done' } };
  if (state.status === 'failed') return { kind: 'settle', step: { kind: 'give-up' } };
  if (state.next_attempt_at !== null && state.next_attempt_at > now)
    return { kind: 'settle', step: { kind: 'retry', at: state.next_attempt_at } };
  return {
    kind: 'attempt',
    attempt: state.attempts - state.attempts_before_replay + 1,
    retryCount: state.attempts,
  };
}
