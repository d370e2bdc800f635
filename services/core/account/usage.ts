/** The usage of a billing period (spec 2.2, D14). */
import { z } from 'zod';

import type { Tally } from '../delivery/delivery.ts';
import { type Period, projected } from './period.ts';
import { Timestamp, timestamp } from '../timestamp.ts';

export const NO_MAIL: Tally = { received: 0, delivered: 0, failed: 0 };

export const addTally = (a: Tally, b: Tally): Tally => ({
  received: a.received + b.received,
  delivered: a.delivered + b.delivered,
  failed: a.failed + b.failed,
});

/** Usage object of spec 2.2. */
export const UsageView = z.object({
  period: z.object({ start: Timestamp, end: Timestamp, current: z.boolean() }),
  emails: z.object({
    total: z.int().describe('accepted in the period; a mail to two addresses counts at both'),
    successful: z.int().describe('of these, those whose webhook was accepted'),
    failed: z.int().describe('of these, those whose delivery was given up'),
    today: z.int().describe("accepted since midnight in the account's time zone"),
  }),
  webhooks: z.object({
    delivered: z.int(),
    failed: z.int(),
    retrying: z.int().describe('waiting for a retry now, whenever their mail was accepted'),
  }),
  success_rate: z
    .number()
    .describe('delivered of those whose outcome is final, in percent; 100 when none is'),
  projected_monthly: z
    .int()
    .describe('the total at the end of the period if mail goes on as in the part that is over'),
  updated_at: Timestamp.describe('as of when these numbers are true'),
});
export type UsageView = z.infer<typeof UsageView>;

export type UsageFacts = {
  period: Period;
  inPeriod: Tally;
  today: Tally;
  retrying: number;
  now: Date;
};

export function usageView({
  period,
  inPeriod: { received, delivered, failed },
  today,
  retrying,
  now,
}: UsageFacts): UsageView {
  return {
    period: {
      start: timestamp(period.start),
      end: timestamp(period.end),
      current: period.start <= now && now < period.end,
    },
    emails: { total: received, successful: delivered, failed, today: today.received },
    webhooks: { delivered, failed, retrying },
    success_rate: successRate(delivered, failed),
    projected_monthly: projected(received, period, now),
    updated_at: timestamp(now),
  };
}

/** To two decimals, rounded down: 100 is said only when nothing has failed. */
export const successRate = (delivered: number, failed: number): number =>
  delivered + failed === 0 ? 100 : Math.floor((delivered * 10_000) / (delivered + failed)) / 100;
