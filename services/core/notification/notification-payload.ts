/**
 * The payload of a notification, and its place in the queue. A notification takes the path of an
 * email from the stream to the receiver, under ids of its own: nothing counts it as an email.
 */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../resource/api-reference.ts';
import { Environment } from '../resource/environment.ts';
import { decimal } from '../billing/billing.ts';
import { isNotificationType, type NotificationRecord, NotificationType } from './notification.ts';
import { Permission } from '../token/permission.ts';
import { SAMPLE_DATA } from './sample-data.ts';
import type { UsageEvent } from '../event/usage-event.ts';
import { idOfKey } from '../id/ids.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';
import { FailingReason } from '../receiver/failing-reason.ts';
import type { MailFacts } from '../delivery/mail-event.ts';
import { RULING_REASONS } from '../delivery/ruling.ts';
import { storableJson } from '../text/text.ts';
import { orNull } from '../resource/described.ts';

const failing_since = Timestamp.nullable().describe('time of the first failed attempt');
const address = {
  address_id: z.string(),
  address: z.string().nullable().describe('null when the address no longer exists'),
  receiver_id: z
    .string()
    .nullable()
    .describe("the further receiver of the address (rcv_…); null for the address's own"),
};
const expecting = {
  address_id: z.string(),
  address: z.string().nullable().describe('null when the address no longer exists'),
};
const period = { period_start: Timestamp, period_end: Timestamp };

/** The data of each type. */
const DATA = {
  'address.failing': z.object({
    ...address,
    failing_since,
    is_enabled: z
      .boolean()
      .nullable()
      .describe('false when the account setting disable_failing_addresses has disabled it'),
    reason: FailingReason,
  }),
  'address.recovered': z.object({
    ...address,
    reason: z
      .string()
      .nullable()
      .describe('delivered: the receiver accepted a webhook; changed: the address was changed'),
  }),
  'address.silent': z.object({
    ...expecting,
    every: z.string().describe('how often the address expects email, such as 26h'),
    grace: z.string().describe('how much later it may be'),
    when: z.string().nullable().describe('which email it expects; null: any'),
    silent_at: Timestamp.describe('until then, with the grace, the email could be late'),
  }),
  'address.resumed': z.object({
    ...expecting,
    reason: z
      .string()
      .nullable()
      .describe('received: the expected email arrived; changed: the address was changed'),
    silent_since: Timestamp.nullable().describe('when the silence was noticed'),
  }),
  'address.refusing': z.object({
    address_id: z.string().nullable().describe('null for a mailbox of a domain that is no address'),
    address: z.string().nullable().describe('null in the same case'),
    mailbox: z.string().describe('that was refused so often'),
    refusals: z.int().describe('refused emails since the beginning of the hour'),
    reason: z.string().describe('of one of them: docs/refusals.md'),
  }),
  'quota.near': z.object({
    percent: z.int().describe('80 or 100: the part of the included emails that is used'),
    emails_used: z.int(),
    emails_included: z.int(),
    plan: z.string(),
    over_quota: z.string().describe('bill or refuse: what happens to emails beyond these'),
    message: orNull(z.string(), 'the same as a sentence; null for an event of an earlier release'),
    ...period,
  }),
  'domain.unconfirmed': z.object({
    domain_id: z.string(),
    domain: z.string(),
    missing_since: Timestamp.nullable().describe('since then the TXT record has been missing'),
  }),
  'invoice.created': z.object({
    invoice_id: z.string(),
    amount: z.number(),
    currency: z.string().describe('ISO 4217'),
    status: z.string().describe('open, or paid for an invoice over zero'),
    ...period,
  }),
  'token.created': z.object({
    created_token_id: z.string(),
    name: z.string(),
    prefix: z.string().describe('first characters of the token'),
    environment: Environment.describe('of the token'),
    permissions: z.array(Permission),
  }),
  'receiver.certificate_expiring': z.object({
    ...address,
    subject: z.string().describe('of the client certificate'),
    fingerprint_sha256: z.string(),
    expires_at: Timestamp,
  }),
  'email.held': z.object({
    ...address,
    event_id: z.string().describe('of the held email: release or drop it with this id'),
    reason: z.enum(RULING_REASONS).describe('rule, or why a refusal became a hold'),
    rule: z.string().nullable().describe('name of the rule that matched; null without one'),
  }),
  'email.lost': z.object({
    ...address,
    event_id: z.string().describe('of the email, which was accepted: ask its sender for it'),
  }),
} as const satisfies Record<NotificationType, z.ZodObject>;

const payloadOf = <T extends NotificationType>(type: T, id: string) =>
  describeSchema(
    z.object({
      event_id: z.string().describe('the same on every attempt: ignore a repeated one'),
      notification_id: z.string().describe('the notification whose URL receives this'),
      type: z.literal(type),
      timestamp: Timestamp.describe('when it happened'),
      account_id: z.string(),
      environment: Environment,
      data: DATA[type],
      is_test: z.literal(true).optional().describe('only in a test, whose data is an example'),
      metadata: z.object({ retry_count: z.int().describe('0 on the first attempt') }),
    }),
    id,
  );

/** The JSON that the URL of a notification receives. */
export const NotificationPayload = describeSchema(
  z.discriminatedUnion('type', [
    payloadOf('address.failing', 'NotificationOfFailingAddress'),
    payloadOf('address.recovered', 'NotificationOfRecoveredAddress'),
    payloadOf('address.silent', 'NotificationOfSilentAddress'),
    payloadOf('address.resumed', 'NotificationOfResumedAddress'),
    payloadOf('address.refusing', 'NotificationOfRefusingAddress'),
    payloadOf('quota.near', 'NotificationOfQuota'),
    payloadOf('domain.unconfirmed', 'NotificationOfDomain'),
    payloadOf('invoice.created', 'NotificationOfInvoice'),
    payloadOf('token.created', 'NotificationOfToken'),
    payloadOf('receiver.certificate_expiring', 'NotificationOfCertificate'),
    payloadOf('email.held', 'NotificationOfHeldEmail'),
    payloadOf('email.lost', 'NotificationOfLostEmail'),
  ]),
  'NotificationPayload',
);
export type NotificationPayload = z.infer<typeof NotificationPayload>;

/** A usage event that notifications are made of. */
export type NotifiableEvent = Omit<UsageEvent, 'type'> & { type: NotificationType };

export const isNotifiable = (event: UsageEvent): event is NotifiableEvent =>
  isNotificationType(event.type);

/** Always the same for an event and a notification, so a repeated publication is recognized. */
const notificationEventId = (event: NotifiableEvent, notificationId: string): string =>
  idOfKey('nevt', event.timestamp, `${event.id}\0${notificationId}`);

/** @param addressText of an address.* event; undefined when it is no longer stored */
export function notificationPayload(
  event: NotifiableEvent,
  notificationId: string,
  addressText: string | undefined,
): NotificationPayload {
  const { type, account_id, environment, address_id } = event;
  return NotificationPayload.parse({
    event_id: notificationEventId(event, notificationId),
    notification_id: notificationId,
    type,
    timestamp: timestamp(event.timestamp),
    account_id,
    environment,
    data: withDefaults(type, {
      ...withTimestamps(event.data),
      ...(address_id !== null && { address_id, address: addressText ?? null }),
    }),
    metadata: { retry_count: 0 },
  });
}

/** The bytes of the first attempt: `retry_count` is last in them (payload-bytes.ts). */
export const notificationBytes = (payload: NotificationPayload): Buffer =>
  Buffer.from(storableJson(payload));

/** Its entry in the queue. The type takes the place of the subject. */
export const notificationFacts = (
  { event_id, type }: NotificationPayload,
  { id, account_id, environment }: NotificationRecord,
  { timestamp: at }: NotifiableEvent,
  sizeBytes: number,
): MailFacts => ({
  event_id,
  account_id,
  environment,
  address_id: id,
  mail_from: '',
  from: null,
  subject: type,
  size_bytes: sizeBytes,
  received_at_ms: at.getTime(),
});

/** The example that a test sends: of the first type that the notification receives. */
export function sampleNotification(
  notification: NotificationRecord,
  eventId: string,
  now: Date,
): NotificationPayload {
  const type = notification.types?.[0] ?? 'address.failing';
  const { metadata, ...sample } = samplePayload(notification, type, eventId, 'addr_example', now);
  return { ...sample, event_id: eventId, is_test: true, metadata };
}

/** For the reference. */
export const exampleNotification = (type: NotificationType): NotificationPayload =>
  samplePayload(
    { id: EXAMPLE.notification_id, account_id: EXAMPLE.account_id, environment: 'live' },
    type,
    EXAMPLE.other_event_id,
    EXAMPLE.address_id,
    new Date(EXAMPLE.now),
  );

const samplePayload = (
  { id, ...owner }: Pick<NotificationRecord, 'id' | 'account_id' | 'environment'>,
  type: NotificationType,
  eventId: string,
  addressId: string,
  now: Date,
): NotificationPayload =>
  notificationPayload(
    {
      id: eventId,
      account_id: owner.account_id,
      environment: owner.environment,
      type,
      address_id: 'address_id' in DATA[type].shape ? addressId : null,
      timestamp: now,
      data: SAMPLE_DATA[type](now),
    },
    id,
    'orders@in.example.com',
  );

/** Fields that an event of an earlier release does not have are null. */
const withDefaults = (type: NotificationType, data: Record<string, unknown>) => ({
  ...Object.fromEntries(
    Object.entries(DATA[type].shape as Record<string, z.ZodType>)
      .filter(([, field]) => field instanceof z.ZodNullable)
      .map(([name]) => [name, null]),
  ),
  ...data,
});

const withTimestamps = (data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      value instanceof Date ? timestamp(value) : value,
    ]),
  );

type MadeInvoice = Record<'id' | 'currency' | 'status', string> &
  Record<'period_start' | 'period_end', Date> & { total: number };

/** The data of `invoice.created`. */
export const invoiceEventData = (invoice: MadeInvoice): Record<string, unknown> => ({
  invoice_id: invoice.id,
  amount: decimal(invoice.total, invoice.currency),
  currency: invoice.currency,
  status: invoice.status,
  period_start: invoice.period_start,
  period_end: invoice.period_end,
});
