/** Billing periods with month ends and leap years (D13); days in time zones (D14). */
import { expect, test } from 'vitest';

import {
  dayStart,
  monthsFrom,
  periodAt,
  projected,
  QUARTER_MS,
} from '../../../services/core/billing/period.ts';
import { fc } from '../../support/random.ts';

const at = (text: string) => new Date(text);

test.each([
  ['2026-01-31T10:00:00Z', '2026-02-10T00:00:00Z', '2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z'],
  ['2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z', '2026-02-28T10:00:00Z', '2026-03-31T10:00:00Z'],
  ['2026-01-31T10:00:00Z', '2026-04-30T09:59:59Z', '2026-03-31T10:00:00Z', '2026-04-30T10:00:00Z'],
  ['2026-01-31T10:00:00Z', '2026-05-01T00:00:00Z', '2026-04-30T10:00:00Z', '2026-05-31T10:00:00Z'],
  ['2027-12-31T00:00:00Z', '2028-02-28T23:59:59Z', '2028-01-31T00:00:00Z', '2028-02-29T00:00:00Z'],
  ['2028-02-29T00:00:00Z', '2029-03-01T00:00:00Z', '2029-02-28T00:00:00Z', '2029-03-29T00:00:00Z'],
  ['2025-12-15T23:45:00Z', '2026-01-01T00:00:00Z', '2025-12-15T23:45:00Z', '2026-01-15T23:45:00Z'],
  [
    '2026-03-10T08:07:31.250Z',
    '2026-03-10T08:07:31.250Z',
    '2026-03-10T08:00:00Z',
    '2026-04-10T08:00:00Z',
  ],
])('D13: from the anchor %s, %s is in the period %s … %s', (anchor, now, start, end) => {
  expect(periodAt(at(anchor), at(now))).toEqual({ start: at(start), end: at(end) });
});

const date = fc.date({
  min: at('2000-01-01T00:00:00Z'),
  max: at('2099-12-31T00:00:00Z'),
  noInvalidDate: true,
});

test('D13: each moment is in exactly one period, which ends where the next begins', () => {
  fc.assert(
    fc.property(date, date, (anchor, now) => {
      const period = periodAt(anchor, now);
      expect(period.start <= now && now < period.end).toBe(true);
      expect(periodAt(anchor, period.end).start).toEqual(period.end);
      expect(periodAt(anchor, new Date(period.start.getTime() - 1)).end).toEqual(period.start);
      expect(period.start.getTime() % QUARTER_MS).toBe(0);
    }),
  );
});

test('D13: a period begins on the day of the anchor, or on the last day of a shorter month', () => {
  fc.assert(
    fc.property(date, fc.integer({ min: -500, max: 500 }), (anchor, months) => {
      const moved = monthsFrom(anchor, months);
      const lastDay = new Date(
        Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0),
      ).getUTCDate();
      expect(moved.getUTCDate()).toBe(Math.min(anchor.getUTCDate(), lastDay));
      expect(moved.toISOString().slice(10)).toBe(anchor.toISOString().slice(10));
    }),
  );
});

test.each([
  ['UTC', '2026-11-21T09:00:00Z', '2026-11-21T00:00:00Z'],
  ['Asia/Kathmandu', '2026-11-21T18:20:00Z', '2026-11-21T18:15:00Z'],
  ['Asia/Kathmandu', '2026-11-21T18:14:59Z', '2026-11-20T18:15:00Z'],
  ['America/New_York', '2026-11-01T23:00:00Z', '2026-11-01T04:00:00Z'], // a day of 25 hours
  ['America/New_York', '2026-11-02T04:59:00Z', '2026-11-01T04:00:00Z'],
  ['America/New_York', '2026-03-09T03:59:00Z', '2026-03-08T05:00:00Z'], // of 23
  ['America/Santiago', '2026-09-06T12:00:00Z', '2026-09-06T04:00:00Z'], // that has no midnight
  ['Pacific/Kiritimati', '2026-11-21T10:00:00Z', '2026-11-21T10:00:00Z'],
])('D14: in %s at %s the day began at %s', (zone, now, start) => {
  expect(dayStart(zone, at(now))).toEqual(at(start));
});

const NOVEMBER = { start: at('2026-11-01T00:00:00Z'), end: at('2026-12-01T00:00:00Z') };

test.each([
  [0, '2026-11-16T00:00:00Z', 0],
  [100, '2026-11-16T00:00:00Z', 200],
  [100, '2026-11-11T00:00:00Z', 300],
  [2_002, '2026-11-01T00:17:00Z', 60_060], // the first day counts in full,
  [100, '2026-12-01T00:00:00Z', 100],
])('D14: %i per %s make %i', (count, now, expected) => {
  expect(projected(count, NOVEMBER, at(now))).toBe(expected);
});
