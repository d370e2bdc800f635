/** The audit trail in MongoDB: entries are written with what they tell of, and go by themselves after their time (D15). */
import { randomBytes } from 'node:crypto';
import type { ClientSession, Db } from 'mongodb';

import { ID_RANDOM_BYTES, newId } from '../core/ids.ts';
import type { UsageEvent } from '../core/usage-event.ts';
import type { CollectionIndexes } from './mongo.ts';

export const USAGE_EVENTS = 'events';

const KEPT_DAYS = 90; // D15

export const usageEventIndexes: CollectionIndexes = {
  collection: USAGE_EVENTS,
  indexes: [{ key: { timestamp: 1 }, name: 'kept', expireAfterSeconds: KEPT_DAYS * 86_400 }],
};

/** Its id is that of the event; ids are in the order of time. */
export type StoredUsageEvent = Omit<UsageEvent, 'id'> & { _id: string };

export type UsageEvents = {
  /** Within the transaction that changes what the events tell of. */
  add(events: readonly Omit<UsageEvent, 'id'>[], session: ClientSession): Promise<void>;
};

export function createUsageEvents(db: Db): UsageEvents {
  const collection = db.collection<StoredUsageEvent>(USAGE_EVENTS);
  return {
    add: async function addUsageEvents(events, session) {
      if (events.length === 0) return;
      await collection.insertMany(events.map((event) => ({ _id: newId('evt', event.timestamp, randomBytes(ID_RANDOM_BYTES)), ...event })), { session });
    },
  };
}
