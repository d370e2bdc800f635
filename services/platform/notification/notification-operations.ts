/** Creates, changes and deletes notifications, and rotates their secrets. */
import { randomBytes } from 'node:crypto';

import type { Notifications } from '../../adapters/mongo/notification/notifications.ts';
import { ROTATION_OVERLAP_MS } from '../../core/receiver/secret-overlap.ts';
import { ownedBy } from '../../core/address/scope.ts';
import { notFound } from '../../core/error/app-error.ts';
import { changedFields } from '../../core/resource/changed-fields.ts';
import {
  NOTIFICATION,
  type Notification,
  type NotificationNoun,
} from '../../core/notification/notification.ts';
import { newRecord } from '../../core/resource/record.ts';
import { newSecret, SECRET_RANDOM_BYTES } from '../../core/webhook/signature.ts';
import type { Announcements } from '../address-directory.ts';
import type { Audit, Cause } from '../audit.ts';
import { createOwnedOperations, type OwnedOperations } from '../owned-operations.ts';

/** Waiting deliveries of a removed notification fail at their next attempt. */
export type NotificationOperations = OwnedOperations<NotificationNoun> & {
  /** The former secret also signs for a while (D17). @throws AppError `not_found` */
  rotateSecret(cause: Cause, id: string, generation?: number): Promise<Notification>;
};

type NotificationOperationDependencies = {
  notifications: Pick<Notifications, 'insert' | 'find' | 'update' | 'rotateSecret' | 'remove'>;
  announcements: Announcements;
  audit: Audit;
};

export function createNotificationOperations({
  notifications,
  announcements,
  audit,
}: NotificationOperationDependencies): NotificationOperations {
  const { saved, ...operations } = createOwnedOperations<NotificationNoun>(
    {
      resource: NOTIFICATION,
      store: notifications,
      newRecord: (requested, caller, stamp) => ({
        ...newRecord(NOTIFICATION.fields, requested, ownedBy(caller), stamp),
        webhook_secret: newSecret(randomBytes(SECRET_RANDOM_BYTES)),
      }),
      update: async (cause, before, requested) => {
        const changed = changedFields(before, requested);
        const updated = await notifications.update(cause.caller, before.id, changed, cause.now);
        return updated && { record: updated.record, changed: updated.isChanged ? changed : {} };
      },
    },
    announcements,
    audit,
  );

  return {
    ...operations,

    rotateSecret: async function rotateNotificationSecret(cause, id, generation) {
      announcements.require();
      const rotation = {
        secret: newSecret(randomBytes(SECRET_RANDOM_BYTES)),
        formerUntil: new Date(cause.now.getTime() + ROTATION_OVERLAP_MS),
        generation,
      };
      const record = await notifications.rotateSecret(cause.caller, id, rotation, cause.now);
      if (record === undefined) throw notFound('notification');
      return saved(cause, { record, changed: { webhook_secret: 'rotated' } });
    },
  };
}
