/**
 * How much of its plan an account has used (D13), for what refuses its email and for what says so.
 */
import type { PlanCatalogue } from '../../core/billing/billing.ts';
import { limitedPart, type Quota, quotaOf, quotaStatus } from '../../core/billing/quota.ts';
import type { CountUsage } from '../../adapters/mongo/usage/counters.ts';
import type { Subscriber, Subscriptions } from '../../adapters/mongo/billing/subscriptions.ts';

/** Undefined when nothing limits the account. */
export type ReadQuota = (
  subscriber: Pick<Subscriber, 'account_id' | 'subscription'>,
  now: Date,
) => Promise<Quota | undefined>;

/** Only live mail counts (D11). */
export const createReadQuota = (countUsage: CountUsage, plans: PlanCatalogue): ReadQuota =>
  async function readQuota({ account_id, subscription }, now) {
    const part = limitedPart(subscription, plans, now);
    if (part === undefined) return undefined;
    const { received } = await countUsage({ account_id, environment: 'live' }, part.period);
    return quotaOf(part, received);
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
  const readQuota = createReadQuota(countUsage, plans);
  return async function quotaIsSpent(accountId: string): Promise<{ isSpent: boolean }> {
    const subscriber = await subscriptions.find(accountId);
    const now = clock();
    const part = subscriber && limitedPart(subscriber.subscription, plans, now);
    if (subscriber === undefined || part?.terms.over_quota !== 'refuse') return { isSpent: false };
    const quota = await readQuota(subscriber, now);
    return { isSpent: quota !== undefined && quotaStatus(quota) === 'refused' };
  };
}
