/** Whether an account's mail is to be refused because its plan includes no more (D13). Gateways keep the answer as they keep addresses: an account may go over by half a minute. */
import type { Db } from 'mongodb';

import { type PlanCatalogue, planOf, quotaIsSpent } from '../core/billing.ts';
import { periodAt } from '../core/period.ts';
import { createSubscriptions } from './subscriptions.ts';
import { createCountUsage } from './usage-counters.ts';

export type Quota = { isSpent: boolean };

/** Only live mail counts (D11). An account that is not there has no quota. */
export function createQuotaLookup(db: Db, plans: PlanCatalogue, clock: () => Date) {
  const subscriptions = createSubscriptions(db);
  const countUsage = createCountUsage(db);
  return async function quotaOf(account_id: string): Promise<Quota> {
    const subscriber = await subscriptions.find(account_id);
    if (subscriber === undefined) return { isSpent: false };
    const { subscription } = subscriber;
    const plan = planOf(subscription, plans);
    if (plan.over_quota === 'bill') return { isSpent: false };
    const { received } = await countUsage(
      { account_id, environment: 'live' },
      periodAt(subscription.anchor, clock()),
    );
    return { isSpent: quotaIsSpent(plan, received) };
  };
}
