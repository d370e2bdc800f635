/** Usage of the present period against the plan, its costs, and the invoices. */
import { ApiError, call } from '../../client/api.ts';
import type { Billing, Usage } from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { formatCount, formatMoney, formatPercent } from '../../parts/format.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { QuotaNotice } from '../../parts/quota-notice.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Status, type Tone } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { usageText } from '../../strings/usage.ts';
import { Invoices } from './invoices.tsx';
import { PeriodPlot } from './period-plot.tsx';

export function UsageScreen() {
  const usage = useResource('usage', (signal) => call('GET /usage', { signal }));
  const billing = useResource('billing', async (signal) =>
    may('billing:read') ? billingOf(signal) : null,
  );
  return (
    <>
      <PageHead
        title={usageText.title}
        facts={
          usage.data && (
            <>
              <span>
                <Time at={usage.data.period.start} as="day" /> {usageText.until}{' '}
                <Time at={usage.data.period.end} as="day" />
              </span>
              <span>
                {usageText.updated} <Time at={usage.data.updated_at} as="full" />
              </span>
            </>
          )
        }
      />
      <Loaded resource={usage} rows={2}>
        {(data) => (
          <>
            <QuotaNotice quota={data.quota} />
            <Figures usage={data} />
          </>
        )}
      </Loaded>
      {usage.data && (
        <PeriodPlot
          usage={usage.data}
          included={
            usage.data.quota
              ? (billing.data?.usage.emails_included ?? usage.data.quota.emails_included)
              : undefined
          }
        />
      )}
      {may('billing:read') && billing.data !== null && usage.data?.quota !== null && (
        <>
          <Loaded resource={billing} rows={2}>
            {(data) => data && <Plan billing={data} />}
          </Loaded>
          {billing.data && hasPrices(billing.data) && <Invoices />}
        </>
      )}
    </>
  );
}

/** Whether the plan costs anything. */
const hasPrices = ({ costs: { base_cost, total_cost, projected_cost } }: Billing): boolean =>
  base_cost + total_cost + projected_cost > 0;

/** Null where the installation has no billing. */
async function billingOf(signal: AbortSignal): Promise<Billing | null> {
  return call('GET /billing', { signal }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  });
}

const Figures = ({ usage }: { usage: Usage }) => (
  <dl class="figures">
    <div>
      <dt>{usageText.emails}</dt>
      <dd>{formatCount(usage.emails.total)}</dd>
      <dd class="soft">
        {formatCount(usage.emails.today)} {usageText.today}
        {usage.quota &&
          `, ${usageText.ofPlan(
            formatCount(usage.quota.emails_used),
            formatCount(usage.quota.emails_included),
          )}`}
      </dd>
    </div>
    <div>
      <dt>{usageText.successRate}</dt>
      <dd>{formatPercent(usage.success_rate / 100)}</dd>
      <dd class="soft">
        {formatCount(usage.webhooks.delivered)} {usageText.delivered.toLowerCase()},{' '}
        {formatCount(usage.webhooks.failed)} {usageText.failed.toLowerCase()}
      </dd>
    </div>
    <div>
      <dt>{usageText.retrying}</dt>
      <dd>{formatCount(usage.webhooks.retrying)}</dd>
    </div>
    <div>
      <dt>{usageText.projected}</dt>
      <dd>{formatCount(usage.projected_monthly)}</dd>
      <dd class="soft">
        {usage.quota && usageText.included(formatCount(usage.quota.emails_included))}
      </dd>
    </div>
  </dl>
);

const SUBSCRIPTION_TONE: Record<Billing['subscription']['status'], Tone> = {
  active: 'good',
  trialing: 'plain',
  past_due: 'bad',
  canceled: 'bad',
};

function Plan({ billing }: { billing: Billing }) {
  const { subscription, costs, next_billing_date } = billing;
  const money = (amount: number) => formatMoney(amount, costs.currency);
  const prices = [
    [usageText.base, money(costs.base_cost)],
    [usageText.overage, money(costs.overage_cost)],
    [usageText.total, money(costs.total_cost)],
    [usageText.projectedCost, money(costs.projected_cost)],
  ] as const;
  const next = <Time key="next" at={next_billing_date} as="full" />;
  const rows = [
    ...(hasPrices(billing) ? prices : []),
    [hasPrices(billing) ? usageText.nextBilling : usageText.nextPeriod, next],
    ...(subscription.trial_end === null
      ? []
      : [[usageText.trialEnd, <Time key="trial" at={subscription.trial_end} as="full" />]]),
  ] as const;
  return (
    <section class="card" aria-labelledby="plan">
      <h2 id="plan">
        {usageText.plan}: {subscription.plan}{' '}
        <Status
          tone={SUBSCRIPTION_TONE[subscription.status]}
          text={usageText.status[subscription.status]}
        />
      </h2>
      <dl class="pairs">
        {rows.map(([label, value]) => (
          <div key={String(label)}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
