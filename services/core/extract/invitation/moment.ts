/** Times of a calendar: as its author writes them, and in UTC where the time zone is known. */
import { z } from 'zod';

import { describeSchema } from '../../resource/api-reference.ts';
import { Timestamp, timestamp } from '../../time/timestamp.ts';
import type { CalendarComponent, CalendarProperty } from './calendar.ts';
import { timeZoneOf } from './time-zone.ts';

export const Moment = z.object({
  local: z
    .string()
    .describe('time in the time zone, such as 2026-12-01T10:00:00; a date for a whole day'),
  time_zone: z
    .string()
    .nullable()
    .describe('name as in the email, UTC included; null for a time that is everywhere the same'),
  utc: Timestamp.nullable().describe(
    'null for a whole day, a time that is everywhere the same, and an unknown time zone',
  ),
  is_all_day: z.boolean(),
});
export type Moment = z.infer<typeof Moment>;
describeSchema(Moment, 'ExtractedTime', {
  local: '2026-12-01T10:00:00',
  time_zone: 'Europe/Berlin',
  utc: '2026-12-01T09:00:00Z',
  is_all_day: false,
});

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/** Null for text that is not a time. @param calendar where time zones are described */
export function momentOf(
  property: CalendarProperty | undefined,
  calendar: CalendarComponent,
): Moment | null {
  if (property === undefined) return null;
  const isUtc = property.value.endsWith('Z');
  const zone = property.parameters['tzid'];
  return moment(property.value.replace(/Z$/, ''), isUtc ? 'UTC' : (zone ?? null), calendar);
}

function moment(written: string, zone: string | null, calendar: CalendarComponent): Moment | null {
  const local = written.replace(/:60$/, ':59'); // a leap second, as RFC 5545 §3.3.12 wants it read
  const isAllDay = DATE.test(local);
  if (!isAllDay && !TIME.test(local)) return null;
  const atMs = localMsOf(local);
  if (Number.isNaN(atMs) || !isSame(atMs, local)) return null;
  if (isAllDay) return { local, time_zone: null, utc: null, is_all_day: true };
  const offsetMs = zone === null ? undefined : timeZoneOf(zone, calendar)?.ofLocal(atMs);
  const utcMs = offsetMs === undefined ? undefined : atMs - offsetMs;
  return { local, time_zone: zone, utc: timestampOf(utcMs), is_all_day: false };
}

const localMsOf = (local: string): number =>
  Date.parse(`${local}${DATE.test(local) ? 'T00:00:00' : ''}Z`);

/** Date.parse takes 31 April for 1 May. */
const isSame = (ms: number, local: string): boolean => new Date(ms).toISOString().startsWith(local);

/** Years of four digits only. */
function timestampOf(utcMs: number | undefined): string | null {
  const date = new Date(utcMs ?? NaN);
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9999 ? timestamp(date) : null;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const DURATION =
  /^\+?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})S)?)?$/;

/**
 * An event without end and duration takes a whole day or no time (RFC 5545 §3.6.1). Weeks and days
 * keep the time of day, hours are exact (§3.3.6).
 */
export function endAfter(
  start: Moment | null,
  duration: string | undefined,
  calendar: CalendarComponent,
): Moment | null {
  const parts = DURATION.exec(duration ?? (start?.is_all_day ? 'P1D' : 'P'));
  if (start === null || parts === null) return null;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  const exactMs = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  const dayMs = localMsOf(start.local) + (7 * weeks + days) * DAY_MS;
  const atMs = exactMs === 0 ? dayMs : afterExactly(dayMs, exactMs, start, calendar);
  const at = new Date(atMs ?? NaN);
  const year = at.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) return null;
  const end = moment(at.toISOString().slice(0, start.local.length), start.time_zone, calendar);
  // the local time of an end may occur twice: then UTC says which one is meant
  return end && exactMs > 0 && start.utc !== null
    ? { ...end, utc: timestampOf(utcAfter(dayMs, exactMs, start, calendar)) }
    : end;
}

/** In local time. Undefined when the time zone is unknown: the offset may change in between. */
function afterExactly(
  localMs: number,
  exactMs: number,
  { is_all_day, time_zone }: Moment,
  calendar: CalendarComponent,
): number | undefined {
  if (is_all_day || time_zone === null) return localMs + exactMs;
  const zone = timeZoneOf(time_zone, calendar);
  const utcMs = utcAfter(localMs, exactMs, { time_zone }, calendar);
  const offsetMs = utcMs === undefined ? undefined : zone?.ofUtc(utcMs);
  return utcMs === undefined || offsetMs === undefined ? undefined : utcMs + offsetMs;
}

function utcAfter(
  localMs: number,
  exactMs: number,
  { time_zone }: Pick<Moment, 'time_zone'>,
  calendar: CalendarComponent,
): number | undefined {
  const offsetMs = timeZoneOf(time_zone ?? '', calendar)?.ofLocal(localMs);
  return offsetMs === undefined ? undefined : localMs - offsetMs + exactMs;
}
