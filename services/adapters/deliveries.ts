/** Delivery records and the counters that follow from them (design §6): a batch and its counters are written in one transaction. */
import type { AnyBulkWriteOperation, ClientSession, Db, MongoClient } from 'mongodb';

import { type Attempt, type Delivery, type DeliveryState, type DeliveryStatus, newDelivery, statusNow, tallyOf } from '../core/delivery.ts';
import type { MailEvent, StoredAt } from '../core/mail-event.ts';
import { type CollectionIndexes, isDuplicateKey } from './mongo.ts';

/** What happened to one event: an attempt, or a move to the retry lane without one. */
export type DeliveryChange = {
  event: MailEvent;
  storedAt: StoredAt;
  /** undefined when the mail only waits for its turn */
  attempt: Attempt | undefined;
  status: DeliveryStatus;
  nextAttemptAt: Date | null;
};

export type Deliveries = {
  /** Where these events stand; events without a record are absent. */
  states(eventIds: readonly string[]): Promise<Map<string, DeliveryState>>;
  /** Writes all changes and their counters, or none. An event may appear once. */
  record(changes: readonly DeliveryChange[], now: Date): Promise<void>;
  /** Delivered events from before this time whose bodies still lie in the bucket. */
  bodiesToRemove(deliveredBefore: Date, limit: number): Promise<string[]>;
  bodiesRemoved(eventIds: readonly string[]): Promise<void>;
};

type DeliveryDocument = Omit<Delivery, 'event_id'> & { _id: string };
type UsageDocument = { _id: string; account_id: string; environment: string; day: string; received: number; delivered: number; failed: number };

export const deliveryIndexes: CollectionIndexes = {
  collection: 'deliveries',
  indexes: [
    { key: { account_id: 1, environment: 1, received_at: -1, _id: -1 }, name: 'account_newest_first' },
    { key: { account_id: 1, environment: 1, status: 1, received_at: -1, _id: -1 }, name: 'account_status_newest_first' },
    { key: { address_id: 1, received_at: -1, _id: -1 }, name: 'address_newest_first' },
    { key: { status: 1, updated_at: 1 }, name: 'bodies', partialFilterExpression: { payload_in: 'bucket' } },
  ],
};

export const usageIndexes: CollectionIndexes = {
  collection: 'usage_daily',
  indexes: [{ key: { account_id: 1, environment: 1, day: 1 }, name: 'account_day' }],
};

export function createDeliveries(client: MongoClient, db: Db): Deliveries {
  const deliveries = db.collection<DeliveryDocument>('deliveries');
  const addresses = db.collection<{ _id: string }>('addresses');
  const usage = db.collection<UsageDocument>('usage_daily');

  const write = async (changes: readonly DeliveryChange[], now: Date, session: ClientSession): Promise<void> => {
    const ids = changes.map(({ event }) => event.event_id);
    const before = new Map<string, DeliveryStatus>();
    for await (const { _id, status } of deliveries.find({ _id: { $in: ids } }, { session, projection: { status: 1 } })) before.set(_id, status);
    const counted = countersOf(changes, before);
    await deliveries.bulkWrite(changes.map((change) => deliveryWrite(change, before.get(change.event.event_id), now)), { session, ordered: false });
    if (counted.addresses.size > 0) {
      await addresses.bulkWrite([...counted.addresses].map(([_id, received]) => ({ updateOne: { filter: { _id }, update: { $inc: { email_count: received } } } })), { session, ordered: false });
    }
    if (counted.usage.size > 0) {
      await usage.bulkWrite([...counted.usage.values()].map(usageWrite), { session, ordered: false });
    }
  };

  return {
    states: async (eventIds) => {
      const found = await deliveries
        .aggregate<DeliveryState & { _id: string }>([
          { $match: { _id: { $in: [...eventIds] } } },
          { $project: { status: 1, next_attempt_at: 1, attempts: { $size: '$attempts' }, attempts_before_replay: 1 } },
        ])
        .toArray();
      return new Map(found.map(({ _id, ...state }) => [_id, state]));
    },
    record: async (changes, now) => {
      if (changes.length === 0) return;
      const run = () => client.withSession((session) => session.withTransaction(() => write(changes, now, session)));
      try {
        await run();
      } catch (error) {
        // another dispatcher has made a record of the same event meanwhile: the second try sees it
        if (!isDuplicateKey(error)) throw error;
        await run();
      }
    },
    bodiesToRemove: async (deliveredBefore, limit) => {
      const found = deliveries.find({ payload_in: 'bucket', status: 'delivered', updated_at: { $lt: deliveredBefore } }, { projection: { _id: 1 }, limit });
      return (await found.toArray()).map(({ _id }) => _id);
    },
    bodiesRemoved: async (eventIds) => {
      if (eventIds.length > 0) await deliveries.updateMany({ _id: { $in: [...eventIds] } }, { $set: { payload_in: 'removed' } });
    },
  };
}

function deliveryWrite({ event, storedAt, attempt, status, nextAttemptAt }: DeliveryChange, before: DeliveryStatus | undefined, now: Date): AnyBulkWriteOperation<DeliveryDocument> {
  const current = { status: statusNow(before, status), next_attempt_at: before === 'delivered' ? null : nextAttemptAt, updated_at: now };
  if (before === undefined) {
    const { event_id: _id, ...record } = newDelivery(event, storedAt);
    return { insertOne: { document: { _id, ...record, ...current, attempts: attempt ? [attempt] : [] } } };
  }
  return { updateOne: { filter: { _id: event.event_id }, update: { $set: current, ...(attempt && { $push: { attempts: attempt } }) } } };
}

/** Sums the counter changes of a batch, so that each counter is written once. */
function countersOf(changes: readonly DeliveryChange[], before: ReadonlyMap<string, DeliveryStatus>) {
  const addresses = new Map<string, number>();
  const usage = new Map<string, UsageDocument>();
  for (const { event, status } of changes) {
    const tally = tallyOf(before.get(event.event_id), statusNow(before.get(event.event_id), status));
    if (tally.received > 0) addresses.set(event.address_id, (addresses.get(event.address_id) ?? 0) + tally.received);
    if (tally.received === 0 && tally.delivered === 0 && tally.failed === 0) continue;
    const day = new Date(event.received_at_ms).toISOString().slice(0, 10);
    const _id = `${event.account_id}:${event.environment}:${day}`;
    const sum = usage.get(_id) ?? { _id, account_id: event.account_id, environment: event.environment, day, received: 0, delivered: 0, failed: 0 };
    usage.set(_id, { ...sum, received: sum.received + tally.received, delivered: sum.delivered + tally.delivered, failed: sum.failed + tally.failed });
  }
  return { addresses, usage };
}

const usageWrite = ({ _id, account_id, environment, day, ...counters }: UsageDocument): AnyBulkWriteOperation<UsageDocument> => ({
  updateOne: { filter: { _id }, update: { $setOnInsert: { account_id, environment, day }, $inc: counters }, upsert: true },
});
