/**
 * Records when an account has used 80 % and 100 % of the emails that its plan includes. Every API
 * process runs this job; the id of the event is the same in all of them.
 */
import type { CountUsage, MailedAccounts } from '../../adapters/mongo/usage/counters.ts';
import type { UsageEvents } from '../../adapters/mongo/audit/events.ts';
import type { Subscriber, Subscriptions } from '../../adapters/mongo/billing/subscriptions.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import type { PlanCatalogue } from '../../core/billing/billing.ts';
import type { PlanPart } from '../../core/billing/plan-parts.ts';
import {
  limitedPart,
  NEAR_PERCENT,
  quotaOf,
  quotaSentence,
  usesPercent,
} from '../../core/billing/quota.ts';
import { idOfKey } from '../../core/id/ids.ts';

type QuotaSweepDependencies = {
  subscriptions: Pick<Subscriptions, 'all'>;
  mailedAccounts: MailedAccounts;
  countUsage: CountUsage;
  events: Pick<UsageEvents, 'addOnce'>;
  plans: PlanCatalogue;
};

const ROUND_MS = 60_000;
const PERCENTAGES = [NEAR_PERCENT, 100];
const ACCOUNTS_AT_ONCE = 500;

export const startQuotaSweep = ({
  startSweep,
  everyMs = ROUND_MS,
  ...dependencies
}: QuotaSweepDependencies & { startSweep: StartSweep; everyMs?: number }): AsyncDisposable =>
  startSweep('quotas', everyMs, (now) => noticeQuotas(dependencies, now));

/** Only accounts that received live mail today or yesterday can have reached a limit (D11). */
export async function noticeQuotas(dependencies: QuotaSweepDependencies, now: Date): Promise<void> {
  let chunk: Subscriber[] = [];
  const check = async () => {
    const mailed = await dependencies.mailedAccounts(
      chunk.map(({ account_id }) => account_id),
      now,
    );
    for (const subscriber of chunk)
      if (mailed.has(subscriber.account_id)) await noticeQuota(dependencies, subscriber, now);
    chunk = [];
  };
  for await (const subscriber of dependencies.subscriptions.all())
    if (chunk.push(subscriber) === ACCOUNTS_AT_ONCE) await check();
  await check();
}

async function noticeQuota(
  { countUsage, plans, events }: QuotaSweepDependencies,
  { account_id, subscription }: Subscriber,
  now: Date,
): Promise<void> {
  const part = limitedPart(subscription, plans, now);
  if (part === undefined || part.terms.emails_included === 0) return;
  const { received } = await countUsage({ account_id, environment: 'live' }, part.period);
  const quota = quotaOf(part, received);
  for (const percent of PERCENTAGES) {
    if (!usesPercent(quota, percent)) return;
    await events.addOnce({
      id: quotaEventId(account_id, part, percent),
      account_id,
      environment: 'live',
      type: 'quota.near',
      address_id: null,
      timestamp: now,
      data: {
        percent,
        emails_used: received,
        emails_included: quota.emails_included,
        plan: quota.plan,
        over_quota: quota.over_quota,
        message: quotaSentence(quota),
        period_start: part.period.start,
        period_end: part.period.end,
      },
    });
  }
}

const quotaEventId = (accountId: string, { period: { start } }: PlanPart, percent: number) =>
  idOfKey('evt', start, `${accountId} ${start.toISOString()} ${percent}`);
