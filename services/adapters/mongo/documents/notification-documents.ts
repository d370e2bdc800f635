/** The documents of notifications and of their deliveries in MongoDB, and their indexes. */
import {
  type NotificationRecord,
  NOTIFICATIONS_MAX,
} from '../../../core/notification/notification.ts';
import type { CollectionIndexes } from '../connection.ts';
import { deliveryIndexes, type Ledger } from './delivery-documents.ts';
import { managedIndex } from './managed-records.ts';
import type { SealedSecrets } from '../secrets.ts';

export const NOTIFICATIONS = 'notifications';

export const notificationIndexes: CollectionIndexes = {
  collection: NOTIFICATIONS,
  indexes: [
    { key: { account_id: 1, environment: 1, place: 1 }, name: 'account_place', unique: true },
    managedIndex(),
  ],
};

export type StoredNotification = Omit<NotificationRecord, 'id'> &
  SealedSecrets & {
    _id: string;
    /** From 0. Each place of an account and environment is held once, so there is a maximum. */
    place: number;
  };

export const PLACES: readonly number[] = Array.from({ length: NOTIFICATIONS_MAX }, (_, i) => i);

/** Apart from those of emails: nothing that lists or counts emails finds them. */
export const NOTIFICATION_LEDGER: Ledger = {
  collection: 'notification_deliveries',
  targets: NOTIFICATIONS,
  areEmails: false,
};

export const notificationDeliveryIndexes: CollectionIndexes = {
  ...deliveryIndexes,
  collection: NOTIFICATION_LEDGER.collection,
};
