/** The usage of the current billing period, and the audit trail (spec 4.2, D14, D15). */
import { z } from 'zod';

import type { Subscriptions } from '../../adapters/mongo/metering/subscriptions.ts';
import type { ReadUsage } from '../../adapters/mongo/metering/usage.ts';
import { createCoalescedRead } from '../../adapters/process/coalesce.ts';
import type { PageOfUsageEvents } from '../../adapters/mongo/metering/event-list.ts';
import { envelope, envelopeOf, pageQuery } from '../../core/pagination.ts';
import { UsageView, usageView } from '../../core/account/usage.ts';
import { USAGE_EVENT_TYPES, UsageEventView } from '../../core/account/usage-event.ts';
import { dateFields } from './date-fields.ts';
import { defineEndpoint, type Endpoint, nothing } from '../http/endpoint.ts';

type Parts = {
  subscriptions: Pick<Subscriptions, 'find'>;
  readUsage: ReadUsage;
  pageOfEvents: PageOfUsageEvents;
  /** How long events are listed. */ eventsRetentionMs: number;
};

const MINUTE_MS = 60_000;

export function usageEndpoints({
  subscriptions,
  readUsage,
  pageOfEvents,
  eventsRetentionMs,
}: Parts): Endpoint[] {
  const usage = createCoalescedRead<UsageView>();

  return [
    defineEndpoint({
      method: 'GET',
      path: '/usage',
      operationId: 'getUsage',
      summary:
        'Get the usage of the current billing period; an email counts after its first ' +
        'attempt, at its time of receipt',
      permission: 'usage:read',
      query: nothing,
      body: nothing,
      status: 200,
      response: UsageView,
      handle: async ({ caller, now }) => {
        const { account_id, environment } = caller;
        return usage(`${account_id} ${environment}`, async () => {
          const subscriber = await subscriptions.find(account_id);
          if (subscriber === undefined)
            throw new Error('the account of a valid token does not exist');
          return usageView(await readUsage({ account_id, environment }, subscriber, now));
        });
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: '/usage/events',
      operationId: 'listUsageEvents',
      summary:
        'List events, newest first: received emails, delivery attempts, and changes of ' +
        'addresses and tokens',
      permission: 'usage:read',
      query: z.strictObject({
        ...pageQuery({ maxLimit: 1000, defaultLimit: 100 }), // spec section 8
        ...dateFields,
        event_type: z.enum(USAGE_EVENT_TYPES).optional().describe('only events of this type'),
      }),
      body: nothing,
      status: 200,
      response: envelopeOf(UsageEventView),
      handle: async ({
        caller,
        query: { limit, offset, start_date, end_date: end, event_type },
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
          { event_type, start, end },
          { limit, offset },
        );
        return envelope(items, total, { limit, offset });
      },
    }),
  ];
}
