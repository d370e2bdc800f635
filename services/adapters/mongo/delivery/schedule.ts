/**
 * Requests that change when a delivery is attempted. A replay resets a delivery that has ended. A
 * retry or a cancellation changes one that sleeps (D35), or whose attempt is overdue. Each raises the
 * record's revision, and a message with an older revision makes no attempt (D165).
 */
import type { ClientSession, Db, Filter } from 'mongodb';

import type { AddressScope } from '../../../core/address/scope.ts';
import type { EventOrigin } from '../../../core/event/usage-event.ts';
import { FINAL_STATUSES } from '../../../core/delivery/delivery-view.ts';
import { OVERDUE_AFTER_MS } from '../../../core/delivery/replay-eligibility.ts';
import { type Delivery, revisionOf, tallyOf } from '../../../core/delivery/delivery.ts';
import {
  ATTEMPT_COUNT,
  byKind,
  DELIVERIES,
  type DeliveryDocument,
  type DeliveryKind,
  deliveriesIn,
  deliveryOf,
  deliveryKind,
} from '../documents/delivery-documents.ts';
import { createAddUsage, createUsageSums } from '../usage/counters.ts';
import { inScope } from './delivery-scope.ts';
import { createCountEnd } from './overdue-deliveries.ts';
import { withRequest } from './requests.ts';
import { transaction } from '../database/transaction.ts';

/** A delivery that may sleep. */
type Sleeper = Pick<Delivery, 'event_id' | 'revision'>;

export type DeliverySchedule = {
  /**
   * Resets deliveries that have ended, or are overdue, to the start of their schedule. Others are
   * unchanged. Resolves with the new revision of each: the caller puts a message of it into the RETRY
   * lane.
   */
  markReplayed(
    replays: readonly { event_id: string; dueAt: Date }[],
    now: Date,
    by?: EventOrigin,
  ): Promise<ReadonlyMap<string, number>>;
  /** The next attempt is due now. undefined when the delivery neither sleeps nor is overdue. */
  makeDue(
    scope: AddressScope,
    eventId: string,
    now: Date,
    by?: EventOrigin,
  ): Promise<Delivery | undefined>;
  /**
   * The next attempt is due at the given time, or earlier if it was. Resolves with the ids of those
   * that slept.
   */
  makeManyDue(
    sleepers: readonly (Sleeper & { dueAt: Date })[],
    now: Date,
    by?: EventOrigin,
  ): Promise<ReadonlySet<string>>;
  /** Held deliveries become dropped; others are unchanged. */
  dropHeld(
    scope: AddressScope,
    eventIds: readonly string[],
    now: Date,
    by?: EventOrigin,
  ): Promise<void>;
  /** Ends the delivery as failed. undefined when it neither sleeps nor is overdue. */
  cancel(
    scope: AddressScope,
    eventId: string,
    by: EventOrigin,
    now: Date,
  ): Promise<Delivery | undefined>;
};

/** An attempt this near may have begun. If it has, its outcome is overtaken, which does no harm. */
const NEAR_MS = 2_000;

const isWaiting: Filter<DeliveryDocument> = { status: { $in: ['pending', 'retrying'] } };
/** As `isOverdue` of core/delivery, by the clock of MongoDB. */
const overdue = {
  $lt: [{ $max: ['$next_attempt_at', '$updated_at'] }, { $subtract: ['$$NOW', OVERDUE_AFTER_MS] }],
};
/** No attempt is in flight or about to begin. */
const sleeps: Filter<DeliveryDocument> = {
  ...isWaiting,
  $expr: { $or: [{ $gt: ['$next_attempt_at', { $add: ['$$NOW', NEAR_MS] }] }, overdue] },
};
export const nextRevision = { revision: { $add: [{ $ifNull: ['$revision', 0] }, 1] } };

const sleeping = (scope: AddressScope, eventId: string): Filter<DeliveryDocument> => ({
  _id: eventId,
  ...inScope(scope),
  ...sleeps,
});

export function createDeliverySchedule(db: Db): DeliverySchedule {
  const addUsage = createAddUsage(db);
  const countEnd = createCountEnd(db);

  const resetEnded = async (
    kind: DeliveryKind,
    dueAt: ReadonlyMap<string, Date>,
    now: Date,
    by: EventOrigin,
    session: ClientSession,
  ): Promise<[id: string, revision: number][]> => {
    const deliveries = deliveriesIn(db, kind);
    const sums = createUsageSums();
    const ended = await deliveries
      .find(
        {
          _id: { $in: [...dueAt.keys()] },
          $or: [{ status: { $in: [...FINAL_STATUSES] } }, { ...isWaiting, $expr: overdue }],
          content_erased_at: { $exists: false },
        },
        {
          session,
          projection: {
            status: 1,
            account_id: 1,
            environment: 1,
            received_at: 1,
            email: 1,
            revision: 1,
          },
        },
      )
      .toArray();
    if (ended.length === 0) return [];
    for (const delivery of ended)
      sums.add(delivery, tallyOf(delivery.status, 'pending', delivery.email !== undefined));
    await deliveries.bulkWrite(
      ended.map(({ _id }) => ({
        updateOne: {
          filter: { _id },
          update: [
            {
              $set: {
                status: 'pending',
                attempts_before_replay: ATTEMPT_COUNT,
                next_attempt_at: dueAt.get(_id) ?? now,
                began_at: now,
                ...nextRevision,
                canceled_at: '$$REMOVE',
                ended_as: '$$REMOVE',
                requeued_at: '$$REMOVE',
                offer: '$$REMOVE',
                content_until: '$$REMOVE', // it begins again with the next delivery
                released_at: {
                  $cond: [
                    { $in: ['$status', ['held', 'dropped']] },
                    now,
                    { $ifNull: ['$released_at', '$$REMOVE'] },
                  ],
                },
                requests: withRequest(
                  { $cond: [{ $in: ['$status', ['held', 'dropped']] }, 'released', 'replayed'] },
                  by,
                  now,
                ),
                updated_at: now,
              },
            },
          ],
        },
      })),
      { session, ordered: false },
    );
    if (kind.isEmail) await addUsage(sums, session);
    return ended.map((one) => [one._id, revisionOf(one) + 1]);
  };

  return {
    markReplayed: async function markReplayed(replays, now, by = {}) {
      const revisions = new Map<string, number>();
      for (const [kind, batch] of byKind(replays, ({ event_id }) => event_id)) {
        const dueAt = new Map(batch.map((replay) => [replay.event_id, replay.dueAt]));
        const reset = await transaction(db, (session) => resetEnded(kind, dueAt, now, by, session));
        for (const [id, revision] of reset) revisions.set(id, revision);
      }
      return revisions;
    },

    makeDue: async function makeDue(scope, eventId, now, by = {}) {
      const found = await deliveriesIn(db, deliveryKind(eventId)).findOneAndUpdate(
        sleeping(scope, eventId),
        [
          {
            $set: {
              next_attempt_at: now,
              offer: '$$REMOVE', // the next attempt offers it again
              requests: withRequest('retried', by, now),
              updated_at: now,
              ...nextRevision,
            },
          },
        ],
        { returnDocument: 'after' },
      );
      return found === null ? undefined : deliveryOf(found);
    },

    makeManyDue: async function makeManyDue(sleepers, now, by = {}) {
      const before = new Map(sleepers.map((one) => [one.event_id, revisionOf(one)]));
      const changed = new Set<string>();
      for (const [kind, batch] of byKind(sleepers, ({ event_id }) => event_id)) {
        await deliveriesIn(db, kind).bulkWrite(
          batch.map((sleeper) => ({
            updateOne: {
              filter: { _id: sleeper.event_id, ...ofRevision(sleeper), ...sleeps },
              update: [
                {
                  $set: {
                    next_attempt_at: { $min: ['$next_attempt_at', sleeper.dueAt] },
                    offer: '$$REMOVE',
                    requests: withRequest('retried', by, now),
                    updated_at: now,
                    ...nextRevision,
                  },
                },
              ],
            },
          })),
          { ordered: false },
        );
        const found = deliveriesIn(db, kind).find(
          { _id: { $in: batch.map(({ event_id }) => event_id) } },
          { projection: { revision: 1 } },
        );
        for await (const one of found)
          if (revisionOf(one) > (before.get(one._id) ?? Infinity)) changed.add(one._id);
      }
      return changed;
    },

    dropHeld: async function dropHeld(scope, eventIds, now, by = {}) {
      const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
      await transaction(db, async (session) => {
        const held = await deliveries
          .find(
            { _id: { $in: [...eventIds] }, ...inScope(scope), status: 'held' },
            { session, projection: { account_id: 1, environment: 1, received_at: 1, email: 1 } },
          )
          .toArray();
        if (held.length === 0) return;
        const sums = createUsageSums();
        for (const one of held) sums.add(one, tallyOf('held', 'dropped', one.email !== undefined));
        await deliveries.updateMany(
          { _id: { $in: held.map(({ _id }) => _id) } },
          [
            {
              $set: {
                status: 'dropped',
                requests: withRequest('dropped', by, now),
                updated_at: now,
              },
            },
          ],
          { session },
        );
        await addUsage(sums, session);
      });
    },

    cancel: async function cancelDelivery(scope, eventId, by, now) {
      const kind = deliveryKind(eventId);
      return transaction(db, async (session) => {
        const before = await deliveriesIn(db, kind).findOneAndUpdate(
          sleeping(scope, eventId),
          [
            {
              $set: {
                status: 'failed',
                canceled_at: now,
                next_attempt_at: null,
                offer: '$$REMOVE',
                requests: withRequest('canceled', by, now),
                updated_at: now,
                ...nextRevision,
              },
            },
          ],
          { session, returnDocument: 'before' },
        );
        if (before === null) return undefined;
        await countEnd(kind, before, 'canceled', by, now, session);
        const canceled = await deliveriesIn(db, kind).findOne({ _id: eventId }, { session });
        return canceled === null ? undefined : deliveryOf(canceled);
      });
    },
  };
}

/** A record that was never changed by a request has no revision. */
const ofRevision = (sleeper: Sleeper): Filter<DeliveryDocument> => ({
  revision: revisionOf(sleeper) || { $exists: false },
});
