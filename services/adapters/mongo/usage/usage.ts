/** Reads the numbers of GET /usage (spec 2.2, D14). */
import type { Db } from 'mongodb';

import type { AddressScope } from '../../../core/address/address.ts';
import {
  dayStart,
  type Period,
  periodAt,
  QUARTER_MS,
  quarterOf,
} from '../../../core/billing/period.ts';
import { NO_MAIL, type UsageFacts } from '../../../core/usage/usage.ts';
import { BY_ACCOUNT, DELIVERIES } from '../documents/delivery-documents.ts';
import { createTotals } from '../../async/totals.ts';
import type { Subscriber } from '../accounts/subscriptions.ts';
import { createCountUsageRanges } from './counters.ts';

export type ReadUsage = (
  scope: AddressScope,
  subscriber: Pick<Subscriber, 'timezone' | 'subscription'>,
  now: Date,
) => Promise<UsageFacts>;

export function createReadUsage(db: Db): ReadUsage {
  const countRanges = createCountUsageRanges(db);
  const totalOf = createTotals();

  const countRetrying = ({ account_id, environment }: AddressScope): Promise<number> =>
    totalOf(JSON.stringify([account_id, environment]), async () => {
      // counts index keys only, unlike the aggregation of countDocuments
      const { n } = await db.command({
        count: DELIVERIES,
        query: { account_id, environment, status: 'retrying' },
        hint: BY_ACCOUNT,
      });
      return Number(n);
    });

  return async function readUsage({ account_id, environment }, { timezone, subscription }, now) {
    const period = periodAt(subscription.anchor, now);
    const day: Period = {
      start: dayStart(timezone, now),
      end: new Date(quarterOf(now).getTime() + QUARTER_MS),
    };
    const [[inPeriod = NO_MAIL, today = NO_MAIL], retrying] = await Promise.all([
      countRanges({ account_id, environment }, [period, day]),
      countRetrying({ account_id, environment }),
    ]);
    return { period, inPeriod, today, retrying, now };
  };
}
