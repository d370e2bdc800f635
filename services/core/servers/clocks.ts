/**
 * Compares the clock of a process with that of a server (D166). Times that machines compare are those
 * of MongoDB's clock: a process whose own clock is wrong counts from it.
 */

/** The server's time minus a count of this process that never jumps, and how wrong that may be. */
export type Reading = { aheadMs: number; withinMs: number };

/** Above this, a clock is reported, and not used. */
export const CLOCK_DIFFERS_MS = 1_000;
/** Above this, a process is not ready: certificates and signatures fail. */
export const CLOCK_WRONG_MS = 30_000;
const READINGS_KEPT = 6;
/** Clocks drift apart between readings, and a clock may be slewed. */
const DRIFT_MS = 100;

/** @param sentMs and `answeredMs` are counts of this process; the server read its clock in between */
export function readingOf(sentMs: number, answeredMs: number, theirs: Date): Reading {
  const withinMs = (answeredMs - sentMs) / 2;
  return { aheadMs: theirs.getTime() - (sentMs + withinMs), withinMs };
}

/** The last readings. Earlier ones that contradict the new one are of a clock that was set since. */
export const withReading = (readings: readonly Reading[], added: Reading): Reading[] =>
  [
    ...readings.filter(
      ({ aheadMs, withinMs }) =>
        Math.abs(aheadMs - added.aheadMs) <= withinMs + added.withinMs + DRIFT_MS,
    ),
    added,
  ].slice(-READINGS_KEPT);

/** The most exact one. */
export const bestReading = (readings: readonly Reading[]): Reading | undefined =>
  readings.toSorted((one, other) => one.withinMs - other.withinMs)[0];

/** How far this process's clock is ahead of the server's: as little as the reading allows. */
export function offsetMs({ aheadMs, withinMs }: Reading, countMs: number, ownMs: number): number {
  const offset = ownMs - (countMs + aheadMs);
  return Math.sign(offset) * Math.max(0, Math.abs(offset) - withinMs);
}

/** The time to use: that of the process, unless its clock differs from the server's. */
export function timeNow(reading: Reading | undefined, countMs: number, ownMs: number): number {
  if (reading === undefined) return ownMs;
  return Math.abs(offsetMs(reading, countMs, ownMs)) <= CLOCK_DIFFERS_MS
    ? ownMs
    : Math.round(countMs + reading.aheadMs);
}
