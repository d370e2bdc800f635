/** Counters of each account, environment and day (D14, D28). They change in the transaction of the deliveries that they count. */
import type { AnyBulkWriteOperation } from 'mongodb';

import type { Tally } from '../core/delivery.ts';
import type { CollectionIndexes } from './mongo.ts';

export const USAGE_DAILY = 'usage_daily';

export const usageIndexes: CollectionIndexes = {
  collection: USAGE_DAILY,
  indexes: [{ key: { account_id: 1, environment: 1, day: 1 }, name: 'account_day' }],
};

export type UsageDocument = { _id: string; account_id: string; environment: string; day: string } & Tally;

/** Whose counters an event changes: those of the day on which its mail was received. */
type Counted = { account_id: string; environment: string; received_at: Date };

/** Sums the counter changes of a batch, so that each counter is written once. */
export function createUsageSums() {
  const sums = new Map<string, UsageDocument>();
  return {
    add: ({ account_id, environment, received_at }: Counted, { received, delivered, failed }: Tally): void => {
      if (received === 0 && delivered === 0 && failed === 0) return;
      const day = received_at.toISOString().slice(0, 10);
      const _id = `${account_id}:${environment}:${day}`;
      const sum = sums.get(_id) ?? { _id, account_id, environment, day, received: 0, delivered: 0, failed: 0 };
      sums.set(_id, { ...sum, received: sum.received + received, delivered: sum.delivered + delivered, failed: sum.failed + failed });
    },
    writes: (): AnyBulkWriteOperation<UsageDocument>[] =>
      [...sums.values()].map(({ _id, account_id, environment, day, ...counters }) => ({
        updateOne: { filter: { _id }, update: { $setOnInsert: { account_id, environment, day }, $inc: counters }, upsert: true },
      })),
  };
}
