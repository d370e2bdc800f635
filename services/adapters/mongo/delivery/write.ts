/**
 * Delivery records and the counters derived from them. A batch and its counters are written in one
 * transaction.
 */
import type { ClientSession, Db } from 'mongodb';

import type { DeliveryState } from '../../../core/delivery/delivery.ts';
import { DELIVERY_STATUSES } from '../../../core/delivery/delivery-view.ts';
import type { MailEvent, MailFacts, StoredAt } from '../../../core/delivery/mail-event.ts';
import { firstIdAt } from '../../../core/ids.ts';
import { isDuplicateKey } from '../database/errors.ts';
import {
  ATTEMPT_COUNT,
  BY_ADDRESS,
  byKind,
  collectionOfReceiver,
  DELIVERIES,
  deliveriesIn,
  type DeliveryDocument,
  type DeliveryKind,
} from '../documents/delivery-documents.ts';
import type { AddressDocument } from './address-writes.ts';
import { createAddUsage } from '../usage/counters.ts';
import {
  countersOf,
  type DeliveryChange,
  isOfOtherOffer,
  isOutcome,
  isOvertaken,
  outcomeEvent,
} from './changes.ts';
import { createUsageEvents } from '../audit/events.ts';
import { createNewRecordMarks } from './marks.ts';
import {
  deliveryWrite,
  isWritten,
  LAST_ATTEMPTS,
  type Recorded,
  waitWrite,
} from './record-writes.ts';
import { transaction } from '../database/transaction.ts';
import { inRegion } from './delivery-scope.ts';

export type DeliveryWrites = {
  /** The delivery states of these events; events without a record are absent. */
  states(eventIds: readonly string[]): Promise<Map<string, DeliveryState>>;
  /**
   * The id of the email that was stored there. The address of this event received it in the day
   * before the event.
   */
  eventAt(
    event: Pick<MailFacts, 'account_id' | 'environment' | 'address_id' | 'received_at_ms'>,
    storedAt: StoredAt,
  ): Promise<string | undefined>;
  /**
   * Writes all changes and their counters, or none. Each event may appear once. A repetition of
   * changes that were written changes nothing: an error can hide that MongoDB wrote them.
   * @returns ids of the events that a request changed after the attempt had begun, or a consumer
   */
  record(changes: readonly DeliveryChange[], now: Date): Promise<ReadonlySet<string>>;
};

/** Repeats fold for a day at most. */
const EVENT_AT_WINDOW_MS = 86_400_000 + 3_600_000;
const EVENT_AT_MAX_MS = 1_000;

export function createDeliveryWrites(db: Db): DeliveryWrites {
  const addUsage = createAddUsage(db);
  const events = createUsageEvents(db);
  const marks = createNewRecordMarks(db);

  const recorded = async (
    kind: DeliveryKind,
    changes: readonly DeliveryChange[],
    session: ClientSession,
  ): Promise<Map<string, Recorded>> => {
    if (changes.length === 0) return new Map();
    const _id = { $in: changes.map(({ event }) => event.event_id) };
    const found = deliveriesIn(db, kind).find<Recorded & { _id: string }>(
      { _id },
      {
        session,
        projection: {
          status: 1,
          attempts: ATTEMPT_COUNT,
          revision: 1,
          offer: 1,
          content_erased_at: 1,
          last: { $slice: ['$attempts.at', -LAST_ATTEMPTS] },
        },
      },
    );
    return new Map((await found.toArray()).map((one) => [one._id, one]));
  };

  /** The receivers marked as failing among those that have accepted a webhook. */
  const recoveredBy = async (ids: readonly string[], session: ClientSession) => {
    const found: (AddressDocument & { address_id?: string })[] = [];
    for (const [collection, inIt] of Map.groupBy(ids, collectionOfReceiver))
      found.push(
        ...(await db
          .collection<AddressDocument>(collection)
          .find(
            { _id: { $in: inIt }, failing_noticed_at: { $exists: true } },
            { session, projection: { account_id: 1, environment: 1, address_id: 1 } },
          )
          .toArray()),
      );
    return found;
  };

  const write = async (
    kind: DeliveryKind,
    requested: readonly DeliveryChange[],
    before: ReadonlyMap<string, Recorded>,
    now: Date,
    session: ClientSession,
  ): Promise<void> => {
    const changes = requested.filter((one) => {
      const record = before.get(one.event.event_id);
      if (record === undefined) return true;
      return isOutcome(one) && !isWritten(one, record) && !isOfOtherOffer(one, record);
    });
    const waits = requested.filter(
      (one) => !isOutcome(one) && one.nextAttemptAt !== null && before.has(one.event.event_id),
    );
    const counted = countersOf(changes, before, kind.isEmail);
    // first, because another dispatcher may be changing the same counters
    await addUsage(counted.usage, session);
    if (waits.length > 0)
      await deliveriesIn(db, kind).bulkWrite(waits.map(waitWrite(now)), {
        session,
        ordered: false,
      });
    if (changes.length === 0) return;
    await deliveriesIn(db, kind).bulkWrite(
      changes.map((change) => deliveryWrite(change, before.get(change.event.event_id), now)),
      { session, ordered: false },
    );
    const recovered = await recoveredBy(counted.accepted, session);
    const byCollection = Map.groupBy(counted.receivers, ({ id }) => collectionOfReceiver(id));
    for (const [collection, writes] of byCollection)
      await db.collection<AddressDocument>(collection).bulkWrite(
        writes.map((one) => one.write),
        { session, ordered: false },
      );
    if (!kind.isEmail) return;
    const recoveredEvents = recovered.map(({ _id, account_id, environment, address_id }) => ({
      account_id,
      environment,
      type: 'address.recovered' as const,
      address_id: address_id ?? _id,
      timestamp: now,
      data: { reason: 'delivered', ...(address_id !== undefined && { receiver_id: _id }) },
    }));
    await events.add(
      [...changes.flatMap((one) => outcomeEvent(one, now)), ...recoveredEvents],
      session,
    );
  };

  return {
    states: async (eventIds) => {
      const found = await Promise.all(
        byKind(eventIds, (id) => id).map(([kind, ids]) =>
          deliveriesIn(db, kind)
            .aggregate<DeliveryState & { _id: string }>([
              { $match: { _id: { $in: ids } } },
              {
                $project: {
                  status: 1,
                  next_attempt_at: 1,
                  attempts: ATTEMPT_COUNT,
                  attempts_before_replay: 1,
                  began_at: 1,
                  revision: 1,
                  offer: 1,
                  content_erased_at: 1,
                  released_at: 1,
                  stored_files: 1,
                },
              },
            ])
            .toArray(),
        ),
      );
      return new Map(found.flat().map(({ _id, ...state }) => [_id, state]));
    },
    eventAt: async ({ account_id, environment, address_id, received_at_ms }, stored_at) => {
      const since = new Date(received_at_ms - EVENT_AT_WINDOW_MS);
      const found = await db.collection<DeliveryDocument>(DELIVERIES).findOne(
        {
          address_id,
          account_id,
          environment,
          status: { $in: [...DELIVERY_STATUSES] },
          _id: { $gte: firstIdAt('evt', since) },
          'stored_at.partition': stored_at.partition,
          'stored_at.sequence': stored_at.sequence,
          ...inRegion(stored_at.region),
        },
        { projection: { _id: 1 }, hint: BY_ADDRESS, maxTimeMS: EVENT_AT_MAX_MS },
      );
      return found?._id;
    },
    record: async (changes, now) => {
      if (changes.length === 0) return new Set();
      const batches = byKind(changes, ({ event }) => event.event_id);
      let made: MailEvent[] = [];
      const run = (mayHaveRecord: (change: DeliveryChange) => boolean) =>
        transaction(db, async (session) => {
          const overtaken = new Set<string>();
          for (const [kind, batch] of batches) {
            const before = await recorded(kind, batch.filter(mayHaveRecord), session);
            await write(kind, batch, before, now, session);
            for (const change of batch)
              if (isLate(change, before.get(change.event.event_id)))
                overtaken.add(change.event.event_id);
            if (!kind.isEmail) continue;
            made = batch.map(({ event }) => event).filter(({ event_id }) => !before.has(event_id));
            for (const id of await marks.apply(made, now, session)) overtaken.add(id);
          }
          return overtaken;
        });
      /** A request that did not see the new records has left its mark by now. */
      const marked = async (overtaken: ReadonlySet<string>): Promise<ReadonlySet<string>> => {
        if (!(await marks.exist(made))) return overtaken;
        const changed = await transaction(db, (session) => marks.apply(made, now, session));
        return new Set([...overtaken, ...changed]);
      };
      try {
        return await marked(await run(({ isNew }) => !isNew));
      } catch (error) {
        // another dispatcher inserted a record of the same event in the meantime: the second try
        // finds it
        if (!isDuplicateKey(error)) throw error;
        return marked(await run(() => true));
      }
    },
  };
}

/** Something else has changed the record since the change was decided. */
const isLate = (change: DeliveryChange, before: Recorded | undefined): boolean =>
  isOvertaken(change, before) ||
  (before !== undefined &&
    isOutcome(change) &&
    isOfOtherOffer(change, before) &&
    !isWritten(change, before));
