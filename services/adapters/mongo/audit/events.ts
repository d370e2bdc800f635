/**
 * The audit trail in MongoDB (D15): events are written with the change that they describe and
 * removed after EVENTS_RETENTION.
 *
 * `email.received` is not written: the delivery record serves as this event, because its `status`
 * is current and its index counts it exactly. Each attempt is an event of its own, written in the
 * transaction of its outcome. Attempts within records are not ordered by time, so listing them from
 * there would read every record of an account. An event is small: the fields of its email are read
 * from the delivery record. Measured: a batch of 500 outcomes takes 21 ms instead of 15 (12 µs per
 * email); a page of 305,000 events with its total takes 0.2 s, and 0.5 s at offset 100,000.
 */
import type { ClientSession, Db } from 'mongodb';

import { isNotificationType } from '../../../core/notification/notification.ts';
import { type AddressScope, ownedBy } from '../../../core/address/scope.ts';
import { ID_RANDOM_BYTES, newId } from '../../../core/id/ids.ts';
import type { UsageEvent } from '../../../core/event/usage-event.ts';
import { pooledRandom } from '../../process/randomness.ts';
import { type CollectionIndexes } from '../database/connection.ts';
import { duplicatesOf } from '../database/errors.ts';

export const USAGE_EVENTS = 'events';
export const EVENTS_BY_ACCOUNT = 'account_type_time';
const EVENTS_BY_ADDRESS = 'address_time';

export const usageEventIndexes: CollectionIndexes = {
  collection: USAGE_EVENTS,
  indexes: [
    { key: { timestamp: 1, _id: 1 }, name: 'oldest_first' },
    {
      key: { to_notify: 1, _id: 1 },
      name: 'to_notify',
      partialFilterExpression: { to_notify: true },
    },
    {
      key: { account_id: 1, environment: 1, type: 1, timestamp: -1, _id: -1 },
      name: EVENTS_BY_ACCOUNT,
    },
    // for tokens that are limited to addresses
    {
      key: { address_id: 1, timestamp: -1, _id: -1, type: 1 },
      name: EVENTS_BY_ADDRESS,
      partialFilterExpression: { address_id: { $type: 'string' } },
    },
  ],
};

/** Its `_id` is the id of the event. Ids are in order of time. */
export type StoredUsageEvent = Omit<UsageEvent, 'id'> & {
  _id: string;
  /** Present until it is published to the notifications of its account: see outbox.ts. */
  to_notify?: true;
  /** The region that publishes it, until this time: another region then takes its place. */
  notified_by?: { region: string; until: Date };
};

/** The id is random unless it is given. */
export type NewUsageEvent = Omit<UsageEvent, 'id'> & Partial<Pick<UsageEvent, 'id'>>;

/** The condition on the addresses of a scope, and the index that finds the events. */
export const eventsInScope = (scope: AddressScope) =>
  scope.address_ids === null
    ? { query: ownedBy(scope), hint: EVENTS_BY_ACCOUNT }
    : {
        // the type is the condition of the index
        query: {
          ...ownedBy(scope),
          address_id: { $in: [...scope.address_ids], $type: 'string' as const },
        },
        hint: EVENTS_BY_ADDRESS,
      };

export type UsageEvents = {
  /** @param session of the transaction of the change that the events describe, if there is one */
  add(events: readonly NewUsageEvent[], session?: ClientSession): Promise<void>;
  /** Nothing happens when an event of this id exists. */
  addOnce(event: UsageEvent): Promise<void>;
  removeBefore(time: Date): Promise<void>;
};

export function createUsageEvents(db: Db): UsageEvents {
  const collection = db.collection<StoredUsageEvent>(USAGE_EVENTS);
  const add: UsageEvents['add'] = async function addUsageEvents(events, session) {
    if (events.length === 0) return;
    const stored = events.map(({ id, ...event }) => ({
      _id: id ?? newId('evt', event.timestamp, pooledRandom(ID_RANDOM_BYTES)),
      ...event,
      ...(isNotificationType(event.type) && { to_notify: true as const }),
    }));
    await collection.insertMany(stored, { ordered: false, ...(session && { session }) });
  };
  return {
    add,
    addOnce: async function addUsageEventOnce(event) {
      await duplicatesOf(add([event]));
    },
    removeBefore: async function removeUsageEvents(time) {
      await collection.deleteMany({ timestamp: { $lt: time } });
    },
  };
}
