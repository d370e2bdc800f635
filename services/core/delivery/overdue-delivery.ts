/**
 * A record whose next attempt is long overdue, and what becomes of it (D167). Every message that waits
 * is pulled within ten minutes, which changes the record of a paced one: one that is overdue for longer
 * either waits for a free slot, or no stream has it.
 */
import type { Delivery } from './delivery.ts';

/** Longer than a round of a message that sleeps. */
export const LOST_AFTER_MS = 900_000;

type Whereabouts = 'waiting' | 'stored' | 'nowhere';

/**
 * @param where `waiting`: a lane has its message. `stored`: only the copy for replays is there
 * @returns `requeue` once: a request may have ended before its message was stored. An email that is
 * overdue again after that has an outcome which cannot be recorded, or content that cannot be read
 */
export function endOfOverdue(
  { requeued_at }: Pick<Delivery, 'requeued_at'>,
  where: Whereabouts,
): 'none' | 'requeue' | 'lost' {
  if (where === 'waiting') return 'none';
  return where === 'stored' && requeued_at === undefined ? 'requeue' : 'lost';
}
