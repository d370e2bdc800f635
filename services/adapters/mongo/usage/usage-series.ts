/**
 * Reads the numbers of GET /usage/daily. Nothing is written for it while email flows: emails are
 * counted already, latencies come from a sample, and an address is counted by its index.
 */
import type { Db, Document } from 'mongodb';

import type { AddressScope } from '../../../core/address/address.ts';
import type { Period } from '../../../core/billing/period.ts';
import { NO_MAIL } from '../../../core/usage/usage.ts';
import type { UsageInterval } from '../../../core/usage/usage-series.ts';
import type { Tally } from '../../../core/delivery/delivery.ts';
import { DELIVERY_STATUSES } from '../../../core/delivery/delivery-view.ts';
import { firstIdAt } from '../../../core/ids.ts';
import {
  BY_ACCOUNT,
  BY_ADDRESS,
  DELIVERIES,
  type DeliveryDocument,
} from '../documents/delivery-documents.ts';
import { createCountUsageRanges } from './counters.ts';

/** One result for each period. Periods are in order and leave no gap. */
export type ReadUsageSeries = (
  scope: AddressScope,
  periods: readonly Period[],
  addressId: string | undefined,
) => Promise<UsageInterval[]>;

const SAMPLE = 100;
const CONCURRENT = 8;

/** How many of a group have this status. */
const sumOf = (status: string): Document => ({
  $sum: { $cond: [{ $eq: ['$status', status] }, 1, 0] },
});

export function createReadUsageSeries(db: Db): ReadUsageSeries {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  const countRanges = createCountUsageRanges(db);

  /** Ids are in order of receipt, so a period is a range of ids. The index covers the query. */
  const countAddress = async (
    { account_id, environment }: AddressScope,
    periods: readonly Period[],
    address_id: string,
  ): Promise<Tally[]> => {
    const bounds = boundsOf(periods);
    const found = await deliveries
      .aggregate<{ _id: string } & Tally>(
        [
          {
            $match: {
              address_id,
              account_id,
              environment,
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

  /** The latencies of the newest deliveries of the period. */
  const latencies = async (
    { account_id, environment }: AddressScope,
    { start, end }: Period,
    address_id: string | undefined,
  ): Promise<number[]> => {
    const found = await deliveries
      .find(
        {
          account_id,
          environment,
          status: 'delivered',
          _id: { $gte: firstIdAt('evt', start), $lt: firstIdAt('evt', end) },
          ...(address_id !== undefined && { address_id }),
        },
        {
          projection: {
            received_at: 1,
            'attempts.at': 1,
            'attempts.duration_ms': 1,
            'attempts.outcome': 1,
          },
          hint: address_id === undefined ? BY_ACCOUNT : BY_ADDRESS,
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
    const tallies =
      addressId === undefined
        ? await countRanges(scope, periods)
        : await countAddress(scope, periods, addressId);
    const series = tallies.map((tally): UsageInterval => ({ tally, latenciesMs: [] }));
    const places = series.flatMap(({ tally }, i) => (tally.delivered > 0 ? [i] : []));
    const readNext = async (): Promise<void> => {
      for (let i = places.shift(); i !== undefined; i = places.shift()) {
        const [one, period] = [series[i], periods[i]];
        if (one && period) one.latenciesMs = await latencies(scope, period, addressId);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, readNext));
    return series;
  };
}

const boundsOf = (periods: readonly Period[]): string[] => [
  ...periods.map(({ start }) => firstIdAt('evt', start)),
  ...periods.slice(-1).map(({ end }) => firstIdAt('evt', end)),
];
