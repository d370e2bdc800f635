/** D37: each part of a period is priced by its own plan. */
import { expect, test } from 'vitest';

import {
  billingView,
  type PlanCatalogue,
  totalCost,
} from '../../../services/core/billing/billing.ts';
import { planParts } from '../../../services/core/billing/plan-parts.ts';
import { fc } from '../../support/random.ts';

const PLANS: PlanCatalogue = {
  currency: 'USD',
  plans: {
    free: { base_cost: 0, emails_included: 1_000, over_quota: 'refuse', overage_cost_per_1000: 0 },
    pro: {
      base_cost: 3_000,
      emails_included: 60_000,
      over_quota: 'bill',
      overage_cost_per_1000: 80,
    },
    business: {
      base_cost: 19_900,
      emails_included: 500_000,
      over_quota: 'bill',
      overage_cost_per_1000: 50,
    },
  },
};
const PERIOD = { start: new Date('2026-04-01'), end: new Date('2026-05-01') }; // 30 days
const april = (day: number, time = '00:00') =>
  new Date(`2026-04-${String(day).padStart(2, '0')}T${time}:00Z`);
const subscription = (plan: string, former_plans: { plan: string; until: Date }[] = []) => ({
  plan,
  former_plans,
  status: 'active' as const,
  anchor: PERIOD.start,
  trial_end: null,
});
const shown = (...given: Parameters<typeof subscription>) =>
  planParts(subscription(...given), PERIOD, PLANS).map(({ plan, period, terms }) => [
    plan,
    (period.end.getTime() - period.start.getTime()) / 86_400_000,
    terms.base_cost,
    terms.emails_included,
  ]);

test.each<[string, Parameters<typeof subscription>, unknown[]]>([
  ['no change: the whole period', ['pro'], [['pro', 30, 3_000, 60_000]]],
  [
    'an upgrade after 10 days: a third of free, two thirds of pro',
    ['pro', [{ plan: 'free', until: april(11) }]],
    [
      ['free', 10, 0, 334],
      ['pro', 20, 2_000, 40_000],
    ],
  ],
  [
    'two changes',
    [
      'free',
      [
        { plan: 'pro', until: april(4) },
        { plan: 'business', until: april(16) },
      ],
    ],
    [
      ['pro', 3, 300, 6_000],
      ['business', 12, 7_960, 200_000],
      ['free', 15, 0, 500],
    ],
  ],
  [
    'a change applies from its quarter hour',
    ['pro', [{ plan: 'free', until: april(11, '06:14') }]],
    [
      ['free', 10.25, 0, 342],
      ['pro', 19.75, 1_975, 39_500],
    ],
  ],
  [
    'changes before the period',
    ['pro', [{ plan: 'free', until: new Date('2026-03-20') }]],
    [['pro', 30, 3_000, 60_000]],
  ],
  [
    'a change after the period: its plan was the former one',
    ['pro', [{ plan: 'free', until: new Date('2026-05-02') }]],
    [['free', 30, 0, 1_000]],
  ],
  [
    'back within a quarter hour: no change',
    [
      'pro',
      [
        { plan: 'pro', until: april(9, '12:01') },
        { plan: 'free', until: april(9, '12:10') },
      ],
    ],
    [['pro', 30, 3_000, 60_000]],
  ],
])('%s', (_, given, expected) => {
  expect(shown(...given)).toEqual(expected);
});

test('parts tile the period, and their shares add up', () => {
  const change = fc.record({
    plan: fc.constantFrom('free', 'pro', 'business'),
    until: fc.date({
      min: new Date('2026-03-15'),
      max: new Date('2026-05-15'),
      noInvalidDate: true,
    }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), (former) => {
      const parts = planParts(subscription('pro', former), PERIOD, PLANS);
      const ends = parts.map(({ period }) => period.end.getTime());
      expect(parts.map(({ period }) => period.start.getTime())).toEqual(
        [PERIOD.start.getTime(), ...ends].slice(0, -1),
      );
      expect(ends.at(-1)).toBe(PERIOD.end.getTime());
      const cost = parts.reduce((sum, { terms }) => sum + terms.base_cost, 0);
      expect(cost).toBeLessThanOrEqual(19_900 + parts.length);
    }),
  );
});

test('the billing object sums the parts; the rest of the period is projected by the current plan', () => {
  const given = subscription('pro', [{ plan: 'free', until: april(11) }]);
  const [free, pro] = planParts(given, PERIOD, PLANS);
  if (free === undefined || pro === undefined) throw new Error('two parts');
  const parts = [
    { terms: free.terms, start: free.period.start, emails: 300 },
    { terms: pro.terms, start: pro.period.start, emails: 30_000 },
  ];
  const view = billingView({ subscription: given, parts, currency: 'USD', now: april(21) });
  expect(view.usage).toEqual({
    emails_included: 40_334,
    emails_used: 30_300,
    emails_remaining: 10_000,
  });
  // 30,000 in 10 of 20 days: 60,000 expected, 20,000 beyond those included, at 80 cents for 1,000
  expect(view.costs).toEqual({
    base_cost: 20,
    overage_cost: 0,
    total_cost: 20,
    projected_cost: 36,
    currency: 'USD',
  });
  expect(totalCost(pro.terms, 60_000)).toBe(3_600);
});
