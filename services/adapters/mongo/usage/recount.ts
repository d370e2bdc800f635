/**
 * Recounts all deliveries and corrects the counters that differ. Dispatchers may run at the same
 * time. The counters of days that begin before `since` stay as they are.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ClientSession, Db } from 'mongodb';

import type { AccountScope } from '../../../core/address/scope.ts';
import { Environment } from '../../../core/resource/environment.ts';
import { tallyOf } from '../../../core/delivery/delivery.ts';
import { DELIVERY_STATUSES } from '../../../core/delivery/delivery-view.ts';
import { firstIdAt } from '../../../core/id/ids.ts';
import { addTally, NO_MAIL } from '../../../core/usage/usage.ts';
import { BY_ACCOUNT, DELIVERIES, type DeliveryDocument } from '../documents/delivery-documents.ts';
import {
  createUsageSums,
  type DayUsage,
  USAGE_DAILY,
  type UsageDocument,
  usageId,
} from './counters.ts';
import { transaction } from '../database/transaction.ts';

type UsageDifference = {
  account_id: string;
  environment: string;
  day: string;
  counted: DayUsage | undefined;
  right: DayUsage | undefined;
};

const DAY_MS = 86_400_000;

/**
 * Each difference is corrected before it is yielded.
 * @param since records of emails received before are deleted; absent if none are
 */
export async function* recountUsage(db: Db, since = new Date(0)): AsyncGenerator<UsageDifference> {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  const usage = db.collection<UsageDocument>(USAGE_DAILY);

  const accountIds = async (): Promise<Set<string>> => {
    const group = [{ $sort: { account_id: 1 } }, { $group: { _id: '$account_id' } }];
    const found = await Promise.all(
      [deliveries, usage].map((collection) =>
        collection.aggregate<{ _id: string }>(group).toArray(),
      ),
    );
    return new Set(found.flat().map(({ _id }) => _id));
  };

  const counted = async (
    { account_id, environment }: AccountScope,
    day?: string,
    session?: ClientSession,
  ): Promise<DayUsage[]> => {
    const found = usage.find(
      { account_id, environment, ...(day !== undefined && { day }) },
      { ...(session && { session }) },
    );
    return (await found.toArray()).map(normalized);
  };

  /** Ids are in order of receipt, so a day is a range of ids. */
  const recounted = async (
    { account_id, environment }: AccountScope,
    day?: string,
    session?: ClientSession,
  ): Promise<DayUsage[]> => {
    const sums = createUsageSums();
    const _id = day !== undefined && {
      $gte: firstIdAt('evt', new Date(day)),
      $lt: firstIdAt('evt', new Date(Date.parse(day) + DAY_MS)),
    };
    const found = deliveries.find(
      { account_id, environment, status: { $in: [...DELIVERY_STATUSES] }, ...(_id && { _id }) },
      {
        projection: { status: 1, received_at: 1, email: 1 },
        hint: BY_ACCOUNT,
        ...(session && { session }),
      },
    );
    for await (const { status, received_at, email } of found)
      sums.add(
        { account_id, environment, received_at },
        tallyOf(undefined, status, email !== undefined),
      );
    return sums.days().map(normalized);
  };

  /**
   * Compares both sides again in one snapshot, because a difference can be a delivery in flight,
   * and corrects it.
   */
  const correct = (scope: AccountScope, day: string): Promise<UsageDifference | undefined> =>
    transaction(
      db,
      async (session) => {
        const [before] = await counted(scope, day, session);
        const [after] = await recounted(scope, day, session);
        if (isDeepStrictEqual(before, after)) return undefined;
        const _id = usageId(scope, day);
        const { account_id, environment } = scope;
        const which = { _id, account_id };
        if (after) await usage.replaceOne(which, after, { upsert: true, session });
        else await usage.deleteOne(which, { session });
        return { account_id, environment, day, counted: before, right: after };
      },
      { readConcern: { level: 'snapshot' } },
    );

  for (const account_id of await accountIds()) {
    for (const environment of Environment.options) {
      const scope = { account_id, environment };
      const [are, shouldBe] = [await counted(scope), await recounted(scope)].map(
        (days) => new Map(days.map((one) => [one.day, one])),
      ) as [Map<string, DayUsage>, Map<string, DayUsage>];
      for (const day of [...new Set([...are.keys(), ...shouldBe.keys()])].toSorted()) {
        if (Date.parse(day) < since.getTime()) continue;
        if (isDeepStrictEqual(are.get(day), shouldBe.get(day))) continue;
        const difference = await correct(scope, day);
        if (difference) yield difference;
      }
    }
  }
}

/**
 * Normal form for comparison: zeros of emails are explicit, those of further receivers absent, and
 * so is a quarter hour of zeros.
 */
function normalized({
  _id,
  account_id,
  environment,
  day,
  quarters = {},
  ...counted
}: UsageDocument): DayUsage {
  const filled = Object.entries(quarters).map(
    ([quarter, tally]) => [quarter, addTally(NO_MAIL, { ...NO_MAIL, ...tally })] as const,
  );
  const kept = filled.filter(([, tally]) => Object.values(tally).some((count) => count !== 0));
  return {
    _id,
    account_id,
    environment,
    day,
    ...addTally(NO_MAIL, { ...NO_MAIL, ...counted }),
    quarters: Object.fromEntries(kept.toSorted(([a], [b]) => Number(a) - Number(b))),
  };
}
