/**
 * Deliveries that Inlet ends, or queues again, without an attempt or a request (D167): those whose next
 * attempt is long overdue, because no stream has their messages. Both raise the revision, so that a
 * message which exists nevertheless makes no attempt.
 */
import type { ClientSession, Db, Filter } from 'mongodb';

import { type Delivery, revisionOf, tallyOf } from '../../../core/delivery/delivery.ts';
import type { FailedEnd } from '../../../core/delivery/end.ts';
import { addressIdOfEvent, furtherReceiverFields } from '../../../core/delivery/mail-event.ts';
import type { EventOrigin } from '../../../core/event/usage-event.ts';
import {
  BY_ACCOUNT,
  DELIVERIES,
  type DeliveryDocument,
  deliveriesIn,
  type DeliveryKind,
  deliveryOf,
  deliveryKind,
  NOTIFICATION_DELIVERIES,
  OVERDUE,
} from '../documents/delivery-documents.ts';
import { createUsageEvents } from '../audit/events.ts';
import { createAddUsage, createUsageSums } from '../usage/counters.ts';
import { transaction } from '../database/transaction.ts';
import { inRegion } from './delivery-scope.ts';

export type OverduePlace = Pick<Delivery, 'event_id' | 'next_attempt_at'>;

export type OverdueDeliveries = {
  /**
   * Deliveries of this region whose next attempt was due before this time, and that have not changed
   * since. In the order of that time, after a place.
   */
  overdue(
    before: Date,
    region: string | undefined,
    after: OverduePlace | undefined,
    limit: number,
  ): Promise<Delivery[]>;
  /** Deliveries of an account that wait for an attempt; counted up to `most`. */
  countWaiting(accountId: string, most: number): Promise<number>;
  /** @returns the new revision; undefined when the record has changed since it was read */
  markRequeued(delivery: Delivery, now: Date): Promise<number | undefined>;
  /** Ends it as failed. @returns whether the record was still as it was read */
  endLost(delivery: Delivery, now: Date): Promise<boolean>;
};

/** Both values of `status` that wait are the last ones in the alphabet: see the index. */
const WAITS = { $gte: 'pending' } as unknown as DeliveryDocument['status'];

const unchanged = ({ event_id, updated_at, revision }: Delivery): Filter<DeliveryDocument> => ({
  _id: event_id,
  status: { $in: ['pending', 'retrying'] },
  updated_at,
  revision: revision ?? { $exists: false },
});

export function createOverdueDeliveries(db: Db): OverdueDeliveries {
  const countEnd = createCountEnd(db);
  return {
    overdue: async function overdueDeliveries(before, region, after, limit) {
      const behind = after && {
        $or: [
          { next_attempt_at: after.next_attempt_at, _id: { $gt: after.event_id } },
          {
            next_attempt_at:
              after.next_attempt_at === null
                ? { $ne: null, $lt: before }
                : { $gt: after.next_attempt_at, $lt: before },
          },
        ],
      };
      const found = await Promise.all(
        [DELIVERIES, NOTIFICATION_DELIVERIES].map((collection) =>
          deliveriesIn(db, { collection })
            .find(
              {
                $and: [
                  { status: WAITS },
                  { $or: [{ next_attempt_at: null }, { next_attempt_at: { $lt: before } }] },
                  ...(behind ? [behind] : []),
                ],
                updated_at: { $lt: before },
                ...inRegion(region),
              },
              { hint: OVERDUE, projection: { search: 0 } },
            )
            .sort({ next_attempt_at: 1, _id: 1 })
            .limit(limit)
            .toArray(),
        ),
      );
      return found
        .flat()
        .map(deliveryOf)
        .toSorted(
          (one, other) =>
            (one.next_attempt_at?.getTime() ?? 0) - (other.next_attempt_at?.getTime() ?? 0) ||
            (one.event_id < other.event_id ? -1 : 1),
        )
        .slice(0, limit);
    },

    countWaiting: async function countWaiting(account_id, most) {
      return deliveriesIn(db, { collection: DELIVERIES }).countDocuments(
        {
          account_id,
          environment: { $in: ['live', 'test'] },
          status: { $in: ['pending', 'retrying'] },
        },
        { hint: BY_ACCOUNT, limit: most },
      );
    },

    markRequeued: async function markRequeued(delivery, now) {
      const revision = revisionOf(delivery) + 1;
      const { modifiedCount } = await deliveriesIn(db, deliveryKind(delivery.event_id)).updateOne(
        unchanged(delivery),
        { $set: { revision, requeued_at: now, next_attempt_at: now, updated_at: now } },
      );
      return modifiedCount === 0 ? undefined : revision;
    },

    endLost: async function endLost(delivery, now) {
      const kind = deliveryKind(delivery.event_id);
      return transaction(db, async (session) => {
        const before = await deliveriesIn(db, kind).findOneAndUpdate(
          unchanged(delivery),
          {
            $set: {
              status: 'failed',
              ended_as: 'lost',
              next_attempt_at: null,
              updated_at: now,
              revision: revisionOf(delivery) + 1,
            },
            $unset: { offer: '' },
          },
          { session, returnDocument: 'before' },
        );
        if (before === null) return false;
        await countEnd(kind, before, 'lost', {}, now, session);
        return true;
      });
    },
  };
}

/** The end of a delivery without an attempt, in the counters and in the audit trail. */
export function createCountEnd(db: Db) {
  const addUsage = createAddUsage(db);
  const events = createUsageEvents(db);
  return async function countEnd(
    kind: DeliveryKind,
    before: DeliveryDocument,
    outcome: 'canceled' | FailedEnd,
    by: EventOrigin,
    now: Date,
    session: ClientSession,
  ): Promise<void> {
    if (!kind.isEmail) return;
    const sums = createUsageSums();
    sums.add(before, tallyOf(before.status, 'failed', before.email !== undefined));
    await addUsage(sums, session);
    const { _id: event_id, account_id, environment } = before;
    const address_id = addressIdOfEvent(before);
    const of = { account_id, environment, address_id, timestamp: now, ...by };
    const data = { event_id, ...furtherReceiverFields(before) };
    await events.add(
      [
        { ...of, type: 'webhook.failed', data: { ...data, status_code: null, outcome } },
        ...(outcome === 'lost' ? [{ ...of, type: 'email.lost' as const, data }] : []),
      ],
      session,
    );
  };
}
