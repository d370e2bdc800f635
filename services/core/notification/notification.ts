/**
 * A notification: an HTTPS URL that receives events of the account as signed webhooks. Its record,
 * its form in the API, and the kinds of events that it can receive.
 */
import { z } from 'zod';

import { describeSchema, EXAMPLE, exampleOf } from '../resource/api-reference.ts';
import { Timestamp } from '../time/timestamp.ts';
import type { Owned } from '../address/scope.ts';
import { description } from '../resource/description.ts';
import type { Fields } from '../resource/field.ts';
import { nullable, required, withDefault } from '../resource/field-kinds.ts';
import type { NounOf } from '../resource/noun.ts';
import { IN_ENVIRONMENT, recordSchema } from '../resource/record.ts';
import type { Resource } from '../resource/resource.ts';
import { viewOf, viewSchema } from '../resource/view.ts';

/** The types of usage events that are sent. */
export const NOTIFICATION_TYPES = [
  'address.failing',
  'address.recovered',
  'address.silent',
  'address.resumed',
  'address.refusing',
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

/** Sent only where `types` names it: on a public address, strangers cause refusals all day. */
const ONLY_NAMED: ReadonlySet<NotificationType> = new Set(['address.refusing']);

const TYPES: ReadonlySet<string> = new Set(NOTIFICATION_TYPES);

export const isNotificationType = (type: string): type is NotificationType => TYPES.has(type);

const types = z
  .array(NotificationType)
  .min(1)
  .max(NotificationType.options.length)
  .transform((all) => [...new Set(all)])
  .nullable()
  .describe('types of events to send; null: all but address.refusing, also future ones')
  .optional();

const fields = {
  /** Requests check it by settings: see the endpoints and the spec. */
  url: {
    ...required(z.string(), 'HTTPS URL that receives the events'),
    inEvents: 'created',
    example: 'https://example.com/inlet-events',
  },
  types: {
    ...nullable(
      z.array(NotificationType),
      'types of events that are sent; null: all but address.refusing, also future ones',
    ),
    create: types,
    change: types,
    spec: z.array(NotificationType).min(1).optional().meta({
      description:
        'types of events to send; when absent, all but address.refusing, also future ones',
      'x-kubernetes-list-type': 'set',
    }),
    inEvents: 'created',
    example: ['address.failing', 'address.recovered'],
  },
  description: { ...description, example: 'Pager of the web shop' },
  is_enabled: {
    ...withDefault(z.boolean(), 'false: no new events are sent', true),
    example: true,
  },
  failing_since: {
    record: z.date().optional(),
    view: Timestamp.nullable().describe(
      'time of the first failed attempt since the last accepted one; null when there is none',
    ),
    example: null,
  },
  /** `secretGeneration` of the resource that owns it. */
  secret_generation: { record: z.int().optional() },
} as const satisfies Fields;

export const NOTIFICATION = {
  name: 'notification',
  plural: 'notifications',
  idPrefix: 'ntf',
  owner: 'environment of an account',
  maximum: 5,
  fields,
} as const satisfies Resource;

/** A notification without its secret, which is stored encrypted. */
export const NotificationRecord = recordSchema(IN_ENVIRONMENT, fields);
export type NotificationRecord = z.infer<typeof NotificationRecord>;

/** A notification with its secret in clear text, only in memory. */
export type Notification = NotificationRecord & { webhook_secret: string };

export type NotificationNoun = NounOf<
  typeof fields,
  Notification,
  Pick<NotificationRecord, 'secret_generation'>
>;

export const NotificationView = viewSchema('Notification', EXAMPLE.notification_id, fields);
export type NotificationView = z.infer<typeof NotificationView>;
export const notificationView = (one: NotificationRecord): NotificationView => viewOf(fields, one);

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
  (one.types?.includes(event.type) ?? !ONLY_NAMED.has(event.type));
