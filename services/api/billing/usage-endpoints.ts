/** The usage of the current billing period, and the audit trail (spec 4.2, D14, D15). */
import { z } from 'zod';

import type { Subscriptions } from '../../adapters/mongo/billing/subscriptions.ts';
import type { CountUsage } from '../../adapters/mongo/usage/counters.ts';
import type { PlanCatalogue } from '../../core/billing/billing.ts';
import { createReadQuota } from '../../platform/account/quotas.ts';
import type { ReadUsage } from '../../adapters/mongo/usage/usage.ts';
import type { ReadUsageSeries } from '../../adapters/mongo/usage/usage-series.ts';
import { createCoalescedRead } from '../../adapters/async/coalesce.ts';
import type { PageOfUsageEvents } from '../../adapters/mongo/audit/event-list.ts';
import { envelope, envelopeOf, pageQuery } from '../../core/resource/pagination.ts';
import { may } from '../../core/token/token.ts';
import { scopeOf } from '../../core/address/scope.ts';
import { UsageView, usageView } from '../../core/usage/usage.ts';
import {
  intervalsUntil,
  USAGE_DAYS_MAX,
  USAGE_FINE_DAYS_MAX,
  UsageIntervalView,
  usageIntervalView,
  UsageTotalView,
  usageTotalView,
} from '../../core/usage/usage-series.ts';
import { USAGE_EVENT_TYPES, UsageEventView, withoutEmail } from '../../core/event/usage-event.ts';
import { RecordId } from '../http/input/record-id.ts';
import { dateFields } from '../http/input/date-fields.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { optional } from '../../core/resource/described.ts';

type UsageEndpointDependencies = {
  subscriptions: Pick<Subscriptions, 'find'>;
  readUsage: ReadUsage;
  countUsage: CountUsage;
  plans: PlanCatalogue;
  readUsageSeries: ReadUsageSeries;
  pageOfEvents: PageOfUsageEvents;
  /** How long events are listed. */
  eventsRetentionMs: number;
};

const DAYS_DEFAULT = 30;

const SeriesQuery = z.strictObject({
  days: optional(
    z.int().min(1).max(USAGE_DAYS_MAX),
    `number of days up to now; default: ${DAYS_DEFAULT}; by hour or for an address, the ` +
      `last ${USAGE_FINE_DAYS_MAX} at most, which is their default`,
  ),
  interval: z
    .enum(['hour', 'day'])
    .default('day')
    .describe("hours are those of UTC, days those of the account's time zone"),
  address_id: RecordId.optional().describe('only emails of this address'),
});

const MINUTE_MS = 60_000;

export function usageEndpoints({
  subscriptions,
  readUsage,
  countUsage,
  plans,
  readUsageSeries,
  pageOfEvents,
  eventsRetentionMs,
}: UsageEndpointDependencies): Endpoint[] {
  const usage = createCoalescedRead<UsageView>();
  const readQuota = createReadQuota(countUsage, plans);

  return [
    defineEndpoint({
      call: 'GET /usage',
      operationId: 'getUsage',
      summary:
        'Get the usage of the current billing period, and the limit of the plan; an email counts at ' +
        'its time of receipt, within two seconds',
      permission: 'usage:read',
      reach: 'limited',
      response: UsageView,
      handle: async ({ caller, now }) => {
        const scope = scopeOf(caller);
        return usage(JSON.stringify(scope), async () => {
          const subscriber = await subscriptions.find(scope.account_id);
          if (subscriber === undefined)
            throw new Error('the account of a valid token does not exist');
          const [facts, quota] = await Promise.all([
            readUsage(scope, subscriber, now),
            readQuota(subscriber, now),
          ]);
          return usageView(facts, quota);
        });
      },
    }),
    defineEndpoint({
      call: 'GET /usage/daily',
      operationId: 'getUsageSeries',
      isSearch: true,
      summary: 'Get emails and latencies by day or by hour, oldest first',
      permission: 'usage:read',
      reach: 'limited',
      query: SeriesQuery,
      response: z.object({ data: z.array(UsageIntervalView), total: UsageTotalView }),
      handle: async ({ caller, query: { days, interval, address_id }, now }) => {
        const subscriber = await subscriptions.find(caller.account_id);
        if (subscriber === undefined)
          throw new Error('the account of a valid token does not exist');
        const isFine = interval === 'hour' || address_id !== undefined;
        const periods = intervalsUntil(now, {
          interval,
          days: isFine
            ? Math.min(days ?? USAGE_FINE_DAYS_MAX, USAGE_FINE_DAYS_MAX)
            : (days ?? DAYS_DEFAULT),
          timezone: subscriber.timezone,
        });
        const series = await readUsageSeries(caller, periods, address_id);
        return {
          data: periods.flatMap((period, i) => {
            const one = series[i];
            return one ? [usageIntervalView(period, one)] : [];
          }),
          total: usageTotalView(series),
        };
      },
    }),
    defineEndpoint({
      call: 'GET /usage/events',
      operationId: 'listUsageEvents',
      isSearch: true,
      summary:
        'List events, newest first: received emails, delivery attempts, and changes of ' +
        'addresses and tokens',
      permission: 'usage:read',
      reach: 'limited',
      query: z.strictObject({
        ...pageQuery({ maxLimit: 1000, defaultLimit: 100 }), // spec section 8
        ...dateFields,
        event_type: z.enum(USAGE_EVENT_TYPES).optional().describe('only events of this type'),
        by_people: optional(
          z.boolean(),
          'true: only changes that people made: in the dashboard, with a token of a member, or with ' +
            '`inlet admin`. No emails and attempts',
        ),
      }),
      response: envelopeOf(UsageEventView),
      handle: async ({
        caller,
        query: { limit, offset, start_date, end_date: end, event_type, by_people },
        now,
      }) => {
        // whole minutes: requests without a start date share their total
        const retainedFrom = new Date(
          Math.floor((now.getTime() - eventsRetentionMs) / MINUTE_MS) * MINUTE_MS,
        );
        const start =
          start_date !== undefined && start_date > retainedFrom ? start_date : retainedFrom;
        const { items, total } = await pageOfEvents(
          caller,
          { event_type, isByPeople: by_people, start, end },
          { limit, offset },
        );
        const shown = may(caller, 'deliveries:read') ? items : items.map(withoutEmail);
        return envelope(shown, total, { limit, offset });
      },
    }),
  ];
}
