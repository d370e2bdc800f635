/** The usage of a billing period (spec 2.2, D14). */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../resource/api-reference.ts';
import { heldOrDropped, type Tally } from '../delivery/delivery.ts';
import { type Period, projected } from '../billing/period.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';
import { type Quota, QuotaView, quotaView } from '../billing/quota.ts';

export const NO_MAIL: Tally = { received: 0, delivered: 0, failed: 0 };

export function addTally(a: Tally, b: Tally): Tally {
  const further_delivered = (a.further_delivered ?? 0) + (b.further_delivered ?? 0);
  const further_failed = (a.further_failed ?? 0) + (b.further_failed ?? 0);
  return {
    received: a.received + b.received,
    delivered: a.delivered + b.delivered,
    failed: a.failed + b.failed,
    ...heldOrDropped({
      held: (a.held ?? 0) + (b.held ?? 0),
      dropped: (a.dropped ?? 0) + (b.dropped ?? 0),
    }),
    ...(further_delivered !== 0 && { further_delivered }),
    ...(further_failed !== 0 && { further_failed }),
  };
}

/** Usage object of spec 2.2. */
export const UsageView = z.object({
  period: z.object({ start: Timestamp, end: Timestamp, current: z.boolean() }),
  emails: z.object({
    total: z
      .int()
      .describe('emails accepted in the period; an email to two addresses counts twice'),
    successful: z.int().describe('of these: webhook accepted'),
    failed: z.int().describe('of these: delivery given up'),
    today: z.int().describe("emails accepted since midnight in the account's time zone"),
  }),
  webhooks: z.object({
    delivered: z.int().describe('deliveries to all receivers of an address'),
    failed: z.int(),
    retrying: z.int().describe('deliveries that wait for a retry now, of any period'),
  }),
  success_rate: z
    .number()
    .describe(
      'share of successful deliveries among those with a final outcome, in percent; 100 when there are none',
    ),
  projected_monthly: z
    .int()
    .describe('projected total at the end of the period, if mail continues at the same rate'),
  quota: QuotaView.nullable(),
  updated_at: Timestamp.describe('time of these numbers'),
});
export type UsageView = z.infer<typeof UsageView>;
describeSchema(UsageView, 'Usage', {
  period: { start: EXAMPLE.period_start, end: EXAMPLE.period_end, current: true },
  emails: { total: 412, successful: 409, failed: 2, today: 12 },
  webhooks: { delivered: 409, failed: 2, retrying: 1 },
  success_rate: 99.51,
  projected_monthly: 610,
  quota: null,
  updated_at: EXAMPLE.now,
});

export type UsageFacts = {
  period: Period;
  inPeriod: Tally;
  today: Tally;
  retrying: number;
  now: Date;
};

export function usageView(
  {
    period,
    inPeriod: { received, delivered, failed, further_delivered = 0, further_failed = 0 },
    today,
    retrying,
    now,
  }: UsageFacts,
  quota: Quota | undefined,
): UsageView {
  const webhooks = { delivered: delivered + further_delivered, failed: failed + further_failed };
  return {
    period: {
      start: timestamp(period.start),
      end: timestamp(period.end),
      current: period.start <= now && now < period.end,
    },
    emails: { total: received, successful: delivered, failed, today: today.received },
    webhooks: { ...webhooks, retrying },
    success_rate: successRate(webhooks.delivered, webhooks.failed),
    projected_monthly: projected(received, period, now),
    quota: quota === undefined ? null : quotaView(quota),
    updated_at: timestamp(now),
  };
}

/** Two decimals, rounded down: 100 only when nothing has failed. */
export const successRate = (delivered: number, failed: number): number =>
  delivered + failed === 0 ? 100 : Math.floor((delivered * 10_000) / (delivered + failed)) / 100;
