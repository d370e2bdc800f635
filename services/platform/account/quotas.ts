/**
 * Whether an account has used up its plan, so that its mail is refused (D13). Gateways cache the
 * result like addresses: up to half a minute of further mail is accepted.
 */
import { type PlanCatalogue, quotaIsSpent } from '../../core/billing/billing.ts';
import { periodAt } from '../../core/billing/period.ts';
import { planParts } from '../../core/billing/plan-parts.ts';
import type { CountUsage } from '../../adapters/mongo/usage/counters.ts';
import type { Subscriptions } from '../../adapters/mongo/billing/subscriptions.ts';

export type Quota = { isSpent: boolean };

/** Only live mail counts (D11). An account that does not exist has no quota. */
export function createQuotaLookup(
  subscriptions: Pick<Subscriptions, 'find'>,
  countUsage: CountUsage,
  plans: PlanCatalogue,
  clock: () => Date,
) {
  return async function quotaOf(account_id: string): Promise<Quota> {
    const subscriber = await subscriptions.find(account_id);
    if (subscriber === undefined) return { isSpent: false };
    const { subscription } = subscriber;
    // D37: the current plan's share of the period has its own quota
    const part = planParts(subscription, periodAt(subscription.anchor, clock()), plans).at(-1);
    if (part === undefined || part.terms.over_quota === 'bill') return { isSpent: false };
    const { received } = await countUsage({ account_id, environment: 'live' }, part.period);
    return { isSpent: quotaIsSpent(part.terms, received) };
  };
}
