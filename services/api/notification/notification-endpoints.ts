/** The calls on notifications: URLs that receive events of the account. */
import { z } from 'zod';

import { EXAMPLE, exampleOf } from '../../core/resource/api-reference.ts';
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { Notifications } from '../../adapters/mongo/notification/notifications.ts';
import type { StoredDelivery } from '../../adapters/stream/replay.ts';
import type { WebhookTarget } from '../../core/address/address.ts';
import {
  NOTIFICATION,
  type NotificationNoun,
  notificationView,
  NotificationView,
  NotificationWithSecret,
  notificationWithSecret,
} from '../../core/notification/notification.ts';
import { notFound, orNotFound } from '../../core/error/app-error.ts';
import { DELIVERY_STATUSES } from '../../core/delivery/delivery-view.ts';
import {
  NotificationDelivery,
  notificationDelivery,
  NotificationDeliveryView,
  notificationDeliveryView,
} from '../../core/notification/notification-delivery.ts';
import {
  type NotificationPayload,
  sampleNotification,
} from '../../core/notification/notification-payload.ts';
import { shapeOf } from '../../core/resource/field.ts';
import { envelope, envelopeOf, pageQuery } from '../../core/resource/pagination.ts';
import type { Audit } from '../../platform/audit.ts';
import type { NotificationOperations } from '../../platform/notification/notification-operations.ts';
import { webhookUrl } from '../receiver/webhook-fields.ts';
import { WebhookSecretView, webhookSecretView } from '../receiver/webhook-secret-endpoint.ts';
import { type TestWebhook, WebhookTestView } from '../receiver/webhook-tests.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { ownedEndpoints } from '../http/owned-endpoints.ts';
import { NOT_SHOWN } from '../http/view.ts';
import type { ApiStore } from '../content/store-for-api.ts';

type NotificationEndpointDependencies = {
  operations: NotificationOperations;
  notifications: Pick<Notifications, 'list' | 'find'>;
  deliveries: Pick<Deliveries, 'notificationPage' | 'find'>;
  store: Pick<ApiStore, 'payload'>;
  /** URL and signing secrets, including former ones. */
  target: (id: string) => Promise<WebhookTarget | undefined>;
  testWebhook: TestWebhook;
  audit: Audit;
  /** Networks that are not public, but that webhooks may reach. */
  allowedNetworks: readonly string[];
};

const tag = 'notifications';

const shown = exampleOf(NotificationView);

export function notificationEndpoints({
  operations,
  notifications,
  deliveries,
  store,
  target,
  testWebhook,
  audit,
  allowedNetworks,
}: NotificationEndpointDependencies): Endpoint[] {
  const Url = webhookUrl(allowedNetworks);

  const { create, list, get, change, remove, existing, requireChangeable } =
    ownedEndpoints<NotificationNoun>({
      resource: NOTIFICATION,
      path: '/account/notifications',
      tag,
      read: 'account:read',
      write: 'account:write',
      find: ({ caller }, id) => notifications.find(caller, id),
      operations,
      view: NotificationView,
      shown: notificationView,
      made: { view: NotificationWithSecret, shown: notificationWithSecret },
    });
  const targetOf = async (id: string): Promise<WebhookTarget> =>
    orNotFound(await target(id), 'notification');

  return [
    create({
      operationId: 'createNotification',
      summary: 'Send events of the account to a URL, in the environment of the token',
      example: {
        request: { url: shown.url, types: shown.types, description: shown.description },
      },
      body: z.strictObject({ ...shapeOf(NOTIFICATION.fields, 'create'), url: Url }),
    }),
    list(
      {
        operationId: 'listNotifications',
        summary: 'List the notifications of this environment, newest first; there are at most five',
      },
      async ({ caller }) => (await notifications.list(caller)).map(notificationView),
    ),
    get({ operationId: 'getNotification', summary: 'Get a notification' }),
    change({
      operationId: 'updateNotification',
      summary: 'Change the URL, types, description or enabled state of a notification',
      example: {
        request: { is_enabled: false },
        response: { ...shown, is_enabled: false, updated_at: EXAMPLE.now },
      },
      body: z.strictObject({ ...shapeOf(NOTIFICATION.fields, 'change'), url: Url.optional() }),
    }),
    remove({
      operationId: 'deleteNotification',
      summary: 'Delete a notification; its waiting deliveries fail at their next attempt',
    }),
    defineEndpoint({
      call: 'GET /account/notifications/{notification_id}/secret',
      operationId: 'getNotificationSecret',
      summary: 'Get the webhook secret of a notification; each view is an event',
      permission: 'secrets:read',
      tag,
      response: WebhookSecretView,
      handle: async (call) => {
        const { id } = await existing(call);
        const found = await targetOf(id);
        const data = { notification_id: id };
        await audit(call, { type: 'notification.secret_viewed', address_id: null, data });
        return webhookSecretView(found, call.now);
      },
    }),
    defineEndpoint({
      call: 'POST /account/notifications/{notification_id}/rotate-secret',
      operationId: 'rotateNotificationSecret',
      summary:
        'Rotate the webhook secret; during the overlap, both the old and the new secret sign',
      permission: 'account:write',
      tag,
      response: NotificationWithSecret,
      handle: async (call) => {
        await requireChangeable(call);
        const rotated = await operations.rotateSecret(call, call.params.notification_id);
        return notificationWithSecret(rotated);
      },
    }),
    defineEndpoint({
      call: 'POST /account/notifications/{notification_id}/test',
      operationId: 'sendTestNotification',
      summary:
        'Send an example now and return the response of the receiver; no delivery is recorded',
      permission: 'account:write',
      tag,
      example: { response: { ...exampleOf(WebhookTestView), event_id: EXAMPLE.other_event_id } },
      response: WebhookTestView,
      handle: async (call) => {
        const notification = await existing(call);
        return testWebhook(
          await targetOf(notification.id),
          (eventId) => sampleNotification(notification, eventId, call.now),
          call.now,
        );
      },
    }),
    defineEndpoint({
      call: 'GET /account/notifications/{notification_id}/deliveries',
      operationId: 'listNotificationDeliveries',
      summary:
        'List the deliveries of a notification, newest first; the calls on one delivery work as for ' +
        'emails',
      permission: 'deliveries:read',
      tag,
      query: z.strictObject({
        ...pageQuery({ maxLimit: 100, defaultLimit: 50 }),
        status: z.enum(DELIVERY_STATUSES).optional().describe('only deliveries with this status'),
      }),
      response: envelopeOf(NotificationDelivery),
      handle: async ({ query: { status, ...page }, ...call }) => {
        const { id } = await existing(call);
        const { items, total } = await deliveries.notificationPage(
          call.caller,
          id,
          { status },
          page,
        );
        return envelope(items.map(notificationDelivery), total, page);
      },
    }),
    defineEndpoint({
      call: 'GET /account/notifications/{notification_id}/deliveries/{event_id}',
      operationId: 'getNotificationDelivery',
      summary: 'Get a delivery of a notification with its payload and its last 100 attempts',
      permission: 'deliveries:read',
      tag,
      response: NotificationDeliveryView,
      handle: async ({ caller, params }) => {
        const delivery = await deliveries.find(caller, params.event_id);
        if (delivery?.address_id !== params.notification_id) throw notFound('delivery');
        return notificationDeliveryView(delivery, await payloadIn(store, delivery));
      },
    }),
  ];
}

/** Inlet wrote it, so its schema is checked only with the response. */
async function payloadIn(
  store: Pick<ApiStore, 'payload'>,
  delivery: StoredDelivery,
): Promise<NotificationPayload | null> {
  const stored = await store.payload(delivery, NOT_SHOWN);
  if (stored === undefined) return null;
  const bytes = Buffer.concat(await Array.fromAsync(stored.chunks));
  return JSON.parse(bytes.toString()) as NotificationPayload;
}
