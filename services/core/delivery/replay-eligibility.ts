/** Which deliveries a request can replay, and which ones nobody seems to attempt. */
import type { Delivery } from './delivery.ts';
import { isFinal } from './delivery-view.ts';

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

export const mayReplay = (delivery: Waiting, now: Date): boolean =>
  isFinal(delivery.status) || isOverdue(delivery, now);
