/** Which deliveries a request can replay. */
import type { Delivery } from './delivery.ts';
import { isFinal } from './delivery-view.ts';

/**
 * An attempt that is this late is probably lost rather than in flight. A replay request finds out.
 */
const LOST_AFTER_MS = 300_000;

/**
 * Whether a replay can be tried. The retry lane decides in the end: it refuses an email that it
 * already stores.
 */
export function mayReplay(
  { status, next_attempt_at }: Pick<Delivery, 'status' | 'next_attempt_at'>,
  now: Date,
): boolean {
  if (isFinal(status)) return true;
  return next_attempt_at !== null && now.getTime() - next_attempt_at.getTime() > LOST_AFTER_MS;
}
