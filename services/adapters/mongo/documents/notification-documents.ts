/** The documents of notifications in MongoDB, and their indexes. */
import { NOTIFICATION, type NotificationRecord } from '../../../core/notification/notification.ts';
import type { CollectionIndexes } from '../database/connection.ts';
import { managedIndex, slotNumbers } from './managed-records.ts';
import type { SealedSecrets } from '../database/secrets.ts';

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

export const NOTIFICATION_SLOTS: readonly number[] = slotNumbers(NOTIFICATION);
