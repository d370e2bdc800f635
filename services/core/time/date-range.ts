/** Time bounds in queries: `2026-11-21T08:00:00Z`, or `2026-11-21` for the whole day in UTC. */

/** Includes `start`, excludes `end`. */
export type DateRange = { start?: Date | undefined; end?: Date | undefined };

const DAY = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/; // RFC 3339 §5.6, seconds optional
const DAY_MS = 86_400_000;

/** The first moment of a range that starts with this text; `undefined` when it is not a time. */
export function startOf(text: string): Date | undefined {
  if (!DAY.test(text) && !TIME.test(text)) return undefined;
  const date = new Date(text);
  const isReal =
    // Date reads 2026-02-30 as 2 March
    !Number.isNaN(date.getTime()) && (!DAY.test(text) || date.toISOString().startsWith(text));
  return isReal ? date : undefined;
}

/**
 * The first moment after a range that ends with this text: the time itself, or the end of the day.
 */
export function endOf(text: string): Date | undefined {
  const start = startOf(text);
  return start && DAY.test(text) ? new Date(start.getTime() + DAY_MS) : start;
}
