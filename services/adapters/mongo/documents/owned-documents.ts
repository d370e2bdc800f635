/** The documents of what an account has a maximum of, and their indexes: lists, buckets, notifications. */
import { BUCKET, type BucketRecord } from '../../../core/bucket/bucket.ts';
import { SENDER_LIST, type SenderListRecord } from '../../../core/list/sender-list.ts';
import { NOTIFICATION, type NotificationRecord } from '../../../core/notification/notification.ts';
import type { Resource } from '../../../core/resource/resource.ts';
import type { CollectionIndexes } from '../database/connection.ts';
import type { SealedSecrets } from '../database/secrets.ts';
import { managedIndex, slotNumbers } from './managed-records.ts';

export const SENDER_LISTS = 'sender_lists';
export const BUCKETS = 'buckets';
export const NOTIFICATIONS = 'notifications';

/** `place`: from 0. Each place of an owner is held once, so there is a maximum. */
type StoredOwned<R> = Omit<R, 'id'> & { _id: string; place: number };
export type StoredSenderList = StoredOwned<SenderListRecord>;
/** With the secret access key, encrypted. */
export type StoredBucket = StoredOwned<BucketRecord> & { sealed_secret: string };
export type StoredNotification = StoredOwned<NotificationRecord> & SealedSecrets;

export const LIST_SLOTS: readonly number[] = slotNumbers(SENDER_LIST);
export const BUCKET_SLOTS: readonly number[] = slotNumbers(BUCKET);
export const NOTIFICATION_SLOTS: readonly number[] = slotNumbers(NOTIFICATION);

const ownedIndexes = (
  collection: string,
  { owner, fields }: Pick<Resource, 'owner' | 'fields'>,
): CollectionIndexes => {
  const of: Record<string, 1> =
    owner === 'account' ? { account_id: 1 } : { account_id: 1, environment: 1 };
  return {
    collection,
    indexes: [
      ...('name' in fields
        ? [{ key: { ...of, name: 1 }, name: 'account_name', unique: true }]
        : []),
      { key: { ...of, place: 1 }, name: 'account_place', unique: true },
      managedIndex(),
    ],
  };
};

export const senderListIndexes = ownedIndexes(SENDER_LISTS, SENDER_LIST);
export const bucketIndexes = ownedIndexes(BUCKETS, BUCKET);
export const notificationIndexes = ownedIndexes(NOTIFICATIONS, NOTIFICATION);
