/** Reads the numbers of GET /usage (spec 2.2, D14). */
import type { Db } from 'mongodb';

import { type AddressScope, type Owned, ownedBy } from '../../../core/address/scope.ts';
import {
  dayStart,
  type Period,
  periodAt,
  QUARTER_MS,
  quarterOf,
} from '../../../core/billing/period.ts';
import type { Tally } from '../../../core/delivery/delivery.ts';
import { NO_MAIL, type UsageFacts } from '../../../core/usage/usage.ts';
import { BY_ACCOUNT, BY_ADDRESS, DELIVERIES } from '../documents/delivery-documents.ts';
import { createTotals } from '../../async/totals.ts';
import type { Subscriber } from '../billing/subscriptions.ts';
import { createReceiversInScope } from '../receiver/receiver-ids.ts';
import { createCountUsageRanges } from './counters.ts';
import { createCountReceivers } from './receiver-counts.ts';

export type ReadUsage = (
  scope: AddressScope,
  subscriber: Pick<Subscriber, 'timezone' | 'subscription'>,
  now: Date,
) => Promise<UsageFacts>;

export function createReadUsage(db: Db): ReadUsage {
  const countRanges = createCountUsageRanges(db);
  const totalOf = createTotals();

  const countReceivers = createCountReceivers(db);
  const receiversInScope = createReceiversInScope(db);

  const countRetrying = (owned: Owned, receiverIds?: readonly string[]): Promise<number> =>
    totalOf(JSON.stringify([ownedBy(owned), receiverIds]), async () => {
      // counts index keys only, unlike the aggregation of countDocuments
      const { n } = await db.command({
        count: DELIVERIES,
        query: {
          ...ownedBy(owned),
          status: 'retrying',
          ...(receiverIds && { address_id: { $in: receiverIds } }),
        },
        hint: receiverIds === undefined ? BY_ACCOUNT : BY_ADDRESS,
      });
      return Number(n);
    });

  /** The emails of these addresses, and what their further receivers got. */
  const countAddresses = async (
    owned: Owned,
    range: Period,
    addressIds: readonly string[],
    receiverIds: readonly string[],
  ): Promise<Tally> => {
    const furtherIds = receiverIds.filter((id) => !addressIds.includes(id));
    const [[own = NO_MAIL], [further = NO_MAIL]] = await Promise.all([
      countReceivers(owned, [range], addressIds),
      furtherIds.length === 0 ? [] : countReceivers(owned, [range], furtherIds),
    ]);
    return { ...own, further_delivered: further.delivered, further_failed: further.failed };
  };

  return async function readUsage(scope, { timezone, subscription }, now) {
    const period = periodAt(subscription.anchor, now);
    const day: Period = {
      start: dayStart(timezone, now),
      end: new Date(quarterOf(now).getTime() + QUARTER_MS),
    };
    const receiver_ids = await receiversInScope(scope);
    const counted = (): Promise<Tally[]> => {
      const { address_ids } = scope;
      if (address_ids === null || receiver_ids === undefined)
        return countRanges(ownedBy(scope), [period, day]);
      const countOf = (range: Period) => countAddresses(scope, range, address_ids, receiver_ids);
      return Promise.all([countOf(period), countOf(day)]);
    };
    const [[inPeriod = NO_MAIL, today = NO_MAIL], retrying] = await Promise.all([
      counted(),
      countRetrying(scope, receiver_ids),
    ]);
    return { period, inPeriod, today, retrying, now };
  };
}
