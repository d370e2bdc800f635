/** Reads the numbers of GET /usage (spec 2.2, D14). */
import type { Db } from 'mongodb';

import type { AddressScope } from '../../../core/account/address.ts';
import {
  dayStart,
  type Period,
  periodAt,
  QUARTER_MS,
  quarterOf,
} from '../../../core/account/period.ts';
import type { UsageFacts } from '../../../core/account/usage.ts';
import { BY_ACCOUNT, DELIVERIES, type DeliveryDocument } from '../deliveries.ts';
import type { Subscriber } from './subscriptions.ts';
import { createCountUsage } from './counters.ts';

export type ReadUsage = (
  scope: AddressScope,
  subscriber: Pick<Subscriber, 'timezone' | 'subscription'>,
  now: Date,
) => Promise<UsageFacts>;

export function createReadUsage(db: Db): ReadUsage {
  const countUsage = createCountUsage(db);
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  return async function readUsage({ account_id, environment }, { timezone, subscription }, now) {
    const period = periodAt(subscription.anchor, now);
    const day: Period = {
      start: dayStart(timezone, now),
      end: new Date(quarterOf(now).getTime() + QUARTER_MS),
    };
    const [inPeriod, today, retrying] = await Promise.all([
      countUsage({ account_id, environment }, period),
      countUsage({ account_id, environment }, day),
      deliveries.countDocuments(
        { account_id, environment, status: 'retrying' },
        { hint: BY_ACCOUNT },
      ),
    ]);
    return { period, inPeriod, today, retrying, now };
  };
}
