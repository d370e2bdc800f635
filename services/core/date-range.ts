/** Bounds of time as queries give them: `2026-11-21T08:00:00Z`, or `2026-11-21` for that whole day in UTC. */

/** From `start` on, before `end`. */
export type DateRange = { start?: Date | undefined; end?: Date | undefined };

const DAY = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/; // RFC 3339 §5.6, seconds optional
const DAY_MS = 86_400_000;

/** The first moment that a text includes as a start; `undefined` when it is no time. */
export function startOf(text: string): Date | undefined {
  if (!DAY.test(text) && !TIME.test(text)) return undefined;
  const date = new Date(text);
  const isReal =
    !Number.isNaN(date.getTime()) && (!DAY.test(text) || date.toISOString().startsWith(text)); // Date takes 2026-02-30 for 2 March
  return isReal ? date : undefined;
}

/** The first moment that a text excludes as an end: a time itself, or the end of a day. */
export function endOf(text: string): Date | undefined {
  const start = startOf(text);
  return start && DAY.test(text) ? new Date(start.getTime() + DAY_MS) : start;
}
