/**
 * Counters per account, environment and UTC day, and per quarter hour of that day (D14, D28). They
 * change in the transaction of the deliveries that they count, with one update for each day in a
 * batch. Billing periods and the days of all time zones begin at a quarter hour.
 */
import type { AnyBulkWriteOperation, ClientSession, Db } from 'mongodb';

import type { AccountScope } from '../../../core/address/scope.ts';
import type { Tally } from '../../../core/delivery/delivery.ts';
import { type Period, QUARTER_MS } from '../../../core/billing/period.ts';
import { addTally, NO_MAIL } from '../../../core/usage/usage.ts';
import type { CollectionIndexes } from '../database/connection.ts';

export const USAGE_DAILY = 'usage_daily';

export const usageIndexes: CollectionIndexes = {
  collection: USAGE_DAILY,
  indexes: [{ key: { account_id: 1, environment: 1, day: 1 }, name: 'account_day' }],
};

/**
 * `quarters` has an entry for each quarter hour of the day (from 0) with received mail. An absent
 * counter is 0.
 */
export type UsageDocument = {
  _id: string;
  account_id: string;
  environment: string;
  day: string;
  quarters?: Record<string, Partial<Tally>>;
} & Tally;

/** An event counts at its time of receipt. */
type Counted = { account_id: string; environment: string; received_at: Date };

const DAY_MS = 86_400_000;

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

export const usageId = (
  { account_id, environment }: Pick<Counted, 'account_id' | 'environment'>,
  day: string,
): string => `${account_id}:${environment}:${day}`;

export type DayUsage = Omit<UsageDocument, 'quarters'> & { quarters: Record<string, Tally> };

/** Sums the counter changes of a batch, so that each document is written once. */
export function createUsageSums() {
  const sums = new Map<string, DayUsage>();
  return {
    add: ({ account_id, environment, received_at }: Counted, tally: Tally): void => {
      if (Object.values(tally).every((count) => count === 0)) return;
      const day = dayOf(received_at);
      const _id = usageId({ account_id, environment }, day);
      const quarter = Math.floor((received_at.getTime() % DAY_MS) / QUARTER_MS);
      const { quarters, ...sum } = sums.get(_id) ?? {
        _id,
        account_id,
        environment,
        day,
        ...NO_MAIL,
        quarters: {},
      };
      quarters[quarter] = addTally(quarters[quarter] ?? NO_MAIL, tally);
      sums.set(_id, { _id, account_id, environment, day, ...addTally(sum, tally), quarters });
    },
    days: (): DayUsage[] => [...sums.values()],
    writes: (): AnyBulkWriteOperation<UsageDocument>[] =>
      [...sums.values()].map(({ _id, account_id, environment, day, quarters, ...counters }) => ({
        updateOne: {
          filter: { _id, account_id }, // the second is the shard key (D85)
          update: {
            $setOnInsert: { environment, day },
            $inc: { ...counters, ...quarterIncrements(quarters) },
          },
          upsert: true,
        },
      })),
  };
}

/** Adds sums to the counters, in the transaction that writes what they count. */
export function createAddUsage(db: Db) {
  const usage = db.collection<UsageDocument>(USAGE_DAILY);
  return async function addUsage(
    sums: Pick<ReturnType<typeof createUsageSums>, 'writes'>,
    session: ClientSession,
  ): Promise<void> {
    const writes = sums.writes();
    if (writes.length > 0) await usage.bulkWrite(writes, { session, ordered: false });
  };
}

const quarterIncrements = (quarters: Record<string, Tally>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(quarters).flatMap(([quarter, tally]) =>
      Object.entries(tally)
        .filter(([, count]) => count !== 0)
        .map(([name, count]) => [`quarters.${quarter}.${name}`, count]),
    ),
  );

/**
 * Emails received from `start` (inclusive) to `end` (exclusive), both quarter hours, by outcome.
 */
export type CountUsage = (
  scope: AccountScope,
  range: Period,
  session?: ClientSession,
) => Promise<Tally>;

export function createCountUsage(db: Db): CountUsage {
  const countRanges = createCountUsageRanges(db);
  return async function countUsage(scope, range, session) {
    const [tally = NO_MAIL] = await countRanges(scope, [range], session);
    return tally;
  };
}

/** Counts several ranges that are close to each other, with one query. */
type CountUsageRanges = (
  scope: AccountScope,
  ranges: readonly Period[],
  session?: ClientSession,
) => Promise<Tally[]>;

export function createCountUsageRanges(db: Db): CountUsageRanges {
  const usage = db.collection<UsageDocument>(USAGE_DAILY);
  return async function countUsageRanges({ account_id, environment }, ranges, session) {
    const days = ranges.map(({ start, end }) => ({
      first: dayOf(start),
      last: dayOf(new Date(end.getTime() - 1)),
    }));
    // other days count as a whole, so their quarters are not read
    const cut = days.flatMap(({ first, last }) => [first, last]).toSorted();
    const found = await usage
      .find(
        { account_id, environment, day: { $gte: cut[0] ?? '', $lte: cut.at(-1) ?? '' } },
        {
          projection: {
            day: 1,
            received: 1,
            delivered: 1,
            failed: 1,
            held: 1,
            dropped: 1,
            further_delivered: 1,
            further_failed: 1,
            quarters: { $cond: [{ $in: ['$day', cut] }, '$quarters', '$$REMOVE'] },
          },
          ...(session && { session }),
        },
      )
      .toArray();
    return ranges.map((range, i) => {
      const { first = '', last = '' } = days[i] ?? {};
      return found
        .filter(({ day }) => day >= first && day <= last)
        .flatMap((one) =>
          one.day === first || one.day === last ? quartersWithin(one, range) : [one],
        )
        .reduce<Tally>(addTally, NO_MAIL);
    });
  };
}

/** Selects the accounts that received live mail on the UTC day of this time, or the day before. */
export type MailedAccounts = (
  accountIds: readonly string[],
  at: Date,
) => Promise<ReadonlySet<string>>;

export function createMailedAccounts(db: Db): MailedAccounts {
  const usage = db.collection<UsageDocument>(USAGE_DAILY);
  return async function mailedAccounts(accountIds, at) {
    const days = [dayOf(at), dayOf(new Date(at.getTime() - DAY_MS))];
    const ids = accountIds.flatMap((account_id) =>
      days.map((day) => usageId({ account_id, environment: 'live' }, day)),
    );
    const found = usage.find(
      { _id: { $in: ids }, account_id: { $in: [...accountIds] } },
      { projection: { account_id: 1 } },
    );
    return new Set((await found.toArray()).map(({ account_id }) => account_id));
  };
}

function quartersWithin({ day, quarters = {} }: UsageDocument, { start, end }: Period): Tally[] {
  const midnight = Date.parse(day);
  return Object.entries(quarters).flatMap(([quarter, tally]) => {
    const at = midnight + Number(quarter) * QUARTER_MS;
    return at >= start.getTime() && at < end.getTime() ? [{ ...NO_MAIL, ...tally }] : [];
  });
}
