/** The documents of notifications in MongoDB, and their indexes. */
import {
  type NotificationRecord,
  NOTIFICATIONS_MAX,
} from '../../../core/notification/notification.ts';
import type { CollectionIndexes } from '../connection.ts';
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
