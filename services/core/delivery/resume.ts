/** What becomes of a message by the record of its email. */
import { type Delivery, type DeliveryState, revisionOf } from './delivery.ts';
import type { Settlement } from './delivery-event.ts';
import type { Step } from './retry.ts';

/**
 * What to do with an event that the stream redelivers. `settle` repeats what a crash interrupted.
 * `attempt` is the place in the schedule of the next attempt, from 1. `retryCount` is the
 * number of earlier attempts, which the payload shows. `renew`: a request raised the revision, so a
 * message of that revision must replace this one. `discard`: a request erased the content, so this
 * copy must be erased.
 */
export type Resumption =
  | { kind: 'attempt'; attempt: number; retryCount: number }
  | { kind: 'settle'; as: Settlement }
  | { kind: 'renew'; revision: number }
  | { kind: 'discard' };

/**
 * A record settles only the messages that it knows: one of a later revision, which an older backup of
 * the records does not have, is attempted.
 * @param revision of the message
 */
export function resume(state: DeliveryState | undefined, now: Date, revision: number): Resumption {
  if (state === undefined) return { kind: 'attempt', attempt: 1, retryCount: 0 };
  if (state.content_erased_at !== undefined) return { kind: 'discard' };
  const as = settlementBy(state);
  const isDue = as.kind === 'redeliver' || (as.kind === 'retry' && as.at <= now);
  if (!isDue && revision <= revisionOf(state)) return { kind: 'settle', as };
  if (revision < revisionOf(state)) return { kind: 'renew', revision: revisionOf(state) };
  return {
    kind: 'attempt',
    attempt: state.attempts - state.attempts_before_replay + 1,
    retryCount: state.attempts,
  };
}

/** What becomes of a message whose record says this. */
export function settlementBy(
  record: Pick<Delivery, 'status' | 'next_attempt_at' | 'unread' | 'revision'>,
): Settlement {
  const { status, next_attempt_at: at, unread } = record;
  if (status === 'delivered' || status === 'dropped') return { kind: 'acknowledge' };
  if (status === 'failed' || status === 'held' || unread?.until) return { kind: 'keep' };
  return at === null ? { kind: 'redeliver' } : { kind: 'retry', at, revision: revisionOf(record) };
}

/** What becomes of a message that no record tells about. */
export function settlementAfter(step: Step, revision: number): Settlement {
  if (step.kind === 'retry') return { kind: 'retry', at: step.at, revision };
  return { kind: step.kind === 'done' ? 'acknowledge' : 'keep' };
}
