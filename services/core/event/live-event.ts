/**
 * Events of GET /stream: accepted emails, attempts, and changes of addresses and tokens, as they
 * happen. A cursor names the place of an event, so that a client can resume after it.
 */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import type { Environment } from '../resource/environment.ts';
import type { Permission } from '../token/permission.ts';
import type { UsageEvent } from './usage-event.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';
import { attemptCount, type Delivery, pendingDelivery } from '../delivery/delivery.ts';
import { DeliveryListItem, deliveryListItem } from '../delivery/delivery-view.ts';
import { AttemptView, attemptView } from '../delivery/attempt-view.ts';
import { addressIdOfEvent, type MailEvent, type StoredAt } from '../delivery/mail-event.ts';

/** Stored events that the stream sends, with the permission that each needs. */
export const LIVE_USAGE_EVENTS = {
  'webhook.delivered': 'deliveries:read',
  'webhook.retrying': 'deliveries:read',
  'webhook.failed': 'deliveries:read',
  'delivery.replayed': 'deliveries:read',
  'address.created': 'addresses:read',
  'address.updated': 'addresses:read',
  'address.deleted': 'addresses:read',
  'address.expired': 'addresses:read',
  'address.failing': 'addresses:read',
  'address.recovered': 'addresses:read',
  'address.silent': 'addresses:read',
  'address.resumed': 'addresses:read',
  'token.created': 'tokens:read',
  'token.deleted': 'tokens:read',
} as const satisfies Partial<Record<UsageEvent['type'], Permission>>;
type LiveUsageType = keyof typeof LIVE_USAGE_EVENTS;

const isLiveUsageType = (type: string): type is LiveUsageType => type in LIVE_USAGE_EVENTS;

export const LIVE_TYPES = [
  'email.received',
  ...(Object.keys(LIVE_USAGE_EVENTS) as LiveUsageType[]),
] as const;
type LiveType = (typeof LIVE_TYPES)[number];

/** Permissions of which a caller needs one. */
export const LIVE_PERMISSIONS: readonly Permission[] = [
  'deliveries:read',
  'addresses:read',
  'tokens:read',
];

/** The data of one event. */
export const LiveEventView = z.object({
  type: z.enum([...LIVE_TYPES, 'stream.ready', 'stream.gap']),
  at: Timestamp,
  event_id: z.string().optional().describe('for email.*, webhook.* and delivery.*'),
  address_id: z.string().nullable().optional().describe('for all but token.* and stream.*'),
  receiver_id: z
    .string()
    .optional()
    .describe(
      'for email.*, webhook.* and delivery.*: further receiver (rcv_…), or the same as address_id',
    ),
  token_id: z.string().optional().describe('for token.*'),
  delivery: DeliveryListItem.optional().describe('for email.*, webhook.* and delivery.*'),
  attempt: AttemptView.extend({ number: z.int().describe('from 1') })
    .optional()
    .describe('for webhook.*'),
  since: Timestamp.optional().describe('for stream.gap: events since then may be missing'),
});
export type LiveEventView = z.infer<typeof LiveEventView>;
describeSchema(LiveEventView, 'LiveEvent');

/** An event, and who may receive it. */
export type LiveEvent = {
  /** The same each time that this event is read. */
  key: string;
  type: LiveType;
  at: Date;
  permission: Permission;
  environment: Environment;
  addressId: string | null;
  /** The receiver of the delivery; null for events about something else. */
  receiverId: string | null;
  view: LiveEventView;
  /** For `email.received`: the record before its first attempt. */
  delivery?: Delivery;
};

export function liveMail(event: MailEvent, storedAt: StoredAt): LiveEvent {
  const delivery = pendingDelivery(event, storedAt);
  const { received_at: at, event_id, environment } = delivery;
  const address_id = addressIdOfEvent(event);
  return {
    key: event_id,
    type: 'email.received',
    at,
    permission: 'deliveries:read',
    environment,
    addressId: address_id,
    receiverId: event.address_id,
    delivery,
    view: {
      type: 'email.received',
      at: timestamp(at),
      event_id,
      address_id,
      receiver_id: event.address_id,
      delivery: deliveryListItem({ ...delivery, attempt_count: 0 }),
    },
  };
}

/** @param delivery of a webhook event; undefined when it is no longer stored */
export function liveUsageEvent(
  event: UsageEvent,
  delivery: Delivery | undefined,
): LiveEvent | undefined {
  const { id, type, address_id: addressId, timestamp: at, environment, data } = event;
  if (!isLiveUsageType(type)) return undefined;
  const permission = LIVE_USAGE_EVENTS[type];
  const receiverId = delivery?.address_id ?? null;
  const of = { key: id, type, at, environment, addressId, receiverId, permission };
  const common = { type, at: timestamp(at) };
  if (type.startsWith('token.'))
    return {
      ...of,
      view: { ...common, token_id: String(data.created_token_id ?? data.deleted_token_id) },
    };
  if (type.startsWith('address.')) return { ...of, view: { ...common, address_id: addressId } };
  if (delivery === undefined) return undefined;
  const index = delivery.attempts.findIndex(
    (attempt) => attempt.at.getTime() + attempt.duration_ms === at.getTime(),
  );
  const attempt = delivery.attempts[index];
  const { event_id, attempts } = delivery;
  const count = attemptCount(delivery);
  return {
    ...of,
    view: {
      ...common,
      event_id,
      address_id: addressId,
      receiver_id: delivery.address_id,
      delivery: deliveryListItem({ ...delivery, attempt_count: count }),
      ...(attempt && {
        attempt: { ...attemptView(attempt), number: count - attempts.length + index + 1 },
      }),
    },
  };
}

/** A place in the stream of one account. */
const Cursor = z.object({
  /** Time of the last stored event, in milliseconds since 1970. */
  t: z.int(),
  /** By partition: sequence of the last email. */
  m: z.record(z.string().regex(/^\d{1,3}$/, 'must be a number'), z.int()),
});
export type Cursor = z.infer<typeof Cursor>;

export const formatCursor = (cursor: Cursor): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url');

/** Undefined when the text is not a cursor. */
export function parseCursor(text: string): Cursor | undefined {
  try {
    return Cursor.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
