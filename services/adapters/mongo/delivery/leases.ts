/** Leases of emails, in the records of their deliveries. Each changes only a record that is as it was read. */
import type { Db, Filter, FindOptions } from 'mongodb';

import { type Owned, ownedBy } from '../../../core/address/scope.ts';
import type { Delivery } from '../../../core/delivery/delivery.ts';
import { LOST_AFTER_MS } from '../../../core/delivery/overdue-delivery.ts';
import type { Unread } from '../../../core/delivery/unread.ts';
import {
  collectionOfReceiver,
  DELIVERIES,
  type DeliveryDocument,
  deliveryOf,
  inRegion,
  UNREAD,
  UNREAD_UNTIL,
} from '../documents/delivery-documents.ts';

export type UnreadEmail = Delivery & { unread: Unread };
export type EmailWithLease = Delivery & { unread: Unread & Required<Pick<Unread, 'lease'>> };

/** A receiver in its account and environment, and the region whose streams have the emails. */
export type LeaseScope = Owned & { receiverId: string; region: string | undefined };

/** As a consumer names it: undefined for an email that nobody has now. */
export type LeaseName = { eventId: string; leaseId: string | undefined };

export type DeliveryLeases = {
  /** Emails that can be leased now, oldest first: nobody has a lease, or it has ended. */
  leasable(scope: LeaseScope, now: Date, limit: number): Promise<UnreadEmail[]>;
  /** How many consumers hold; counted up to `most`. */
  countLeased(scope: LeaseScope, now: Date, most: number): Promise<number>;
  /** The emails that still have the lease, in no order. */
  leased(scope: LeaseScope, names: readonly LeaseName[], now: Date): Promise<UnreadEmail[]>;
  /**
   * Gives each email a lease, or the one that it has a later end, while nothing else has changed it.
   * @returns those that are leased so now, in their order: another consumer may have been faster
   */
  lease(emails: readonly EmailWithLease[], until: Date, now: Date): Promise<EmailWithLease[]>;
  /**
   * Consumers no longer ask for the emails of a receiver: what waits is as long overdue as the next
   * sweep needs to queue it again (lost-deliveries.ts).
   */
  stopLeasing(owned: Owned, receiverId: string, now: Date): Promise<void>;
  /** A consumer asks for the emails of a receiver. */
  noteRequest(receiverId: string, now: Date): Promise<void>;
  /** Receivers with emails that end as failed before this time. */
  countUnread(endBefore: Date): Promise<number>;
};

/** An attempt needs neither search terms nor headers, and only the number of attempts. */
const projection = { search: 0, attempt_headers: 0, attempts: { $slice: -1 } };

const ofReceiver = (owned: Owned, receiverId: string): Filter<DeliveryDocument> => ({
  ...ownedBy(owned),
  address_id: receiverId,
});

const inLeaseScope = ({ receiverId, region, ...owned }: LeaseScope) => ({
  ...ofReceiver(owned, receiverId),
  ...inRegion(region),
});

const named = (
  scope: LeaseScope,
  names: readonly LeaseName[],
  now: Date,
): Filter<DeliveryDocument> => ({
  ...inLeaseScope(scope),
  _id: { $in: names.map(({ eventId }) => eventId) },
  $or: names.map(({ eventId: _id, leaseId }) =>
    leaseId === undefined ? { _id, 'offer.at': { $lte: now } } : { _id, 'offer.lease.id': leaseId },
  ),
});

export function createDeliveryLeases(db: Db): DeliveryLeases {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);

  const read = async (
    filter: Filter<DeliveryDocument>,
    options: FindOptions = {},
  ): Promise<UnreadEmail[]> =>
    (await deliveries.find(filter, { projection, ...options }).toArray())
      .map(deliveryOf)
      .filter(isUnread);

  return {
    leasable: (scope, now, limit) =>
      read(
        { ...inLeaseScope(scope), 'offer.at': { $lte: now } },
        { hint: UNREAD, limit, sort: { 'offer.at': 1, _id: 1 } },
      ),

    countLeased: (scope, now, most) =>
      deliveries.countDocuments(
        { ...inLeaseScope(scope), 'offer.at': { $gt: now }, 'offer.lease.id': { $exists: true } },
        { hint: UNREAD, limit: most },
      ),

    leased: async (scope, names, now) => (names.length === 0 ? [] : read(named(scope, names, now))),

    lease: async function leaseEmails(emails, until, updated_at) {
      if (emails.length === 0) return [];
      const changes = emails.map(({ event_id: _id, unread: { at, lease } }) => ({
        updateOne: {
          filter: { _id, 'offer.at': at },
          update: { $set: { 'offer.at': until, 'offer.lease': lease, updated_at } },
        },
      }));
      await deliveries.bulkWrite(changes, { ordered: false });
      const ids = emails.map(({ event_id }) => event_id);
      const found = await read({ _id: { $in: ids }, 'offer.at': until });
      const leases = new Map(found.map(({ event_id, unread }) => [event_id, unread.lease?.id]));
      return emails
        .filter(({ event_id, unread }) => leases.get(event_id) === unread.lease.id)
        .map((email) => ({ ...email, unread: { ...email.unread, at: until } }));
    },

    stopLeasing: async function stopLeasing(owned, receiverId, now) {
      const overdueAt = new Date(now.getTime() - LOST_AFTER_MS);
      await deliveries.updateMany(
        {
          ...ofReceiver(owned, receiverId),
          'offer.at': { $exists: true }, // for the index
          'offer.until': { $exists: true },
        },
        {
          $set: { next_attempt_at: overdueAt, updated_at: overdueAt, began_at: now },
          $unset: { offer: '' },
        },
        { hint: UNREAD },
      );
    },

    noteRequest: async function noteRequest(receiverId, now) {
      await db
        .collection<{ _id: string; pulled_at?: Date }>(collectionOfReceiver(receiverId))
        .updateOne({ _id: receiverId }, { $max: { pulled_at: now } });
    },

    countUnread: async function countUnread(endBefore) {
      const [found] = await deliveries
        .aggregate<{ count: number }>(
          [
            { $match: { 'offer.until': { $lt: endBefore } } },
            { $group: { _id: '$address_id' } },
            { $count: 'count' },
          ],
          { hint: UNREAD_UNTIL },
        )
        .toArray();
      return found?.count ?? 0;
    },
  };
}

const isUnread = (delivery: Delivery): delivery is UnreadEmail => delivery.unread !== undefined;
