/**
 * Plans, subscriptions and their costs (spec 2.4, D13). Amounts are integers in minor units; only
 * API objects have decimals.
 */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../resource/api-reference.ts';
import { type Period, periodAt, projected } from './period.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';

const Amount = z.int().min(0).max(1_000_000_000);

export const Plan = z.strictObject({
  base_cost: Amount.describe('cost of one billing period, in minor units'),
  emails_included: z.int().min(0).max(1_000_000_000),
  over_quota: z
    .enum(['bill', 'refuse'])
    .describe('mail beyond the included number: billed or refused'),
  overage_cost_per_1000: Amount.default(0).describe(
    'cost of 1,000 further emails, in minor units; a part of 1,000 costs its share, rounded to the nearest unit',
  ),
});
export type Plan = z.infer<typeof Plan>;

export const PlanCatalogue = z.strictObject({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a currency code, such as EUR')
    .describe('ISO 4217'),
  plans: z
    .record(z.string().min(1).max(50), Plan)
    .refine((plans) => 'free' in plans, 'must have the plan free, which new accounts get'),
});
export type PlanCatalogue = z.infer<typeof PlanCatalogue>;

/** Without the setting `PLANS`: a plan is only a name (D294). */
export const NO_PLANS: PlanCatalogue = { currency: 'USD', plans: {} };

export const hasPlan = ({ plans }: PlanCatalogue, plan: string): boolean =>
  Object.hasOwn(plans, plan);

/** Whether an account may get this plan. */
export const mayHavePlan = (catalogue: PlanCatalogue, plan: string): boolean =>
  hasPlan(catalogue, plan) || Object.keys(catalogue.plans).length === 0;

export const SubscriptionStatus = z.enum(['trialing', 'active', 'past_due', 'canceled']);
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>;
describeSchema(SubscriptionStatus, 'SubscriptionStatus');

export type Subscription = {
  plan: string;
  status: SubscriptionStatus;
  /** Billing periods are counted from this time. */
  anchor: Date;
  trial_end: Date | null;
  /** Plans before the current one, and when each ended (D37). */
  former_plans?: readonly { plan: string; until: Date }[];
};

/** The terms of a plan that is not in the catalogue: nothing is charged or refused (D294). */
const UNLIMITED: Plan = {
  base_cost: 0,
  emails_included: 1_000_000_000,
  over_quota: 'bill',
  overage_cost_per_1000: 0,
};

export const planOf = ({ plan }: Pick<Subscription, 'plan'>, catalogue: PlanCatalogue): Plan =>
  (hasPlan(catalogue, plan) && catalogue.plans[plan]) || UNLIMITED;

/** A trial ends automatically. */
export const statusAt = ({ status, trial_end }: Subscription, now: Date): SubscriptionStatus =>
  status === 'trialing' && trial_end !== null && trial_end <= now ? 'active' : status;

/** Whether a period costs nothing: it begins within the trial, or the subscription is canceled. */
export const isFree = ({ status, trial_end }: Subscription, { start }: Period): boolean =>
  status === 'canceled' || (trial_end !== null && start < trial_end);

/** The cost of the emails beyond those included in the plan. */
export function overageCost(plan: Plan, emails: number): number {
  if (plan.over_quota === 'refuse') return 0;
  return Math.floor(
    (Math.max(0, emails - plan.emails_included) * plan.overage_cost_per_1000 + 500) / 1000,
  );
}

export const totalCost = (plan: Plan, emails: number): number =>
  plan.base_cost + overageCost(plan, emails);

/** Minor units as the decimal number that JSON shows: 2900 cents are 29, 2900 yen are 2900. */
export const decimal = (minor: number, currency: string): number =>
  minor / 10 ** minorDigits(currency);

export const minorDigits = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
    .maximumFractionDigits ?? 2;

/** Billing object of spec 2.4. */
export const BillingView = z.object({
  subscription: z.object({
    plan: z.string(),
    status: SubscriptionStatus,
    current_period_start: Timestamp,
    current_period_end: Timestamp,
    trial_end: Timestamp.nullable(),
  }),
  usage: z.object({
    emails_included: z
      .int()
      .describe('after a plan change: the sum of the shares of both plans, by time'),
    emails_used: z.int(),
    emails_remaining: z.int().describe('included emails of the current plan that are left'),
  }),
  costs: z.object({
    base_cost: z
      .number()
      .describe('after a plan change: the sum of the shares of both plans, by time'),
    overage_cost: z.number(),
    total_cost: z.number().describe('cost of the usage so far'),
    projected_cost: z
      .number()
      .describe('estimated cost of the whole period, if usage continues at the same rate'),
    currency: z.string().describe('ISO 4217'),
  }),
  next_billing_date: Timestamp,
});
export type BillingView = z.infer<typeof BillingView>;
describeSchema(BillingView, 'Billing', {
  subscription: {
    plan: 'pro',
    status: 'active',
    current_period_start: EXAMPLE.period_start,
    current_period_end: EXAMPLE.period_end,
    trial_end: null,
  },
  usage: { emails_included: 50_000, emails_used: 412, emails_remaining: 49_588 },
  costs: { base_cost: 29, overage_cost: 0, total_cost: 29, projected_cost: 29, currency: 'USD' },
  next_billing_date: EXAMPLE.period_end,
});

/** Terms and live emails of a part of a period: test mail is never billed (D11, D37). */
type UsedPart = { terms: Plan; start: Date; emails: number };

type BillingFacts = {
  subscription: Subscription;
  /** Parts of the current period in order of time. The last one is the current plan's. */
  parts: readonly UsedPart[];
  currency: string;
  now: Date;
};

const sumOf = (parts: readonly UsedPart[], figure: (part: UsedPart) => number): number =>
  parts.reduce((sum, part) => sum + figure(part), 0);

export function billingView({ subscription, parts, currency, now }: BillingFacts): BillingView {
  const period = periodAt(subscription.anchor, now);
  const emailsAtEnd = (part: UsedPart) =>
    part === parts.at(-1)
      ? projected(part.emails, { start: part.start, end: period.end }, now)
      : part.emails;
  const cost = (minor: number) => (isFree(subscription, period) ? 0 : decimal(minor, currency));
  return {
    subscription: {
      plan: subscription.plan,
      status: statusAt(subscription, now),
      current_period_start: timestamp(period.start),
      current_period_end: timestamp(period.end),
      trial_end: subscription.trial_end && timestamp(subscription.trial_end),
    },
    usage: {
      emails_included: sumOf(parts, ({ terms }) => terms.emails_included),
      emails_used: sumOf(parts, ({ emails }) => emails),
      emails_remaining: sumOf(parts.slice(-1), ({ terms, emails }) =>
        Math.max(0, terms.emails_included - emails),
      ),
    },
    costs: {
      base_cost: cost(sumOf(parts, ({ terms }) => terms.base_cost)),
      overage_cost: cost(sumOf(parts, ({ terms, emails }) => overageCost(terms, emails))),
      total_cost: cost(sumOf(parts, ({ terms, emails }) => totalCost(terms, emails))),
      projected_cost: cost(sumOf(parts, (part) => totalCost(part.terms, emailsAtEnd(part)))),
      currency,
    },
    next_billing_date: timestamp(period.end),
  };
}
