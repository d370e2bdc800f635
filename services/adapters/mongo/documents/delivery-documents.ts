/** The documents of deliveries in MongoDB, conditions on them, and their indexes. */
import type { Db, Filter } from 'mongodb';

import { type AddressScope, ownedBy, reaches } from '../../../core/address/scope.ts';
import type { Delivery } from '../../../core/delivery/delivery.ts';
import {
  addressIdOfEvent,
  isNotification,
  isNotificationId,
} from '../../../core/delivery/mail-event.ts';
import { isFurtherReceiver } from '../../../core/receiver/receiver.ts';
import type { CollectionIndexes } from '../database/connection.ts';
import { ADDRESSES } from './address-documents.ts';
import { NOTIFICATIONS } from './owned-documents.ts';
import { RECEIVERS } from './receiver-documents.ts';

/** What is `unread` in a record is stored as `offer`, as earlier releases do. */
export type DeliveryDocument = Omit<Delivery, 'event_id' | 'unread'> & {
  _id: string;
  offer?: Delivery['unread'];
};

export const deliveryOf = ({ _id, offer, ...delivery }: DeliveryDocument): Delivery => ({
  event_id: _id,
  ...delivery,
  ...(offer && { unread: offer }),
});

export const documentOf = ({ event_id: _id, unread, ...delivery }: Delivery): DeliveryDocument => ({
  _id,
  ...delivery,
  ...(unread && { offer: unread }),
});

export const DELIVERIES = 'deliveries';
export const NOTIFICATION_DELIVERIES = 'notification_deliveries';

/** Deliveries of emails and of notifications are apart: no list or count of emails finds the others. */
export type DeliveryKind = {
  collection: string;
  /** Emails are counted (D14), and each of their attempts is an event of the audit trail (D15). */
  isEmail: boolean;
};

const EMAIL: DeliveryKind = { collection: DELIVERIES, isEmail: true };
const NOTIFICATION: DeliveryKind = {
  collection: NOTIFICATION_DELIVERIES,
  isEmail: false,
};

/** The prefix of the id says which: `evt_` or `nevt_`. */
export const deliveryKind = (eventId: string): DeliveryKind =>
  isNotification(eventId) ? NOTIFICATION : EMAIL;

/** The collection of a receiver, whose failing state attempts change. */
export function collectionOfReceiver(id: string): string {
  if (isNotificationId(id)) return NOTIFICATIONS;
  return isFurtherReceiver(id) ? RECEIVERS : ADDRESSES;
}

export const deliveriesIn = (db: Db, { collection }: Pick<DeliveryKind, 'collection'>) =>
  db.collection<DeliveryDocument>(collection);

/** Deliveries to a receiver of these addresses (D69), for queries that name ids. */
export function inScope(scope: AddressScope): Filter<DeliveryDocument> {
  if (scope.address_ids === null) return ownedBy(scope);
  const ids = { $in: [...scope.address_ids] };
  return { ...ownedBy(scope), $or: [{ address_id: ids }, { 'email.address_id': ids }] };
}

/** The same for a document that was read by its id alone. */
export const isInScope = (found: DeliveryDocument, scope: AddressScope): boolean =>
  found.account_id === scope.account_id &&
  found.environment === scope.environment &&
  reaches(scope, addressIdOfEvent(found));

/** Emails that the NATS of this region stores (D87). Without a name it has those of no named region. */
export const inRegion = (region: string | undefined): Filter<DeliveryDocument> => ({
  'stored_at.region': region ?? { $exists: false },
});

/** As `attemptCount` of core/delivery. */
export const ATTEMPT_COUNT = {
  $max: [{ $ifNull: ['$attempt_count', 0] }, { $size: '$attempts' }],
};

/** Each kind that occurs in a batch, with its part of the batch. */
export const byKind = <T>(
  batch: readonly T[],
  idOf: (item: T) => string,
): [DeliveryKind, T[]][] => [...Map.groupBy(batch, (item) => deliveryKind(idOf(item)))];

export const BY_ACCOUNT = 'account_status_id';
export const BY_ADDRESS = 'address_status_id';
export const BY_TERM = 'account_day_term_id';
export const BY_DUE_TIME = 'account_due';
export const OF_FURTHER_RECEIVERS = 'account_further';
export const OVERDUE = 'overdue';
/** Named by earlier releases. */
export const UNREAD = 'offers';
export const UNREAD_UNTIL = 'unread_until';

/**
 * Every email updates the first three, and a large one the fourth. Ids are in order of receipt, and
 * MongoDB merges the four statuses, so two indexes serve every list.
 *
 * The third serves the search. An email adds about twelve entries to it, and one for each word of its
 * text if that is searched. They begin with the day, so
 * that today's are close together: an index that is larger than the cache stays as fast. A search
 * reads the days one after another. Records of earlier releases are not in it.
 */
const EVERY_KIND: CollectionIndexes['indexes'] = [
  { key: { account_id: 1, environment: 1, status: 1, _id: -1 }, name: BY_ACCOUNT },
  { key: { address_id: 1, account_id: 1, environment: 1, status: 1, _id: -1 }, name: BY_ADDRESS },
  {
    key: { account_id: 1, environment: 1, 'search.day': -1, 'search.terms': 1, _id: -1 },
    name: BY_TERM,
    partialFilterExpression: { 'search.terms': { $exists: true } },
  },
  {
    key: { status: 1, updated_at: 1 },
    name: 'bodies',
    partialFilterExpression: { payload_in: 'bucket' },
  },
  // of the six statuses, the two that wait are the last ones in the alphabet
  {
    key: { next_attempt_at: 1, _id: 1, updated_at: 1 },
    name: OVERDUE,
    partialFilterExpression: { status: { $gte: 'pending' } },
  },
];

/** Only few deliveries are in the last seven indexes, so other emails do not update them. */
export const deliveryIndexes: CollectionIndexes = {
  collection: DELIVERIES,
  indexes: [
    ...EVERY_KIND,
    {
      key: { account_id: 1, environment: 1, next_attempt_at: 1, _id: 1 },
      name: BY_DUE_TIME,
      partialFilterExpression: { status: 'retrying' },
    },
    {
      key: { content_until: 1 },
      name: 'contents',
      partialFilterExpression: { content_until: { $exists: true } },
    },
    {
      key: { 'search.text_until': 1 },
      name: 'texts',
      partialFilterExpression: { 'search.text_until': { $exists: true } },
    },
    {
      key: { 'file_deletion.at': 1 },
      name: 'files_to_delete',
      partialFilterExpression: { 'file_deletion.at': { $exists: true } },
    },
    {
      key: { account_id: 1, environment: 1, _id: 1 },
      name: OF_FURTHER_RECEIVERS,
      partialFilterExpression: { email: { $exists: true } },
    },
    {
      key: { account_id: 1, environment: 1, address_id: 1, 'offer.at': 1, _id: 1 },
      name: UNREAD,
      partialFilterExpression: { 'offer.at': { $exists: true } },
    },
    {
      key: { 'offer.until': 1 },
      name: UNREAD_UNTIL,
      partialFilterExpression: { 'offer.until': { $exists: true } },
    },
  ],
  former: ['account_report'],
};

export const notificationDeliveryIndexes: CollectionIndexes = {
  collection: NOTIFICATION_DELIVERIES,
  indexes: EVERY_KIND,
};
