/** The usage of the current billing period (spec 4.2, D14). */
import type { Subscriptions } from '../adapters/subscriptions.ts';
import type { ReadUsage } from '../adapters/usage.ts';
import { UsageView, usageView } from '../core/usage.ts';
import { defineEndpoint, type Endpoint, nothing } from './endpoint.ts';

type Parts = { subscriptions: Pick<Subscriptions, 'find'>; readUsage: ReadUsage };

export function usageEndpoints({ subscriptions, readUsage }: Parts): Endpoint[] {
  return [
    defineEndpoint({
      method: 'GET',
      path: '/usage',
      summary: "Get the usage of the current billing period; a mail counts from its first attempt on, to the time of its receipt",
      permission: 'usage:read',
      query: nothing,
      body: nothing,
      status: 200,
      response: UsageView,
      handle: async ({ caller, now }) => {
        const subscriber = await subscriptions.find(caller.account_id);
        if (subscriber === undefined) throw new Error('the account of a valid token does not exist');
        return usageView(await readUsage(caller, subscriber, now));
      },
    }),
  ];
}
