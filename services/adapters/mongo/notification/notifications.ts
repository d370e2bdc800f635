/** Notifications in MongoDB with encrypted secrets. */
import type { Db } from 'mongodb';

import { type AccountScope, ownedBy } from '../../../core/address/scope.ts';
import type { ManagedBy } from '../../../core/resource/managed-by.ts';
import {
  type Notification,
  type NotificationNoun,
  NotificationRecord,
} from '../../../core/notification/notification.ts';
import {
  NOTIFICATIONS,
  NOTIFICATION_SLOTS,
  type StoredNotification,
} from '../documents/owned-documents.ts';
import { managedBy } from '../documents/managed-records.ts';
import { createWebhookRecords, type WebhookRecords } from '../receiver/webhook-records.ts';
import type { SecretBox, SecretRotation } from '../database/secrets.ts';

export type Notifications = {
  /** `full`: there are as many as there may be. */
  insert(notification: Notification): Promise<'made' | 'taken' | 'full'>;
  /** Newest first. */
  list(scope: AccountScope): Promise<NotificationRecord[]>;
  find(scope: AccountScope, id: string): Promise<Notification | undefined>;
  /** Writes the fields that differ; only then does `updated_at` change (D29). */
  update(
    scope: AccountScope,
    id: string,
    change: NotificationNoun['Change'],
    now: Date,
  ): ReturnType<WebhookRecords<NotificationRecord>['update']>;
  /** The previous secret signs until `formerUntil` (D17). */
  rotateSecret(
    scope: AccountScope,
    id: string,
    rotation: SecretRotation,
    now: Date,
  ): Promise<Notification | undefined>;
  remove(scope: AccountScope, id: string): Promise<NotificationRecord | undefined>;
  /** The notification that this resource, or an earlier one of the same name, owns. */
  findManaged(owner: ManagedBy): Promise<Notification | undefined>;
};

export function createNotifications(db: Db, secrets: SecretBox): Notifications {
  const notifications = db.collection<StoredNotification>(NOTIFICATIONS);
  const records = createWebhookRecords(db, secrets, {
    collection: NOTIFICATIONS,
    slots: NOTIFICATION_SLOTS,
    parse: (document) => NotificationRecord.parse(document),
  });

  return {
    insert: async (record) => ((await records.insert(record)) ? 'made' : 'full'),
    list: async (scope) => (await records.list(ownedBy(scope))).toReversed(),
    find: (scope, id) => records.find(ownedBy(scope), id),
    update: (scope, id, change, now) => records.update(ownedBy(scope), id, change, now),
    rotateSecret: (scope, id, rotation, now) =>
      records.rotateSecret(ownedBy(scope), id, rotation, now),

    remove: async function removeNotification(scope, id) {
      const removed = await notifications.findOneAndDelete({ _id: id, ...ownedBy(scope) });
      return removed === null ? undefined : NotificationRecord.parse({ ...removed, id });
    },

    findManaged: async function findManagedNotification(owner) {
      const stored = await notifications.findOne(managedBy(owner), { projection: { _id: 1 } });
      return stored === null ? undefined : records.find({}, stored._id);
    },
  };
}
