/** Numbers, sizes, money and times in the viewer's language and time zone. */
const number = new Intl.NumberFormat();
const upToTenths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const clockWithSeconds = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const dayAndMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const wholeDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'long' });

export const formatCount = (value: number): string => number.format(value);
export const formatPercent = (share: number): string => percent.format(share);

const SIZE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** 1,536 is `1.5 kB` in English: units of 1,000, as the standard of units has them. */
export function formatSize(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), SIZE_UNITS.length - 1);
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: SIZE_UNITS[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  }).format(bytes / 1000 ** step);
}

/** With the symbols of the SI, which are the same in every language: `29 ms`, `5.3 s`. */
export const formatDuration = (ms: number): string =>
  ms < 1_000 ? `${number.format(Math.round(ms))} ms` : `${upToTenths.format(ms / 1_000)} s`;

/** @param amount in whole units, such as dollars */
export const formatMoney = (amount: number, currency: string): string =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(amount);

export const formatClock = (date: Date): string => clock.format(date);
export const formatDay = (date: Date): string => wholeDay.format(date);
export const formatExact = (date: Date): string => exact.format(date);

/** The hour today, the day before that. */
export const formatMoment = (date: Date, now: Date): string =>
  date.toDateString() === now.toDateString() ? clock.format(date) : formatShortDay(date, now);

export const formatClockSecond = (date: Date): string => clockWithSeconds.format(date);

/** Time with seconds; with the date unless it is today. */
export const formatSecond = (date: Date, now: Date): string =>
  date.toDateString() === now.toDateString()
    ? clockWithSeconds.format(date)
    : `${formatShortDay(date, now)}, ${clockWithSeconds.format(date)}`;

/** The day and the hour. */
export const formatDayAndTime = (date: Date, now: Date): string =>
  `${formatShortDay(date, now)}, ${clock.format(date)}`;

/** The year is left out when it is the present one. */
const formatShortDay = (date: Date, now: Date): string =>
  (date.getFullYear() === now.getFullYear() ? dayAndMonth : wholeDay).format(date);

/** Local midnight at the beginning of a day such as `2026-11-22`, in the form of the API. */
export function localDayStart(day: string, daysLater = 0): string {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + daysLater);
  return `${date.toISOString().slice(0, 19)}Z`;
}

const RELATIVE_UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `in 5 minutes`, `3 hours ago`. */
export function formatRelative(date: Date, now: Date): string {
  const seconds = Math.round((date.getTime() - now.getTime()) / 1_000);
  const [unit, length] =
    RELATIVE_UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const);
  return relative.format(Math.round(seconds / length), unit);
}
