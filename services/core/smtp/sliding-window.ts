/**
 * Counts events of the last minute or hour, in slots of time. The count is never too low: it covers
 * the whole window and the slot in which it began, so no window ever exceeds its limit.
 */

/**
 * Counts by slot: `counts[n % SLOTS]` belongs to slot n; `newest` is the last slot with an event.
 */
export type SlidingWindow = { newest: number; counts: number[] };

/** More slots make the count more exact and take more memory. */
const SLOTS_PER_WINDOW = 6;
const SLOTS = SLOTS_PER_WINDOW + 1;

export const emptyWindow = (): SlidingWindow => ({
  newest: 0,
  counts: Array.from({ length: SLOTS }, () => 0),
});

/** The number of events in the window that ends now. */
export function countIn(window: SlidingWindow, windowMs: number, nowMs: number): number {
  // a clock set back continues in the newest slot
  const slot = Math.max(window.newest, slotOf(windowMs, nowMs));
  let count = 0;
  for (let age = slot - window.newest; age < SLOTS; age++)
    count += window.counts[indexOf(slot - age)] ?? 0;
  return count;
}

/** Adds one event. */
export function countOne(window: SlidingWindow, windowMs: number, nowMs: number): void {
  const slot = Math.max(window.newest, slotOf(windowMs, nowMs));
  const passed = Math.min(SLOTS, slot - window.newest);
  for (let age = 0; age < passed; age++) window.counts[indexOf(slot - age)] = 0;
  window.newest = slot;
  const index = indexOf(slot);
  window.counts[index] = (window.counts[index] ?? 0) + 1;
}

const slotOf = (windowMs: number, nowMs: number) =>
  Math.floor((nowMs * SLOTS_PER_WINDOW) / windowMs);
const indexOf = (slot: number) => slot % SLOTS;
