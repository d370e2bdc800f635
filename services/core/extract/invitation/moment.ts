/** Times of a calendar: as its author writes them, and in UTC where the time zone is known. */
import { z } from 'zod';

import { describeSchema } from '../../api-reference.ts';
import { Timestamp, timestamp } from '../../timestamp.ts';
import type { CalendarComponent, CalendarProperty } from './calendar.ts';
import { offsetAt } from './time-zone.ts';

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

/** Null for what is no time. @param calendar where time zones are described */
export function momentOf(
  property: CalendarProperty | undefined,
  calendar: CalendarComponent,
): Moment | null {
  if (property === undefined) return null;
  const isUtc = property.value.endsWith('Z');
  const zone = property.parameters['tzid'];
  return moment(property.value.replace(/Z$/, ''), isUtc ? 'UTC' : (zone ?? null), calendar);
}

function moment(local: string, zone: string | null, calendar: CalendarComponent): Moment | null {
  const isAllDay = DATE.test(local);
  const atMs = Date.parse(`${local}${isAllDay ? 'T00:00:00' : ''}Z`);
  if ((!isAllDay && !TIME.test(local)) || Number.isNaN(atMs)) return null;
  if (isAllDay) return { local, time_zone: null, utc: null, is_all_day: true };
  const offsetMs = zone === null ? undefined : offsetAt(atMs, zone, calendar);
  return {
    local,
    time_zone: zone,
    utc: offsetMs === undefined ? null : timestamp(new Date(atMs - offsetMs)),
    is_all_day: false,
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;
const DURATION =
  /^\+?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})S)?)?$/;

/** An event without end and duration takes a whole day or no time (RFC 5545 §3.6.1). */
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
  const ms = (7 * weeks + days) * DAY_MS + ((hours * 60 + minutes) * 60 + seconds) * 1000;
  const at = new Date(Date.parse(`${start.local}${start.is_all_day ? 'T00:00:00' : ''}Z`) + ms);
  if (at.getUTCFullYear() > 9999) return null;
  return moment(at.toISOString().slice(0, start.local.length), start.time_zone, calendar);
}
