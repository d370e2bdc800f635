/** What a plan leaves of an account's email, and the sentence about it (D13, D294). */
import { expect, test } from 'vitest';

import {
  billingView,
  NO_PLANS,
  type PlanCatalogue,
  type Subscription,
} from '../../../services/core/billing/billing.ts';
import { periodAt } from '../../../services/core/billing/period.ts';
import { planParts } from '../../../services/core/billing/plan-parts.ts';
import {
  limitedPart,
  type Quota,
  quotaOf,
  quotaSentence,
  quotaStatus,
  quotaView,
} from '../../../services/core/billing/quota.ts';
import { fc } from '../../support/random.ts';

const RESETS_AT = new Date('2026-12-01T00:15:00Z');
const quota = (fields: Partial<Quota> = {}): Quota => ({
  plan: 'free',
  over_quota: 'refuse',
  emails_included: 1_000,
  emails_used: 0,
  resets_at: RESETS_AT,
  ...fields,
});

test.each<[string, Partial<Quota>, string, string | null]>([
  ['below 80 %', { emails_used: 799 }, 'open', null],
  [
    'from 80 %',
    { emails_used: 800 },
    'near',
    'Email will soon be refused with 452 4.2.2: the plan free includes 1,000 emails ' +
      'until 2026-12-01 00:15 UTC, and 800 are used.',
  ],
  [
    'at 100 %',
    { emails_used: 1_000 },
    'refused',
    'Email is refused with 452 4.2.2 until 2026-12-01 00:15 UTC: ' +
      'the plan free includes 1,000 emails, and 1,000 are used.',
  ],
  [
    'of a plan without emails',
    { emails_included: 0 },
    'refused',
    'Email is refused with 452 4.2.2 until 2026-12-01 00:15 UTC: ' +
      'the plan free includes 0 emails, and 0 are used.',
  ],
  ['of a plan that bills', { over_quota: 'bill', emails_used: 2_000 }, 'open', null],
])('%s', (_, fields, status, message) => {
  expect(quotaView(quota(fields))).toMatchObject({ status, message });
});

test('a plan that bills says so in its notifications', () => {
  expect(quotaSentence(quota({ plan: 'pro', over_quota: 'bill', emails_used: 1_200 }))).toBe(
    'Emails beyond the plan are billed: the plan pro includes 1,000 emails until 2026-12-01 ' +
      '00:15 UTC, and 1,200 are used.',
  );
});

const NOW = new Date('2026-11-21T08:00:00Z');
const names = fc.constantFrom('free', 'pro', 'gone', 'constructor');
const subscriptions = fc.record({
  plan: names,
  status: fc.constant('active' as const),
  anchor: fc.date({ min: new Date('2020-01-01'), max: NOW, noInvalidDate: true }),
  trial_end: fc.constant(null),
  former_plans: fc.array(
    fc.record({
      plan: names,
      until: fc.date({ min: new Date('2026-10-01'), max: NOW, noInvalidDate: true }),
    }),
    { maxLength: 5 },
  ),
});
const CATALOGUE: PlanCatalogue = {
  currency: 'EUR',
  plans: {
    free: { base_cost: 0, emails_included: 100, over_quota: 'refuse', overage_cost_per_1000: 0 },
    pro: { base_cost: 100, emails_included: 100, over_quota: 'bill', overage_cost_per_1000: 10 },
  },
};
const billed = (subscription: Subscription, plans: PlanCatalogue, emails: number) =>
  billingView({
    subscription,
    currency: plans.currency,
    now: NOW,
    parts: planParts(subscription, periodAt(subscription.anchor, NOW), plans).map(
      ({ terms, period: { start } }) => ({ terms, start, emails }),
    ),
  });

test('D294: without a catalogue there is no limit and no cost, whatever plans an account had', () => {
  fc.assert(
    fc.property(subscriptions, fc.nat(1_000_000), (subscription, emails) => {
      expect(limitedPart(subscription, NO_PLANS, NOW)).toBeUndefined();
      expect(billed(subscription, NO_PLANS, emails)).toMatchObject({
        subscription: { plan: subscription.plan },
        usage: { emails_included: 1_000_000_000, emails_remaining: 1_000_000_000 - emails },
        costs: { total_cost: 0, projected_cost: 0 },
      });
    }),
  );
});

/** By plan: its name, and what 1,000 emails do. */
const LIMITS = new Map([
  ['free', ['free', 'refused']],
  ['pro', ['pro', 'open']],
]);

test('D294: with a catalogue, only its own plans have a limit, and only refusing ones refuse', () => {
  fc.assert(
    fc.property(subscriptions, (subscription) => {
      const part = limitedPart(subscription, CATALOGUE, NOW);
      const status = part && quotaStatus(quotaOf(part, 1_000));
      expect([part?.plan, status]).toEqual(LIMITS.get(subscription.plan) ?? [undefined, undefined]);
    }),
  );
});
