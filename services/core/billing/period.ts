/**
 * Billing periods (D13) and days of an account (D14). They start at quarter hours, the resolution
 * of time zones and counters.
 */

/** Includes `start`, excludes `end`. */
export type Period = { start: Date; end: Date };

export const QUARTER_MS = 900_000;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LONGEST_DAY_MS = 26 * HOUR_MS;

export const quarterOf = (at: Date): Date =>
  new Date(Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS);

/**
 * The anchor's day and time in another month, in UTC; the last day of a shorter month. Counted from
 * the anchor, so that days do not drift.
 */
export function monthsFrom(anchor: Date, months: number): Date {
  const [year, month] = [anchor.getUTCFullYear(), anchor.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const time = anchor.getTime() - Date.UTC(year, anchor.getUTCMonth(), anchor.getUTCDate());
  return new Date(Date.UTC(year, month, Math.min(anchor.getUTCDate(), lastDay)) + time);
}

/** The period that contains this time. */
export function periodAt(anchor: Date, at: Date): Period {
  const from = quarterOf(anchor);
  const months =
    (at.getUTCFullYear() - from.getUTCFullYear()) * 12 + at.getUTCMonth() - from.getUTCMonth();
  const first = monthsFrom(from, months) <= at ? months : months - 1;
  return { start: monthsFrom(from, first), end: monthsFrom(from, first + 1) };
}

/**
 * The count projected to the end of the period at the same rate (D14). The first day counts in
 * full: one email is not a trend.
 */
export function projected(count: number, { start, end }: Period, now: Date): number {
  const length = end.getTime() - start.getTime();
  const elapsed = Math.min(length, Math.max(DAY_MS, now.getTime() - start.getTime()));
  return Math.max(count, Math.round((count * length) / elapsed));
}

/** Formatters of calendar days, by time zone: making one takes longer than using it. */
const dayFormats = new Map<string, Intl.DateTimeFormat>();
const DAY_FORMATS_MAX = 1_000; // names can be written in many ways: upper and lower case

function dayFormatOf(timeZone: string): Intl.DateTimeFormat {
  const known = dayFormats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  if (dayFormats.size >= DAY_FORMATS_MAX) dayFormats.clear();
  dayFormats.set(timeZone, made);
  return made;
}

/**
 * Start of the current day in this time zone: midnight, or the first moment of a day without a
 * midnight.
 */
export function dayStart(timeZone: string, now: Date): Date {
  const format = dayFormatOf(timeZone);
  const today = format.format(now);
  let after = quarterOf(now).getTime();
  let before = after - LONGEST_DAY_MS;
  while (after - before > QUARTER_MS) {
    const middle = quarterOf(new Date((before + after) / 2)).getTime();
    if (format.format(middle) === today) after = middle;
    else before = middle;
  }
  return new Date(after);
}
