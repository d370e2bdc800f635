/** The examples of the calls on notifications, and a payload of each type. */
import { NOTIFICATION_TYPES, type NotificationView } from '../../core/notification/notification.ts';
import { notificationPayload, SAMPLE_DATA } from '../../core/notification/notification-payload.ts';
import { EXAMPLE_SECRET, EXAMPLE_TIME } from './webhook.ts';

const ACCOUNT_ID = 'acc_01k9wzk1r3s5t7u9v2w4x6y8za';
export const NOTIFICATION_ID = 'ntf_01k9wzr6b8c2d4e6f8g1h3j5km';

const notification: NotificationView = {
  id: NOTIFICATION_ID,
  url: 'https://example.com/inlet-events',
  types: ['address.failing', 'address.recovered'],
  description: 'Pager of the web shop',
  is_enabled: true,
  failing_since: null,
  created_at: '2026-11-20T09:30:00Z',
  updated_at: '2026-11-20T09:30:00Z',
  managed_by: null,
};
const withSecret = { ...notification, webhook_secret: EXAMPLE_SECRET };

/** By type. */
export const NOTIFICATION_PAYLOADS = Object.fromEntries(
  NOTIFICATION_TYPES.map((type) => [
    type,
    notificationPayload(
      {
        id: 'evt_01k9x0v7n3m4q8r2s6t1w5y9zb',
        account_id: ACCOUNT_ID,
        environment: 'live',
        type,
        address_id: type.startsWith('address.') ? 'addr_01k9wzq4c2d6f8g1h3j5k7m9np' : null,
        timestamp: EXAMPLE_TIME,
        data: SAMPLE_DATA[type](EXAMPLE_TIME),
      },
      NOTIFICATION_ID,
      'orders@in.example.com',
    ),
  ]),
);

const delivery = {
  event_id: NOTIFICATION_PAYLOADS['address.failing']?.event_id,
  status: 'delivered',
  outcome: 'accepted',
  next_attempt_at: null,
  updated_at: '2026-11-21T08:00:03Z',
  type: 'address.failing',
  created_at: '2026-11-21T08:00:02Z',
  attempt_count: 1,
};

export const NOTIFICATION_EXAMPLES = {
  createNotification: {
    request: {
      url: notification.url,
      types: notification.types,
      description: notification.description,
    },
    response: withSecret,
  },
  listNotifications: { response: { data: [notification] } },
  getNotification: { response: notification },
  updateNotification: {
    request: { is_enabled: false },
    response: { ...notification, is_enabled: false, updated_at: '2026-11-21T08:00:02Z' },
  },
  deleteNotification: { response: { id: NOTIFICATION_ID, deleted: true } },
  getNotificationSecret: {
    response: { webhook_secret: EXAMPLE_SECRET, former_secrets_valid_until: null },
  },
  rotateNotificationSecret: { response: withSecret },
  sendTestNotification: {
    response: {
      event_id: 'evt_01k9x0v7n3m4q8r2s6t1w5y9zb',
      outcome: 'accepted',
      status_code: 200,
      latency_ms: 34,
      error: null,
      excerpt: '{"ok":true}',
    },
  },
  listNotificationDeliveries: {
    response: {
      data: [delivery],
      pagination: { limit: 50, offset: 0, total: 1, has_more: false },
    },
  },
  getNotificationDelivery: {
    response: {
      ...delivery,
      attempts: [
        {
          time: '2026-11-21T08:00:03Z',
          outcome: 'accepted',
          status_code: 200,
          latency_ms: 34,
          error: null,
          excerpt: '{"ok":true}',
        },
      ],
      payload: NOTIFICATION_PAYLOADS['address.failing'],
    },
  },
};
