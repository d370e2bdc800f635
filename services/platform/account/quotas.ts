/**
 * How much of its plan an account has used (D13), for what refuses its email and for what says so.
 */
import type { PlanCatalogue } from '../../core/billing/billing.ts';
import type { PlanPart } from '../../core/billing/plan-parts.ts';
import { limitedPart, type Quota, quotaOf, quotaStatus } from '../../core/billing/quota.ts';
import type { CountUsage } from '../../adapters/mongo/usage/counters.ts';
import type { Subscriber, Subscriptions } from '../../adapters/mongo/billing/subscriptions.ts';

/** Undefined when nothing limits the account. */
export type ReadQuota = (
  subscriber: Pick<Subscriber, 'account_id' | 'subscription'>,
  now: Date,
) => Promise<Quota | undefined>;

/** Only live mail counts (D11). */
const countedQuota = async (
  countUsage: CountUsage,
  account_id: string,
  part: PlanPart,
): Promise<Quota> => {
  const { received } = await countUsage({ account_id, environment: 'live' }, part.period);
  return quotaOf(part, received);
};

export const createReadQuota = (countUsage: CountUsage, plans: PlanCatalogue): ReadQuota =>
  async function readQuota({ account_id, subscription }, now) {
    const part = limitedPart(subscription, plans, now);
    return part && countedQuota(countUsage, account_id, part);
  };

/** The same by the id of an account. One that does not exist has no quota. */
export type ReadAccountQuota = (accountId: string) => Promise<Quota | undefined>;

export const createReadAccountQuota = (
  subscriptions: Pick<Subscriptions, 'find'>,
  readQuota: ReadQuota,
  clock: () => Date,
): ReadAccountQuota =>
  async function readAccountQuota(accountId) {
    const subscriber = await subscriptions.find(accountId);
    return subscriber && readQuota(subscriber, clock());
  };

/**
 * Whether email of an account is refused. An account that does not exist has no quota. Gateways
 * cache the result like addresses: up to half a minute of further mail is accepted.
 */
export function createQuotaLookup(
  subscriptions: Pick<Subscriptions, 'find'>,
  countUsage: CountUsage,
  plans: PlanCatalogue,
  clock: () => Date,
) {
  return async function quotaIsSpent(accountId: string): Promise<{ isSpent: boolean }> {
    const subscriber = await subscriptions.find(accountId);
    const part = subscriber && limitedPart(subscriber.subscription, plans, clock());
    if (part?.terms.over_quota !== 'refuse') return { isSpent: false };
    const quota = await countedQuota(countUsage, accountId, part);
    return { isSpent: quotaStatus(quota) === 'refused' };
  };
}
