/**
 * Requests that change when a sleeping delivery is attempted (D35). Each changes only a record whose
 * next attempt is still far enough away that no dispatcher can have begun it, and raises the
 * record's revision: a message with an older revision makes no attempt.
 */
import type { ClientSession, Db, Filter } from 'mongodb';

import type { AddressScope } from '../../../core/address/address.ts';
import type { EventOrigin } from '../../../core/event/usage-event.ts';
import { type Delivery, revisionOf, tallyOf } from '../../../core/delivery/delivery.ts';
import { type DeliveryDocument, EMAILS, type Ledger } from '../documents/delivery-documents.ts';
import { createUsageSums, USAGE_DAILY, type UsageDocument } from '../usage/counters.ts';
import { createUsageEvents } from '../audit/events.ts';
import { transaction } from '../transaction.ts';

/** A delivery that may sleep. */
export type Sleeper = Pick<Delivery, 'event_id' | 'revision'>;

export type DeliverySchedule = {
  /** The next attempt is due now. undefined when the delivery does not sleep. */
  makeDue(scope: AddressScope, eventId: string, now: Date): Promise<Delivery | undefined>;
  /**
   * The next attempt is due at the given time, or earlier if it was. Resolves with the ids of those
   * that slept.
   */
  makeManyDue(
    sleepers: readonly (Sleeper & { dueAt: Date })[],
    now: Date,
  ): Promise<ReadonlySet<string>>;
  /** Ends the delivery as failed. undefined when it does not sleep. */
  cancel(
    scope: AddressScope,
    eventId: string,
    by: EventOrigin,
    now: Date,
  ): Promise<Delivery | undefined>;
};

/** More than the clocks of dispatchers and of MongoDB differ. */
const CLOCKS_DIFFER_MS = 2_000;

const sleeps: Filter<DeliveryDocument> = {
  status: { $in: ['pending', 'retrying'] },
  $expr: { $gt: ['$next_attempt_at', { $add: ['$$NOW', CLOCKS_DIFFER_MS] }] },
};
const nextRevision = { revision: { $add: [{ $ifNull: ['$revision', 0] }, 1] } };

const sleeping = (
  { account_id, environment }: AddressScope,
  eventId: string,
): Filter<DeliveryDocument> => ({ _id: eventId, account_id, environment, ...sleeps });

export function createDeliverySchedule(
  db: Db,
  { collection, areEmails }: Ledger = EMAILS,
): DeliverySchedule {
  const deliveries = db.collection<DeliveryDocument>(collection);
  const usage = db.collection<UsageDocument>(USAGE_DAILY);
  const events = createUsageEvents(db);

  /** The end of a canceled delivery, in the counters and in the audit trail. */
  const count = async (
    before: DeliveryDocument,
    by: EventOrigin,
    now: Date,
    session: ClientSession,
  ): Promise<void> => {
    const sums = createUsageSums();
    sums.add(before, tallyOf(before.status, 'failed'));
    await usage.bulkWrite(sums.writes(), { session, ordered: false });
    const { _id: event_id, account_id, environment, address_id } = before;
    await events.add(
      [
        {
          account_id,
          environment,
          type: 'webhook.failed',
          address_id,
          timestamp: now,
          ...by,
          data: { event_id, status_code: null, outcome: 'canceled' },
        },
      ],
      session,
    );
  };

  return {
    makeDue: async function makeDue(scope, eventId, now) {
      const found = await deliveries.findOneAndUpdate(
        sleeping(scope, eventId),
        [{ $set: { next_attempt_at: now, updated_at: now, ...nextRevision } }],
        { returnDocument: 'after' },
      );
      return found === null ? undefined : deliveryOf(found);
    },

    makeManyDue: async function makeManyDue(sleepers, now) {
      if (sleepers.length === 0) return new Set();
      await deliveries.bulkWrite(
        sleepers.map((sleeper) => ({
          updateOne: {
            filter: { _id: sleeper.event_id, ...ofRevision(sleeper), ...sleeps },
            update: [
              {
                $set: {
                  next_attempt_at: { $min: ['$next_attempt_at', sleeper.dueAt] },
                  updated_at: now,
                  ...nextRevision,
                },
              },
            ],
          },
        })),
        { ordered: false },
      );
      const before = new Map(sleepers.map((one) => [one.event_id, revisionOf(one)]));
      const found = await deliveries
        .find({ _id: { $in: [...before.keys()] } }, { projection: { revision: 1 } })
        .toArray();
      const changed = found.filter((one) => revisionOf(one) > (before.get(one._id) ?? Infinity));
      return new Set(changed.map(({ _id }) => _id));
    },

    cancel: async function cancelDelivery(scope, eventId, by, now) {
      return transaction(db, async (session) => {
        const before = await deliveries.findOneAndUpdate(
          sleeping(scope, eventId),
          [
            {
              $set: {
                status: 'failed',
                canceled_at: now,
                next_attempt_at: null,
                updated_at: now,
                ...nextRevision,
              },
            },
          ],
          { session, returnDocument: 'before' },
        );
        if (before === null) return undefined;
        if (areEmails) await count(before, by, now, session);
        return {
          ...deliveryOf(before),
          status: 'failed' as const,
          canceled_at: now,
          next_attempt_at: null,
          updated_at: now,
          revision: revisionOf(before) + 1,
        };
      });
    },
  };
}

/** A record that was never changed by a request has no revision. */
const ofRevision = (sleeper: Sleeper): Filter<DeliveryDocument> => ({
  revision: revisionOf(sleeper) || { $exists: false },
});

const deliveryOf = ({ _id, ...delivery }: DeliveryDocument): Delivery => ({
  event_id: _id,
  ...delivery,
});
