/** Notifications in MongoDB with encrypted secrets. */
import type { Db, Filter } from 'mongodb';

import { type AddressScope, scopeOf } from '../../../core/address/address.ts';
import type { ManagedBy } from '../../../core/address/managed-by.ts';
import {
  type Notification,
  type NotificationChange,
  NotificationRecord,
} from '../../../core/notification/notification.ts';
import { isDuplicateKey } from '../connection.ts';
import { managedBy } from '../documents/managed-records.ts';
import { rotatedSecrets, type SecretBox } from '../secrets.ts';
import {
  NOTIFICATIONS,
  PLACES,
  type StoredNotification,
} from '../documents/notification-documents.ts';

export type Notifications = {
  /** False when the account has as many as it may have. */
  insert(notification: Notification): Promise<boolean>;
  /** Newest first. */
  list(scope: AddressScope): Promise<NotificationRecord[]>;
  find(scope: AddressScope, id: string): Promise<Notification | undefined>;
  /** Writes the fields that differ; only then does `updated_at` change (D29). */
  update(
    scope: AddressScope,
    id: string,
    change: NotificationChange,
    now: Date,
  ): Promise<{ notification: Notification; isChanged: boolean } | undefined>;
  /** The previous secret signs until `formerUntil` (D17). */
  rotateSecret(
    scope: AddressScope,
    id: string,
    rotation: { secret: string; formerUntil: Date; generation?: number | undefined },
    now: Date,
  ): Promise<Notification | undefined>;
  /** False when there is no such notification. */
  remove(scope: AddressScope, id: string): Promise<boolean>;
  /** The notification that this resource, or an earlier one of the same name, owns. */
  findManaged(owner: ManagedBy): Promise<Notification | undefined>;
};

export function createNotifications(db: Db, secrets: SecretBox): Notifications {
  const notifications = db.collection<StoredNotification>(NOTIFICATIONS);

  const opened = (stored: StoredNotification): Notification => ({
    ...recordOf(stored),
    webhook_secret: secrets.open(stored.sealed_secret, stored._id),
  });

  const find = async (scope: AddressScope, id: string) =>
    notifications.findOne({ _id: id, ...scopeOf(scope) });

  return {
    insert: async function insertNotification({ id, webhook_secret, ...fields }) {
      const stored = { _id: id, ...fields, sealed_secret: secrets.seal(webhook_secret, id) };
      for (const place of PLACES) {
        try {
          await notifications.insertOne({ ...stored, place });
          return true;
        } catch (error) {
          if (!isDuplicateKey(error) || !('place' in error.keyPattern)) throw error;
        }
      }
      return false;
    },

    list: async function listNotifications(scope) {
      const found = await notifications.find(scopeOf(scope)).toArray();
      return found
        .map(recordOf)
        .toSorted((one, other) => other.created_at.getTime() - one.created_at.getTime());
    },

    find: async function findNotification(scope, id) {
      const stored = await find(scope, id);
      return stored === null ? undefined : opened(stored);
    },

    update: async function updateNotification(scope, id, change, now) {
      const differing = Object.entries(change).map(([field, value]) => ({
        [field]: { $ne: value },
      })) as Filter<StoredNotification>[];
      const changed =
        differing.length === 0
          ? null
          : await notifications.findOneAndUpdate(
              { _id: id, ...scopeOf(scope), $or: differing },
              {
                $set: change,
                $max: { updated_at: now },
                ...(change.url !== undefined && { $unset: { failing_since: '' as const } }),
              },
              { returnDocument: 'after' },
            );
      if (changed !== null) return { notification: opened(changed), isChanged: true };
      const unchanged = await find(scope, id);
      return unchanged === null ? undefined : { notification: opened(unchanged), isChanged: false };
    },

    rotateSecret: async function rotateNotificationSecret(
      scope,
      id,
      { secret, formerUntil, generation },
      now,
    ) {
      const rotated = await notifications.findOneAndUpdate(
        { _id: id, ...scopeOf(scope) },
        [
          {
            $set: {
              ...rotatedSecrets(secrets.seal(secret, id), formerUntil, now),
              updated_at: { $max: ['$updated_at', now] },
              ...(generation !== undefined && { secret_generation: generation }),
            },
          },
        ],
        { returnDocument: 'after' },
      );
      return rotated === null ? undefined : opened(rotated);
    },

    remove: async function removeNotification(scope, id) {
      return (await notifications.deleteOne({ _id: id, ...scopeOf(scope) })).deletedCount === 1;
    },

    findManaged: async function findManagedNotification(owner) {
      const stored = await notifications.findOne(managedBy(owner));
      return stored === null ? undefined : opened(stored);
    },
  };
}

/** Parsing removes the encrypted secret. */
const recordOf = (stored: StoredNotification): NotificationRecord =>
  NotificationRecord.parse({ ...stored, id: stored._id });
