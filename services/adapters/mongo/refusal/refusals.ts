/**
 * Refusals in MongoDB (D316). Gateways add them in batches; the API lists and removes them. Each ends
 * by itself after REFUSALS_RETENTION, and an account has so many at most.
 */
import type { Db } from 'mongodb';

import { firstIdAt } from '../../../core/id/ids.ts';
import { hourOf, type Refusal } from '../../../core/refusal/refusal.ts';
import type { CollectionIndexes } from '../database/connection.ts';

export const REFUSALS = 'refusals';
export const REFUSALS_BY_ACCOUNT = 'account_last';
/** The oldest ones make room. */
export const REFUSALS_OF_ACCOUNT = 10_000;

export const refusalIndexes: CollectionIndexes = {
  collection: REFUSALS,
  indexes: [
    {
      key: { account_id: 1, environment: 1, last_at: -1, _id: -1 },
      name: REFUSALS_BY_ACCOUNT,
    },
    { key: { until: 1 }, name: 'refusals_end', expireAfterSeconds: 0 },
  ],
};

export type StoredRefusal = Omit<Refusal, 'id'> & { _id: string; until: Date };

/** Adds refusals; several gateways may add to one record. Resolves with the number of records removed. */
export type AddRefusals = (refusals: readonly Refusal[]) => Promise<number>;

/** @param retentionMs after the last email of a record */
export function createAddRefusals(
  db: Db,
  retentionMs: number,
  maximum = REFUSALS_OF_ACCOUNT,
): AddRefusals {
  const stored = db.collection<StoredRefusal>(REFUSALS);

  const makeRoom = async (owner: Pick<Refusal, 'account_id' | 'environment'>): Promise<number> => {
    const oldest = stored.find(owner, {
      projection: { _id: 1 },
      sort: { last_at: -1, _id: -1 },
      hint: REFUSALS_BY_ACCOUNT,
      skip: maximum,
    });
    const ids = (await oldest.toArray()).map(({ _id }) => _id);
    if (ids.length === 0) return 0;
    return (await stored.deleteMany({ _id: { $in: ids } })).deletedCount;
  };

  return async function addRefusals(refusals) {
    if (refusals.length === 0) return 0;
    const written = await stored.bulkWrite(
      refusals.map((refusal) => upsertOf(refusal, retentionMs)),
      { ordered: false },
    );
    const owners = new Map(
      refusals
        .filter((_, at) => at in written.upsertedIds)
        .map(({ account_id, environment }) => [
          `${account_id} ${environment}`,
          { account_id, environment },
        ]),
    );
    let removed = 0;
    for (const owner of owners.values()) removed += await makeRoom(owner);
    return removed;
  };
}

function upsertOf({ id, count, first_at, last_at, ...described }: Refusal, retentionMs: number) {
  const until = new Date(last_at.getTime() + retentionMs);
  return {
    updateOne: {
      filter: { _id: id },
      update: {
        $inc: { count },
        $min: { first_at },
        $max: { last_at, until },
        $set: described,
      },
      upsert: true,
    },
  };
}

/** A mailbox that was refused often in this hour, of any account. */
export type RefusingMailbox = Pick<
  Refusal,
  'account_id' | 'environment' | 'address_id' | 'mailbox' | 'reason' | 'count'
>;

/** @param above so many emails */
export type RefusingMailboxes = (above: number, now: Date) => Promise<RefusingMailbox[]>;

/** Bounds one round: the others follow in the next hour. */
const REFUSING_MAX = 1_000;

export const createRefusingMailboxes = (db: Db): RefusingMailboxes =>
  async function refusingMailboxes(above, now) {
    const key = { account_id: '$account_id', environment: '$environment', mailbox: '$mailbox' };
    return db
      .collection<StoredRefusal>(REFUSALS)
      .aggregate<RefusingMailbox>(
        [
          // ids begin with the hour
          { $match: { _id: { $gte: firstIdAt('rfs', hourOf(now)) } } },
          {
            $group: {
              _id: key,
              count: { $sum: '$count' },
              address_id: { $first: '$address_id' },
              reason: { $first: '$reason' },
            },
          },
          { $match: { count: { $gt: above } } },
          { $limit: REFUSING_MAX },
          { $replaceWith: { $mergeObjects: ['$_id', '$$ROOT'] } },
          { $unset: '_id' },
        ],
        { hint: '_id_' },
      )
      .toArray();
  };
