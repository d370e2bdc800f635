/**
 * Which deliveries requests may change because their next attempt is not in flight. And a record whose
 * next attempt is long overdue, and what becomes of it (D167). Every message that waits
 * is pulled within ten minutes, which changes the record of a paced one: one that is overdue for longer
 * either waits for a free slot, or no stream has it.
 */
import type { Delivery } from './delivery.ts';
import { isFinal } from './delivery-view.ts';

/** Longer than a round of a message that sleeps. */
export const LOST_AFTER_MS = 900_000;

export type Whereabouts = 'waiting' | 'stored' | 'nowhere';

/**
 * @param where `waiting`: a lane has its message. `stored`: only the copy for replays is there
 * @returns `requeue` once: a request may have ended before its message was stored. An email that is
 * overdue again after that has an outcome which cannot be recorded, or content that cannot be read
 */
export function endOfOverdue(
  { requeued_at, unread }: Pick<Delivery, 'requeued_at' | 'unread'>,
  where: Whereabouts,
  now: Date,
): 'none' | 'requeue' | 'lost' | 'unread' {
  if (where === 'waiting') return 'none';
  if (unread?.until) return unread.until <= now ? 'unread' : 'none';
  return where === 'stored' && requeued_at === undefined ? 'requeue' : 'lost';
}

/**
 * An attempt that is this late is probably not in flight. If it is, its outcome does no harm: the
 * request raises the revision of the record.
 */
export const OVERDUE_AFTER_MS = 60_000;

type Waiting = Pick<Delivery, 'status' | 'next_attempt_at' | 'updated_at'>;

/** Whether its next attempt should have ended long ago: requests may change it, as one that sleeps. */
export const isOverdue = (
  { status, next_attempt_at, updated_at }: Waiting,
  now: Date,
  afterMs = OVERDUE_AFTER_MS,
): boolean =>
  !isFinal(status) &&
  Math.max(next_attempt_at?.getTime() ?? 0, updated_at.getTime()) < now.getTime() - afterMs;

/** An attempt this near may have begun. If it has, its outcome is overtaken, which does no harm. */
export const NEAR_MS = 2_000;

/** Whether no attempt is in flight or about to begin. */
export const sleeps = (delivery: Waiting, now: Date): boolean =>
  !isFinal(delivery.status) &&
  ((delivery.next_attempt_at?.getTime() ?? 0) > now.getTime() + NEAR_MS ||
    isOverdue(delivery, now));

export const mayReplay = (delivery: Waiting, now: Date): boolean =>
  isFinal(delivery.status) || isOverdue(delivery, now);
