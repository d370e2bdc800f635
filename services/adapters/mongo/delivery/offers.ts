/**
 * Offers and leases of pull receivers, in the records of their deliveries. Each change is of one
 * record, and only while its offer is as it was read.
 */
import type { Db, Filter } from 'mongodb';

import { type Owned, ownedBy } from '../../../core/address/scope.ts';
import type { Delivery } from '../../../core/delivery/delivery.ts';
import type { Offer } from '../../../core/delivery/offer.ts';
import {
  collectionOfReceiver,
  DELIVERIES,
  type DeliveryDocument,
  deliveryOf,
  OFFERS,
} from '../documents/delivery-documents.ts';
import { inRegion } from './delivery-scope.ts';

export type Offered = Delivery & { offer: Offer };

/** A receiver in its account and environment, and the region whose streams have the emails. */
export type OfferScope = Owned & { receiverId: string; region: string | undefined };

/** A lease as its consumer names it. */
export type LeaseOf = { eventId: string; leaseId: string };

export type DeliveryOffers = {
  /** Whose time has come, oldest first: never leased, or with a lease that has ended. */
  offered(scope: OfferScope, now: Date, limit: number): Promise<Offered[]>;
  /** How many consumers hold; counted up to `most`. */
  countLeased(scope: OfferScope, now: Date, most: number): Promise<number>;
  /** @returns those that are leased now: another consumer may have been faster */
  lease(
    scope: OfferScope,
    offers: readonly Offered[],
    lease: NonNullable<Offer['lease']>,
    until: Date,
  ): Promise<Offered[]>;
  /** Those that still have the lease, in no order. */
  leased(scope: OfferScope, leases: readonly LeaseOf[]): Promise<Offered[]>;
  /** @returns the ids of the events whose leases end then */
  renew(
    scope: OfferScope,
    leases: readonly LeaseOf[],
    since: Date,
    until: Date,
  ): Promise<ReadonlySet<string>>;
  /** Ends leases whose emails did not reach the consumer. They do not count as attempts. */
  unlease(scope: OfferScope, offers: readonly Offered[], now: Date): Promise<void>;
  /** A consumer asks for the emails of a receiver. */
  noteRequest(receiverId: string, now: Date): Promise<void>;
  /** When a consumer asked last; undefined for never. */
  requestedAt(receiverId: string): Promise<Date | undefined>;
};

/** An attempt needs neither search terms nor headers, and only the number of attempts. */
const projection = { search: 0, attempt_headers: 0, attempts: { $slice: -1 } };

const ofReceiver = ({ receiverId, region, ...owned }: OfferScope): Filter<DeliveryDocument> => ({
  ...ownedBy(owned),
  address_id: receiverId,
  ...inRegion(region),
});

const withLease = (leases: readonly LeaseOf[]): Filter<DeliveryDocument> => ({
  $or: leases.map(({ eventId, leaseId }) => ({ _id: eventId, 'offer.lease.id': leaseId })),
});

export function createDeliveryOffers(db: Db): DeliveryOffers {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  const receivers = (id: string) =>
    db.collection<{ _id: string; pulled_at?: Date }>(collectionOfReceiver(id));

  const read = async (filter: Filter<DeliveryDocument>): Promise<Offered[]> =>
    (await deliveries.find(filter, { projection }).toArray()).map(deliveryOf).filter(isOffered);

  return {
    offered: async function offeredDeliveries(scope, now, limit) {
      const found = await deliveries
        .find(
          { ...ofReceiver(scope), 'offer.at': { $lte: now } },
          { projection, hint: OFFERS, limit, sort: { 'offer.at': 1, _id: 1 } },
        )
        .toArray();
      return found.map(deliveryOf).filter(isOffered);
    },

    countLeased: (scope, now, most) =>
      deliveries.countDocuments(
        { ...ofReceiver(scope), 'offer.at': { $gt: now }, 'offer.lease.id': { $exists: true } },
        { hint: OFFERS, limit: most },
      ),

    lease: async function leaseDeliveries(scope, offers, lease, until) {
      if (offers.length === 0) return [];
      await deliveries.bulkWrite(
        offers.map(({ event_id: _id, offer: { at, bytes } }) => ({
          updateOne: {
            filter: { _id, 'offer.at': at, 'offer.lease.id': { $exists: false } },
            update: {
              $set: {
                offer: { at: until, bytes, lease },
                next_attempt_at: until,
                updated_at: lease.since,
              },
            },
          },
        })),
        { ordered: false },
      );
      const mine = await read({
        ...ofReceiver(scope),
        _id: { $in: offers.map(({ event_id }) => event_id) },
        'offer.lease.id': lease.id,
      });
      const order = new Map(offers.map(({ event_id }, index) => [event_id, index]));
      return mine.toSorted(
        (one, other) => (order.get(one.event_id) ?? 0) - (order.get(other.event_id) ?? 0),
      );
    },

    leased: (scope, leases) =>
      leases.length === 0
        ? Promise.resolve([])
        : read({
            ...ofReceiver(scope),
            _id: { $in: leases.map(({ eventId }) => eventId) },
            ...withLease(leases),
          }),

    renew: async function renewLeases(scope, leases, since, until) {
      if (leases.length === 0) return new Set();
      const mine: Filter<DeliveryDocument> = {
        ...ofReceiver(scope),
        _id: { $in: leases.map(({ eventId }) => eventId) },
        ...withLease(leases),
        'offer.lease.since': { $gt: since },
      };
      await deliveries.updateMany(mine, {
        $set: { 'offer.at': until, next_attempt_at: until },
      });
      const renewed = await deliveries
        .find({ ...mine, 'offer.at': until }, { projection: { _id: 1 } })
        .toArray();
      return new Set(renewed.map(({ _id }) => _id));
    },

    unlease: async function unleaseDeliveries(scope, offers, now) {
      if (offers.length === 0) return;
      await deliveries.bulkWrite(
        offers.map(({ event_id: _id, offer: { bytes, lease } }) => ({
          updateOne: {
            filter: { ...ofReceiver(scope), _id, 'offer.lease.id': lease?.id ?? '' },
            update: { $set: { offer: { at: now, bytes }, next_attempt_at: now, updated_at: now } },
          },
        })),
        { ordered: false },
      );
    },

    noteRequest: async function noteRequest(receiverId, now) {
      await receivers(receiverId).updateOne({ _id: receiverId }, { $max: { pulled_at: now } });
    },

    requestedAt: async function readRequestedAt(receiverId) {
      const found = await receivers(receiverId).findOne(
        { _id: receiverId },
        { projection: { pulled_at: 1 } },
      );
      return found?.pulled_at;
    },
  };
}

const isOffered = (delivery: Delivery): delivery is Offered => delivery.offer !== undefined;
