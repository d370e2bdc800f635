/**
 * How often something happened in the last minute or hour, counted in slots of time. The count is never too low: it reaches back a whole window
 * and the rest of the slot before, so no window, wherever it begins, lets more through than its limit.
 */

export type WindowRule = {
  /** Most that may happen within `windowMs`; 0 for no limit. */ limit: number;
  windowMs: number;
};

/** Counts by slot: `counts[n % SLOTS]` belongs to slot n, of which `newest` is the last one counted. */
export type SlidingWindow = { newest: number; counts: number[] };

/** Slots that a window is cut into; more follow it more closely and take more memory. */
const SLOTS_PER_WINDOW = 6;
const SLOTS = SLOTS_PER_WINDOW + 1;

export const emptyWindow = (): SlidingWindow => ({
  newest: 0,
  counts: Array.from({ length: SLOTS }, () => 0),
});

/** How often it happened lately. */
export function countIn(window: SlidingWindow, { windowMs }: WindowRule, nowMs: number): number {
  const slot = Math.max(window.newest, slotOf(windowMs, nowMs)); // a clock that was set back counts on in the newest slot
  let count = 0;
  for (let age = slot - window.newest; age < SLOTS; age++)
    count += window.counts[indexOf(slot - age)] ?? 0;
  return count;
}

/** Counts one more. */
export function countOne(window: SlidingWindow, { windowMs }: WindowRule, nowMs: number): void {
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
