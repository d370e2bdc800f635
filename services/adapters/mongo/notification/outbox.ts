/**
 * Usage events that are not published to the notifications of their accounts yet. `createUsageEvents`
 * marks them in the write of the event itself, so a crash loses none. They keep the mark until all
 * their notifications are in the queue, so a crash repeats a publication, which the queue folds.
 */
import type { Db } from 'mongodb';

import { type NotificationRecord, receives } from '../../../core/notification/notification.ts';
import {
  isNotifiable,
  type NotifiableEvent,
} from '../../../core/notification/notification-payload.ts';
import { firstIdAt } from '../../../core/id/ids.ts';
import { ADDRESSES, type StoredAddress } from '../documents/address-documents.ts';
import { type DeliveryDocument, NOTIFICATION_DELIVERIES } from '../documents/delivery-documents.ts';
import { type StoredUsageEvent, USAGE_EVENTS } from '../audit/events.ts';
import type { Notifications } from './notifications.ts';

export type DueEvent = {
  event: NotifiableEvent;
  targets: NotificationRecord[];
  /** Text of the address that the event names; undefined without one. */
  address: string | undefined;
};

export type Outbox = {
  /** The oldest events that are not published yet. */
  due(limit: number): Promise<DueEvent[]>;
  /**
   * Whether this region publishes the event. A queue folds what several processes publish, but each
   * region has a queue of its own. A region that ends in between leaves the event to others after
   * a minute.
   */
  claim(event: NotifiableEvent, region: string | undefined, now: Date): Promise<boolean>;
  /** All notifications of the event are in the queue. */
  published(event: NotifiableEvent): Promise<void>;
  /** Removes the records of deliveries of events before this time. */
  removeDeliveriesBefore(time: Date): Promise<void>;
};

const CLAIM_MS = 60_000;
/** No name of a region, see `REGION`. */
const UNNAMED = '';

export function createOutbox(db: Db, notifications: Pick<Notifications, 'list'>): Outbox {
  const events = db.collection<StoredUsageEvent>(USAGE_EVENTS);
  const addresses = db.collection<StoredAddress>(ADDRESSES);
  const deliveries = db.collection<DeliveryDocument>(NOTIFICATION_DELIVERIES);

  const addressText = async (id: string | null): Promise<string | undefined> =>
    id === null
      ? undefined
      : (await addresses.findOne({ _id: id }, { projection: { address: 1 } }))?.address;

  return {
    due: async function dueEvents(limit) {
      const found = await events
        .find({ to_notify: true }, { hint: 'to_notify' })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      const due: DueEvent[] = [];
      for (const { _id, to_notify: _, notified_by: __, ...fields } of found) {
        const event = { id: _id, ...fields };
        if (!isNotifiable(event)) continue;
        const targets = (await notifications.list(event)).filter((one) => receives(one, event));
        const address = targets.length === 0 ? undefined : await addressText(event.address_id);
        due.push({ event, targets, address });
      }
      return due;
    },

    claim: async function claimEvent({ id }, region = UNNAMED, now) {
      const mayClaim = [
        { notified_by: { $exists: false } },
        { 'notified_by.region': region },
        { 'notified_by.until': { $lt: now } },
      ];
      const until = new Date(now.getTime() + CLAIM_MS);
      const { matchedCount } = await events.updateOne(
        { _id: id, to_notify: true, $or: mayClaim },
        { $set: { notified_by: { region, until } } },
      );
      return matchedCount === 1;
    },

    published: async function markPublished({ id }) {
      await events.updateOne({ _id: id }, { $unset: { to_notify: '', notified_by: '' } });
    },

    removeDeliveriesBefore: async function removeDeliveries(time) {
      await deliveries.deleteMany({ _id: { $lt: firstIdAt('nevt', time) } });
    },
  };
}
