/** Usage by hour or by day, for plots. */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import type { Tally } from '../delivery/delivery.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';
import { dayStart, type Period, QUARTER_MS, quarterOf } from '../billing/period.ts';
import { addTally, NO_MAIL, successRate } from './usage.ts';
import { orNull } from '../resource/described.ts';

export const USAGE_DAYS_MAX = 90;
/** By hour, or for one address, more days would read too much. */
export const USAGE_FINE_DAYS_MAX = 7;

const HOUR_MS = 3_600_000;
const HOURS_PER_DAY = 24;

/** Emails of an interval, and the times to acceptance of a sample of those delivered. */
export type UsageInterval = { tally: Tally; latenciesMs: readonly number[] };

const numbers = {
  received: z.int().describe('emails accepted then'),
  delivered: z.int().describe('of these: webhook accepted'),
  failed: z.int().describe('of these: delivery given up'),
  held: z.int().describe('of these: wait for a release'),
  dropped: z.int().describe('of these: get no webhook'),
  waiting: z.int().describe('of these: wait for an attempt'),
};

const NUMBERS_EXAMPLE = {
  received: 941,
  delivered: 926,
  failed: 4,
  held: 3,
  dropped: 1,
  waiting: 7,
};

export const UsageIntervalView = z.object({
  start: Timestamp.describe('beginning of the hour or day'),
  ...numbers,
  p50_ms: orNull(
    z.int(),
    'median time from receipt to acceptance by the webhook, of up to 100 deliveries; null ' +
      'without any',
  ),
  p95_ms: z.int().nullable().describe('95th percentile of the same times'),
});
export type UsageIntervalView = z.infer<typeof UsageIntervalView>;
describeSchema(UsageIntervalView, 'UsageInterval', {
  start: '2026-11-20T23:00:00Z',
  ...NUMBERS_EXAMPLE,
  p50_ms: 84,
  p95_ms: 310,
});

export const UsageTotalView = z.object({
  ...numbers,
  success_rate: z
    .number()
    .describe(
      'share of delivered emails among those delivered or failed, in percent; 100 when there are none',
    ),
  p50_ms: orNull(
    z.int(),
    'median time from receipt to acceptance by the webhook, estimated from the samples of all ' +
      'intervals, each weighted by its deliveries; null without any',
  ),
  p95_ms: z.int().nullable().describe('95th percentile of the same times'),
});
export type UsageTotalView = z.infer<typeof UsageTotalView>;
describeSchema(UsageTotalView, 'UsageTotal', {
  ...NUMBERS_EXAMPLE,
  success_rate: 99.57,
  p50_ms: 84,
  p95_ms: 310,
});

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

/**
 * The time to acceptance below which this share of the delivered emails is; null without samples.
 * Each sample counts for its part of the deliveries of its interval, so that a quiet hour does not
 * weigh as much as a busy one.
 */
export function latencyPercentile(
  intervals: readonly UsageInterval[],
  share: number,
): number | null {
  const samples = intervals
    .flatMap(({ tally: { delivered }, latenciesMs }) =>
      latenciesMs.map((ms) => ({ ms, weight: delivered / latenciesMs.length })),
    )
    .toSorted((one, other) => one.ms - other.ms);
  const target = samples.reduce((sum, { weight }) => sum + weight, 0) * share;
  let below = 0;
  const found = samples.find(({ weight }) => (below += weight) > target);
  return (found ?? samples.at(-1))?.ms ?? null;
}

/** Emails that an earlier release held are not counted as such: released, they would be below 0. */
function numbersOf({ received, delivered, failed, ...tally }: Tally) {
  const held = Math.max(0, tally.held ?? 0);
  const dropped = Math.max(0, tally.dropped ?? 0);
  const waiting = Math.max(0, received - delivered - failed - held - dropped);
  return { received, delivered, failed, held, dropped, waiting };
}

export const usageIntervalView = ({ start }: Period, of: UsageInterval): UsageIntervalView => ({
  start: timestamp(start),
  ...numbersOf(of.tally),
  p50_ms: latencyPercentile([of], 0.5),
  p95_ms: latencyPercentile([of], 0.95),
});

export function usageTotalView(intervals: readonly UsageInterval[]): UsageTotalView {
  const sum = intervals.reduce((total, { tally }) => addTally(total, tally), NO_MAIL);
  return {
    ...numbersOf(sum),
    success_rate: successRate(sum.delivered, sum.failed),
    p50_ms: latencyPercentile(intervals, 0.5),
    p95_ms: latencyPercentile(intervals, 0.95),
  };
}
