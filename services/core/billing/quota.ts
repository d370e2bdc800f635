/**
 * How much of its plan an account has used, and the one sentence that says with which reply and
 * until when its email is refused. The API, notifications and custom resources show this sentence.
 */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../resource/api-reference.ts';
import { quotaSpent } from '../smtp/smtp-reply.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';
import { hasPlan, type Plan, type PlanCatalogue, type Subscription } from './billing.ts';
import { periodAt } from './period.ts';
import { type PlanPart, planParts } from './plan-parts.ts';

export type Quota = Pick<Plan, 'emails_included' | 'over_quota'> & {
  plan: string;
  /** Live emails since the plan applies in this period: test mail has no quota (D11). */
  emails_used: number;
  resets_at: Date;
};

/** The percentage of the included emails from which on the sentence is shown. */
export const NEAR_PERCENT = 80;

/** D37: the current plan's share of the period has its own quota. Undefined: there is no limit. */
export function limitedPart(
  subscription: Subscription,
  plans: PlanCatalogue,
  now: Date,
): PlanPart | undefined {
  const part = planParts(subscription, periodAt(subscription.anchor, now), plans).at(-1);
  return part && hasPlan(plans, part.plan) ? part : undefined;
}

export const quotaOf = ({ plan, terms, period }: PlanPart, emails_used: number): Quota => ({
  plan,
  emails_included: terms.emails_included,
  emails_used,
  over_quota: terms.over_quota,
  resets_at: period.end,
});

export const usesPercent = ({ emails_used, emails_included }: Quota, percent: number): boolean =>
  emails_used * 100 >= emails_included * percent;

type QuotaStatus = 'open' | 'near' | 'refused';

/** A plan that bills further emails refuses none. */
export function quotaStatus(quota: Quota): QuotaStatus {
  if (quota.over_quota === 'bill' || !usesPercent(quota, NEAR_PERCENT)) return 'open';
  return usesPercent(quota, 100) ? 'refused' : 'near';
}

const REPLY = `${quotaSpent.code} ${quotaSpent.enhanced}`;

export function quotaSentence(quota: Quota): string {
  const { plan, over_quota, resets_at } = quota;
  const until = `until ${resets_at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const [included, used] = [quota.emails_included, quota.emails_used].map((count) =>
    count.toLocaleString('en'),
  );
  const includes = `the plan ${plan} includes ${included} emails`;
  if (quotaStatus(quota) === 'refused')
    return `Email is refused with ${REPLY} ${until}: ${includes}, and ${used} are used.`;
  return over_quota === 'refuse'
    ? `Email will soon be refused with ${REPLY}: ${includes} ${until}, and ${used} are used.`
    : `Emails beyond the plan are billed: ${includes} ${until}, and ${used} are used.`;
}

export const QuotaView = z
  .object({
    plan: z.string(),
    emails_included: z.int().describe('after a plan change: the share of the current plan'),
    emails_used: z
      .int()
      .describe('live emails of the account; after a plan change: those since then'),
    status: z
      .enum(['open', 'near', 'refused'])
      .describe(
        'refused: all included emails are used, and live email is refused with 452 4.2.2; near: ' +
          `${NEAR_PERCENT} % of them are used; open: neither, or the plan bills further emails`,
      ),
    resets_at: Timestamp.describe('from then on, emails are counted from 0 again'),
    message: z
      .string()
      .nullable()
      .describe('the same as a sentence, to be shown as it is; null while the status is open'),
  })
  .describe(
    'the limit of the plan; it is that of the account, so tokens of the test environment, and those ' +
      'that are limited to addresses, see it, too; null: there is no limit, because this ' +
      'installation has no such plan',
  );
export type QuotaView = z.infer<typeof QuotaView>;
describeSchema(QuotaView, 'Quota', {
  plan: 'free',
  emails_included: 1_000,
  emails_used: 412,
  status: 'open',
  resets_at: EXAMPLE.period_end,
  message: null,
});

export function quotaView(quota: Quota): QuotaView {
  const { plan, emails_included, emails_used, resets_at } = quota;
  const status = quotaStatus(quota);
  return {
    plan,
    emails_included,
    emails_used,
    status,
    resets_at: timestamp(resets_at),
    message: status === 'open' ? null : quotaSentence(quota),
  };
}
