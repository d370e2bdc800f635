/**
 * Creates, changes and deletes notifications and rotates their secrets: first in MongoDB, then
 * announced to dispatchers, and recorded in the audit trail. For the API and the operator.
 */
import { randomBytes } from 'node:crypto';

import {
  type NewNotification,
  type Notification,
  type NotificationChange,
  NOTIFICATIONS_MAX,
} from '../core/notification/notification.ts';
import { notFound, tooMany } from '../core/app-error.ts';
import { changedFields } from '../core/changed-fields.ts';
import { newSecret, SECRET_RANDOM_BYTES } from '../core/webhook/signature.ts';
import { ID_RANDOM_BYTES, newId } from '../core/ids.ts';
import type { Notifications } from '../adapters/mongo/notifications/notifications.ts';
import type { Nats } from '../adapters/stream/connection.ts';
import { announcementLost, type ChangedAddress, createAnnouncements } from './address-directory.ts';
import { type Audit, auditUpdate, type Cause } from './audit.ts';

export type NotificationOperations = {
  /** @throws AppError `conflict` when the account has as many as it may have */
  create(cause: Cause, asked: NewNotification): Promise<Notification>;
  /** @throws AppError `not_found` */
  change(cause: Cause, id: string, change: NotificationChange): Promise<Notification>;
  /** The former secret signs as well for a while (D17). @throws AppError `not_found` */
  rotateSecret(cause: Cause, id: string, generation?: number): Promise<Notification>;
  /** Its waiting deliveries fail at their next attempt. @throws AppError `not_found` */
  remove(cause: Cause, id: string): Promise<void>;
};

type Parts = {
  notifications: Pick<Notifications, 'insert' | 'find' | 'update' | 'rotateSecret' | 'remove'>;
  nats: Nats;
  /** Makes every dispatcher drop the notification from its cache. */
  announce: (change: ChangedAddress) => void;
  audit: Audit;
  /** How long a former secret signs in addition to the new one (D17). */
  rotationOverlapMs: number;
};

export function createNotificationOperations({
  notifications,
  nats,
  announce,
  audit,
  rotationOverlapMs,
}: Parts): NotificationOperations {
  const { require: requireNats, announced } = createAnnouncements(nats, announce);
  const announcedTo = (id: string) => announced({ id, address: id }).catch(announcementLost);

  return {
    create: async function createNotification(cause, { url, managed_by, ...asked }) {
      const { account_id, environment } = cause.caller;
      const id = newId('ntf', cause.now, randomBytes(ID_RANDOM_BYTES));
      const { types = null, description = null, is_enabled = true, secret_generation } = asked;
      const notification: Notification = {
        id,
        account_id,
        environment,
        url,
        types,
        description,
        is_enabled,
        webhook_secret: newSecret(randomBytes(SECRET_RANDOM_BYTES)),
        created_at: cause.now,
        updated_at: cause.now,
        ...(managed_by && { managed_by }),
        ...(secret_generation !== undefined && { secret_generation }),
      };
      if (!(await notifications.insert(notification)))
        throw tooMany('notifications', NOTIFICATIONS_MAX, 'environment of an account');
      await audit(cause, eventOf('notification.created', notification, { url, types }));
      return notification;
    },

    change: async function changeNotification(cause, id, change) {
      requireNats();
      const before = await notifications.find(cause.caller, id);
      if (before === undefined) throw notFound('notification');
      const changed = changedFields(before, change);
      const updated = await notifications.update(cause.caller, id, changed, cause.now);
      if (updated === undefined) throw notFound('notification');
      await announcedTo(id);
      const event = eventOf('notification.updated', updated.record, {});
      await auditUpdate(audit, cause, event, updated.isChanged ? changed : {});
      return updated.record;
    },

    rotateSecret: async function rotateNotificationSecret(cause, id, generation) {
      requireNats();
      const rotation = {
        secret: newSecret(randomBytes(SECRET_RANDOM_BYTES)),
        formerUntil: new Date(cause.now.getTime() + rotationOverlapMs),
        generation,
      };
      const rotated = await notifications.rotateSecret(cause.caller, id, rotation, cause.now);
      if (rotated === undefined) throw notFound('notification');
      await announcedTo(id);
      const changed = { webhook_secret: 'rotated' };
      await audit(cause, eventOf('notification.updated', rotated, { changed }));
      return rotated;
    },

    remove: async function removeNotification(cause, id) {
      requireNats();
      if (!(await notifications.remove(cause.caller, id))) throw notFound('notification');
      await announcedTo(id);
      await audit(cause, eventOf('notification.deleted', { id }, {}));
    },
  };
}

const eventOf = (
  type: 'notification.created' | 'notification.updated' | 'notification.deleted',
  { id }: Pick<Notification, 'id'>,
  data: object,
) => ({
  type,
  address_id: null,
  data: { notification_id: id, ...data },
});
