/** What plans cost (spec 2.4, D13). */
import { expect, test } from 'vitest';

import {
  billingView,
  decimal,
  overageCost,
  type Plan,
  PlanCatalogue,
  statusAt,
  type Subscription,
  totalCost,
} from '../../../services/core/billing/billing.ts';
import { fc } from '../../support/random.ts';

const PRO: Plan = {
  base_cost: 2_900,
  emails_included: 1_000,
  over_quota: 'bill',
  overage_cost_per_1000: 80,
};
const SMALL: Plan = {
  base_cost: 0,
  emails_included: 100,
  over_quota: 'refuse',
  overage_cost_per_1000: 0,
};

test.each<[string, Plan, number, number]>([
  ['none below the included volume', PRO, 1_000, 0],
  ['six emails are less than half a cent', PRO, 1_006, 0],
  ['seven are', PRO, 1_007, 1],
  ['a thousand', PRO, 2_000, 80],
  ['none in a plan that refuses', SMALL, 5_000, 0],
])('D13: overage cost: %s', (_, plan, emails, expected) => {
  expect(overageCost(plan, emails)).toBe(expected);
});

const plans = fc.record({
  base_cost: fc.nat(1_000_000),
  emails_included: fc.nat(1_000_000),
  over_quota: fc.constantFrom('bill', 'refuse'),
  overage_cost_per_1000: fc.nat(100_000),
});

test('D13: costs are integers and never fall with usage', () => {
  fc.assert(
    fc.property(plans, fc.nat(), fc.nat(), (plan, emails, more) => {
      const [less, greater] = [totalCost(plan, emails), totalCost(plan, emails + more)];
      expect(Number.isSafeInteger(less) && less >= plan.base_cost && greater >= less).toBe(true);
    }),
  );
});

test.each<[number, string, number]>([
  [2_900, 'USD', 29],
  [1, 'EUR', 0.01],
  [2_900, 'JPY', 2_900],
  [12_345, 'KWD', 12.345],
])('%i in %s is shown as %d', (minor, currency, expected) => {
  expect(decimal(minor, currency)).toBe(expected);
});

const subscription: Subscription = {
  plan: 'pro',
  status: 'active',
  anchor: new Date('2026-01-31T00:00:00Z'),
  trial_end: null,
};
const NOW = new Date('2026-02-14T00:00:00Z'); // half of the period

const used = (terms: Plan, emails: number) => ({ terms, start: subscription.anchor, emails });

test('spec 2.4: the billing object', () => {
  expect(
    billingView({ subscription, parts: [used(PRO, 1_500)], currency: 'USD', now: NOW }),
  ).toEqual({
    subscription: {
      plan: 'pro',
      status: 'active',
      current_period_start: '2026-01-31T00:00:00Z',
      current_period_end: '2026-02-28T00:00:00Z',
      trial_end: null,
    },
    usage: { emails_included: 1_000, emails_used: 1_500, emails_remaining: 0 },
    costs: {
      base_cost: 29,
      overage_cost: 0.4,
      total_cost: 29.4,
      projected_cost: 30.6,
      currency: 'USD',
    },
    next_billing_date: '2026-02-28T00:00:00Z',
  });
});

test('D13: a period that begins within the trial is free; a trial ends automatically', () => {
  const trial: Subscription = {
    ...subscription,
    status: 'trialing',
    trial_end: new Date('2026-02-15T00:00:00Z'),
  };
  expect(
    billingView({ subscription: trial, parts: [used(PRO, 9_000)], currency: 'USD', now: NOW }),
  ).toMatchObject({
    subscription: { status: 'trialing', trial_end: '2026-02-15T00:00:00Z' },
    costs: { base_cost: 0, overage_cost: 0, total_cost: 0, projected_cost: 0 },
  });
  expect(statusAt(trial, new Date('2026-02-15T00:00:00Z'))).toBe('active');
});

test('D13: a catalogue needs the plan of new accounts', () => {
  expect(PlanCatalogue.safeParse({ currency: 'USD', plans: { free: SMALL } }).success).toBe(true);
  expect(PlanCatalogue.safeParse({ currency: 'USD', plans: { pro: PRO } }).success).toBe(false);
});
