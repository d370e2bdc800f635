/** Deliveries of notifications as the API shows them. */
import { z } from 'zod';

import { describeSchema, EXAMPLE, exampleOf } from '../resource/api-reference.ts';
import { Timestamp } from '../time/timestamp.ts';
import { ATTEMPTS_KEPT, type Delivery } from '../delivery/delivery.ts';
import {
  DeliveryListItem,
  deliveryListItem,
  type DeliverySummary,
  summaryOf,
} from '../delivery/delivery-view.ts';
import { AttemptView, attemptView } from '../delivery/attempt-view.ts';
import { lastRetryCount } from '../delivery/last-attempt.ts';
import { exampleNotification, NotificationPayload } from './notification-payload.ts';

const EXAMPLE_PAYLOAD = exampleNotification('address.failing');

/** Item of GET /account/notifications/{notification_id}/deliveries. */
export const NotificationDelivery = DeliveryListItem.pick({
  event_id: true,
  status: true,
  outcome: true,
  next_attempt_at: true,
  updated_at: true,
  attempt_count: true,
}).extend({
  type: z.string().describe('type of the event'),
  created_at: Timestamp.describe('when the event happened'),
});
describeSchema(NotificationDelivery, 'NotificationDelivery', {
  event_id: EXAMPLE_PAYLOAD.event_id,
  status: 'delivered',
  outcome: 'accepted',
  next_attempt_at: null,
  updated_at: '2026-11-21T08:00:03Z',
  type: EXAMPLE_PAYLOAD.type,
  created_at: EXAMPLE.now,
  attempt_count: 1,
});

/** Response of GET /account/notifications/{notification_id}/deliveries/{event_id}. */
export const NotificationDeliveryView = NotificationDelivery.extend({
  attempts: z.array(AttemptView).describe(`the last ${ATTEMPTS_KEPT}, oldest first`),
  payload: NotificationPayload.nullable().describe(
    'as it was last sent; null when it is no longer stored',
  ),
});
describeSchema(NotificationDeliveryView, 'NotificationDeliveryDetails', {
  ...exampleOf(NotificationDelivery),
  attempts: [{ ...exampleOf(AttemptView), time: '2026-11-21T08:00:03Z' }],
  payload: EXAMPLE_PAYLOAD,
});

/** A notification has its type instead of a subject: see notification-payload.ts. */
export function notificationDelivery(
  delivery: DeliverySummary,
): z.infer<typeof NotificationDelivery> {
  const { event_id, status, outcome, next_attempt_at, updated_at, subject, received_at } =
    deliveryListItem(delivery);
  return {
    event_id,
    type: subject ?? '',
    status,
    outcome,
    created_at: received_at,
    next_attempt_at,
    updated_at,
    attempt_count: delivery.attempt_count,
  };
}

/** @param payload of the first attempt */
export const notificationDeliveryView = (
  delivery: Delivery,
  payload: NotificationPayload | null,
): z.infer<typeof NotificationDeliveryView> => ({
  ...notificationDelivery(summaryOf(delivery)),
  attempts: delivery.attempts.map(attemptView),
  payload: payload && { ...payload, metadata: { retry_count: lastRetryCount(delivery) } },
});
