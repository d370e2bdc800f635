/**
 * Reads the numbers of GET /usage/daily. Nothing is written for it while email flows: emails are
 * counted already, latencies come from a sample, and an address is counted by its index.
 */
import type { Db } from 'mongodb';

import { type AddressScope, type Owned, ownedBy, reaches } from '../../../core/address/scope.ts';
import type { Period } from '../../../core/billing/period.ts';
import type { UsageInterval } from '../../../core/usage/usage-series.ts';
import { firstIdAt } from '../../../core/id/ids.ts';
import {
  BY_ACCOUNT,
  BY_ADDRESS,
  DELIVERIES,
  type DeliveryDocument,
} from '../documents/delivery-documents.ts';
import { createCountUsageRanges } from './counters.ts';
import { createCountReceivers } from './receiver-counts.ts';

/** One result for each period. Periods are in order and leave no gap. */
export type ReadUsageSeries = (
  scope: AddressScope,
  periods: readonly Period[],
  addressId: string | undefined,
) => Promise<UsageInterval[]>;

const SAMPLE = 100;
const CONCURRENT = 8;

export function createReadUsageSeries(db: Db): ReadUsageSeries {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  const countRanges = createCountUsageRanges(db);
  const countReceivers = createCountReceivers(db);

  /** The latencies of the newest deliveries of the period. */
  const latencies = async (
    owned: Owned,
    { start, end }: Period,
    addressIds: readonly string[] | undefined,
  ): Promise<number[]> => {
    const found = await deliveries
      .find(
        {
          ...ownedBy(owned),
          status: 'delivered',
          _id: { $gte: firstIdAt('evt', start), $lt: firstIdAt('evt', end) },
          ...(addressIds && { address_id: { $in: [...addressIds] } }),
        },
        {
          projection: {
            received_at: 1,
            'attempts.at': 1,
            'attempts.duration_ms': 1,
            'attempts.outcome': 1,
          },
          hint: addressIds === undefined ? BY_ACCOUNT : BY_ADDRESS,
        },
      )
      .sort({ _id: -1 })
      .limit(SAMPLE)
      .toArray();
    return found.flatMap(({ received_at, attempts }) => {
      const accepted = attempts.find(({ outcome }) => outcome === 'accepted');
      return accepted ? [accepted.at.getTime() + accepted.duration_ms - received_at.getTime()] : [];
    });
  };

  return async function readUsageSeries(scope, periods, addressId) {
    const addressIds = addressesInScope(scope, addressId);
    const tallies =
      addressIds === undefined
        ? await countRanges(ownedBy(scope), periods)
        : await countReceivers(scope, periods, addressIds);
    const series = tallies.map((tally): UsageInterval => ({ tally, latenciesMs: [] }));
    const places = series.flatMap(({ tally }, i) => (tally.delivered > 0 ? [i] : []));
    const readNext = async (): Promise<void> => {
      for (let i = places.shift(); i !== undefined; i = places.shift()) {
        const [one, period] = [series[i], periods[i]];
        if (one && period) one.latenciesMs = await latencies(scope, period, addressIds);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, readNext));
    return series;
  };
}

/** The addresses that are asked for, and in the scope; undefined for all of the account. */
function addressesInScope(
  scope: AddressScope,
  addressId: string | undefined,
): readonly string[] | undefined {
  if (addressId === undefined) return scope.address_ids ?? undefined;
  return reaches(scope, addressId) ? [addressId] : [];
}
