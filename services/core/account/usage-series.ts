/** Usage by hour or by day, for plots. */
import { z } from 'zod';

import type { Tally } from '../delivery/delivery.ts';
import { Timestamp, timestamp } from '../timestamp.ts';
import { dayStart, type Period, QUARTER_MS, quarterOf } from './period.ts';

export const USAGE_DAYS_MAX = 90;
/** By hour, or for one address, more days would read too much. */
export const USAGE_FINE_DAYS_MAX = 7;

const HOUR_MS = 3_600_000;
const HOURS_PER_DAY = 24;

export const UsageIntervalView = z.object({
  start: Timestamp.describe('beginning of the hour or day'),
  received: z.int().describe('emails accepted then'),
  delivered: z.int().describe('of these: webhook accepted'),
  failed: z.int().describe('of these: delivery given up'),
  p50_ms: z
    .int()
    .nullable()
    .describe(
      'median time from receipt to acceptance by the webhook, of up to 100 deliveries; null ' +
        'without any',
    ),
  p95_ms: z.int().nullable().describe('95th percentile of the same times'),
});
export type UsageIntervalView = z.infer<typeof UsageIntervalView>;

/** The last hours or days up to now, oldest first. Days begin at midnight of the time zone. */
export function intervalsUntil(
  now: Date,
  { interval, days, timezone }: { interval: 'hour' | 'day'; days: number; timezone: string },
): Period[] {
  const end = new Date(quarterOf(now).getTime() + QUARTER_MS);
  if (interval === 'hour') {
    const current = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
    return Array.from({ length: days * HOURS_PER_DAY }, (_, i) => {
      const start = current - (days * HOURS_PER_DAY - 1 - i) * HOUR_MS;
      return { start: new Date(start), end: new Date(start + HOUR_MS) };
    });
  }
  const periods: Period[] = [];
  for (let until = end; periods.length < days;) {
    const start = dayStart(timezone, new Date(until.getTime() - 1));
    periods.unshift({ start, end: until });
    until = start;
  }
  return periods;
}

/** The value below which this share of the values lies; null without values. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

export const usageIntervalView = (
  { start }: Period,
  { received, delivered, failed }: Tally,
  latenciesMs: readonly number[],
): UsageIntervalView => ({
  start: timestamp(start),
  received,
  delivered,
  failed,
  p50_ms: percentile(latenciesMs, 0.5),
  p95_ms: percentile(latenciesMs, 0.95),
});
