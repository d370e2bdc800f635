/** Billing periods (D13) and days of an account (D14). Their bounds are whole quarter hours: no time zone is finer, and neither are the counters. */

/** From `start` on, before `end`. */
export type Period = { start: Date; end: Date };

export const QUARTER_MS = 900_000;

const HOUR_MS = 3_600_000;
const LONGEST_DAY_MS = 26 * HOUR_MS;

export const quarterOf = (at: Date): Date =>
  new Date(Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS);

/** The anchor's day and time in a later or earlier month, in UTC; the month's last day where it has no such day. Counted from the anchor, so that nothing drifts. */
export function monthsFrom(anchor: Date, months: number): Date {
  const [year, month] = [anchor.getUTCFullYear(), anchor.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const time = anchor.getTime() - Date.UTC(year, anchor.getUTCMonth(), anchor.getUTCDate());
  return new Date(Date.UTC(year, month, Math.min(anchor.getUTCDate(), lastDay)) + time);
}

/** The period that this time lies in. */
export function periodAt(anchor: Date, at: Date): Period {
  const from = quarterOf(anchor);
  const months =
    (at.getUTCFullYear() - from.getUTCFullYear()) * 12 + at.getUTCMonth() - from.getUTCMonth();
  const first = monthsFrom(from, months) <= at ? months : months - 1;
  return { start: monthsFrom(from, first), end: monthsFrom(from, first + 1) };
}

/** What a count comes to at the end of the period if it goes on as in the part that is over (D14). The first hour counts as a whole one: a single mail is no trend. */
export function projected(count: number, { start, end }: Period, now: Date): number {
  const length = end.getTime() - start.getTime();
  const elapsed = Math.min(length, Math.max(HOUR_MS, now.getTime() - start.getTime()));
  return Math.max(count, Math.round((count * length) / elapsed));
}

/** When the day that it now is in this time zone began: at midnight, or at the first moment of a day that has none. */
export function dayStart(timeZone: string, now: Date): Date {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
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
