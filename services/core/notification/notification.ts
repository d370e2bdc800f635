/**
 * A notification: an HTTPS URL that receives events of the account as signed webhooks. Its record,
 * its form in the API, and the kinds of events that it can receive.
 */
import { z } from 'zod';

import { describeSchema, EXAMPLE, exampleOf } from '../api-reference.ts';
import { Timestamp, timestamp } from '../timestamp.ts';
import type { Owned } from '../address/scope.ts';
import { Environment } from '../environment.ts';
import { ManagedBy, ManagedByView, managedByView } from '../managed-by.ts';

/** The types of usage events that are sent. */
export const NOTIFICATION_TYPES = [
  'address.failing',
  'address.recovered',
  'quota.near',
  'domain.unconfirmed',
  'invoice.created',
  'token.created',
  'receiver.certificate_expiring',
  'email.held',
  'email.lost',
] as const;
export const NotificationType = z.enum(NOTIFICATION_TYPES);
export type NotificationType = z.infer<typeof NotificationType>;
describeSchema(NotificationType, 'NotificationType');

const TYPES: ReadonlySet<string> = new Set(NOTIFICATION_TYPES);

export const isNotificationType = (type: string): type is NotificationType => TYPES.has(type);

/** For one account and environment. */
export const NOTIFICATIONS_MAX = 5;

/** A notification without its secret, which is stored encrypted. */
export const NotificationRecord = z.object({
  id: z.string(),
  account_id: z.string(),
  environment: Environment,
  url: z.string(),
  types: z.array(NotificationType).nullable().describe('null for all, also future ones'),
  description: z.string().nullable(),
  is_enabled: z.boolean(),
  failing_since: z
    .date()
    .optional()
    .describe('first failed attempt since the last accepted one; absent when there is none'),
  managed_by: ManagedBy.optional().describe('absent for one created through the API'),
  secret_generation: z.int().optional().describe('secretGeneration of the owning resource'),
  created_at: z.date(),
  updated_at: z.date(),
});
export type NotificationRecord = z.infer<typeof NotificationRecord>;

/** A notification with its secret in clear text, only in memory. */
export type Notification = NotificationRecord & { webhook_secret: string };

export type NotificationChange = Partial<
  Pick<NotificationRecord, 'url' | 'types' | 'description' | 'is_enabled'>
>;

export type NewNotification = Pick<NotificationRecord, 'url'> &
  NotificationChange &
  Pick<NotificationRecord, 'managed_by' | 'secret_generation'>;

export const NotificationView = z.object({
  id: z.string(),
  url: z.string().describe('HTTPS URL that receives the events'),
  types: z
    .array(NotificationType)
    .nullable()
    .describe('types of events that are sent; null: all, also future ones'),
  description: z.string().nullable(),
  is_enabled: z.boolean().describe('false: no new events are sent'),
  failing_since: Timestamp.nullable().describe(
    'time of the first failed attempt since the last accepted one; null when there is none',
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  managed_by: ManagedByView.nullable().describe(
    'the Kubernetes resource that owns it; changes must be made there; null when there is none',
  ),
});
export type NotificationView = z.infer<typeof NotificationView>;
describeSchema(NotificationView, 'Notification', {
  id: EXAMPLE.notification_id,
  url: 'https://example.com/inlet-events',
  types: ['address.failing', 'address.recovered'],
  description: 'Pager of the web shop',
  is_enabled: true,
  failing_since: null,
  created_at: EXAMPLE.created_at,
  updated_at: EXAMPLE.created_at,
  managed_by: null,
});

/** The response of a creation and of a rotation. */
export const NotificationWithSecret = NotificationView.extend({
  webhook_secret: z
    .string()
    .describe('signs the webhooks of this notification; starts with whsec_'),
});
describeSchema(NotificationWithSecret, 'NotificationWithSecret', {
  ...exampleOf(NotificationView),
  webhook_secret: EXAMPLE.webhook_secret,
});

export const notificationView = (one: NotificationRecord): NotificationView => ({
  id: one.id,
  url: one.url,
  types: one.types,
  description: one.description,
  is_enabled: one.is_enabled,
  failing_since: one.failing_since ? timestamp(one.failing_since) : null,
  created_at: timestamp(one.created_at),
  updated_at: timestamp(one.updated_at),
  managed_by: managedByView(one.managed_by),
});

export const notificationWithSecret = (one: Notification) => ({
  ...notificationView(one),
  webhook_secret: one.webhook_secret,
});

/** Whether it gets this event. One that was created after the event does not. */
export const receives = (
  one: NotificationRecord,
  event: Owned & { type: NotificationType; timestamp: Date },
): boolean =>
  one.is_enabled &&
  one.account_id === event.account_id &&
  one.environment === event.environment &&
  one.created_at <= event.timestamp &&
  (one.types === null || one.types.includes(event.type));
