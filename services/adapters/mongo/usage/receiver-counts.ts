/** Counts emails of some receivers by their index, because the counters are of whole accounts. */
import type { Db, Document } from 'mongodb';

import { type Owned, ownedBy } from '../../../core/address/scope.ts';
import type { Period } from '../../../core/billing/period.ts';
import type { Tally } from '../../../core/delivery/delivery.ts';
import { DELIVERY_STATUSES } from '../../../core/delivery/delivery-view.ts';
import { firstIdAt } from '../../../core/id/ids.ts';
import { NO_MAIL } from '../../../core/usage/usage.ts';
import { BY_ADDRESS, DELIVERIES, type DeliveryDocument } from '../documents/delivery-documents.ts';

/** One result for each period. Periods are in order and leave no gap. */
type CountReceivers = (
  owned: Owned,
  periods: readonly Period[],
  receiverIds: readonly string[],
) => Promise<Tally[]>;

/** How many of a group have this status. */
const sumOf = (status: string): Document => ({
  $sum: { $cond: [{ $eq: ['$status', status] }, 1, 0] },
});

export function createCountReceivers(db: Db): CountReceivers {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);

  /** Ids are in order of receipt, so a period is a range of ids. The index covers the query. */
  return async function countReceivers(owned, periods, receiverIds) {
    const bounds = boundsOf(periods);
    const found = await deliveries
      .aggregate<{ _id: string } & Tally>(
        [
          {
            $match: {
              address_id: { $in: [...receiverIds] },
              ...ownedBy(owned),
              status: { $in: [...DELIVERY_STATUSES] },
              _id: { $gte: bounds[0], $lt: bounds.at(-1) },
            },
          },
          {
            $bucket: {
              groupBy: '$_id',
              boundaries: bounds,
              output: {
                received: { $sum: 1 },
                delivered: sumOf('delivered'),
                failed: sumOf('failed'),
                held: sumOf('held'),
                dropped: sumOf('dropped'),
              },
            },
          },
        ],
        { hint: BY_ADDRESS },
      )
      .toArray();
    const byStart = new Map(found.map(({ _id, ...tally }) => [_id, tally]));
    return periods.map((_, i) => byStart.get(bounds[i] ?? '') ?? NO_MAIL);
  };
}

const boundsOf = (periods: readonly Period[]): string[] => [
  ...periods.map(({ start }) => firstIdAt('evt', start)),
  ...periods.slice(-1).map(({ end }) => firstIdAt('evt', end)),
];
