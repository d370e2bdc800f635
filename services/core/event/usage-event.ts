/** An entry of the audit trail (spec 2.3, 6.3, D15). */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../resource/api-reference.ts';
import type { Environment } from '../resource/environment.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { DELIVERY_STATUSES } from '../delivery/delivery-view.ts';
import { addressIdOfEvent } from '../delivery/mail-event.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';
import { actorOf, ACTORS } from '../account/actor.ts';
import { viewFields } from './email-view-event.ts';
import { optional } from '../resource/described.ts';

export const USAGE_EVENT_TYPES = [
  'email.received',
  'email.repeated',
  'email.held',
  'email.dropped',
  'email.lost',
  'email.viewed',
  'webhook.delivered',
  'webhook.retrying',
  'webhook.failed',
  'address.created',
  'address.updated',
  'address.deleted',
  'address.expired',
  'address.failing',
  'address.recovered',
  'address.silent',
  'address.resumed',
  'address.refusing',
  'address.secret_viewed',
  'token.created',
  'token.updated',
  'token.deleted',
  'member.created',
  'member.updated',
  'member.deleted',
  'member.link_created',
  'account.updated',
  'delivery.replayed',
  'delivery.released',
  'delivery.dropped',
  'delivery.erased',
  'refusal.erased',
  'domain.created',
  'domain.verified',
  'domain.updated',
  'domain.deleted',
  'domain.unconfirmed',
  'session.created',
  'session.ended',
  'quota.near',
  'invoice.created',
  'notification.created',
  'notification.updated',
  'notification.deleted',
  'notification.secret_viewed',
  'receiver.created',
  'receiver.updated',
  'receiver.deleted',
  'receiver.secret_viewed',
  'receiver.certificate_expiring',
  'list.created',
  'list.updated',
  'list.deleted',
  'tool.called',
  'bucket.created',
  'bucket.updated',
  'bucket.deleted',
] as const;
export type UsageEventType = (typeof USAGE_EVENT_TYPES)[number];

/** All types are stored except this one, which is read from the delivery record. */
export type StoredUsageEventType = Exclude<UsageEventType, 'email.received'>;

export const STORED_USAGE_EVENT_TYPES: readonly StoredUsageEventType[] = USAGE_EVENT_TYPES.filter(
  (type) => type !== 'email.received',
);

/** Changes that a request can make. Emails and attempts, of which there are many more, are none. */
export const CHANGE_EVENT_TYPES: readonly StoredUsageEventType[] = STORED_USAGE_EVENT_TYPES.filter(
  (type) => !/^(email|webhook)\./.test(type),
);

export type UsageEvent = {
  id: string;
  account_id: string;
  environment: Environment;
  type: StoredUsageEventType;
  /** null for events without an address. */
  address_id: string | null;
  timestamp: Date;
  /** The token, the session and the request that caused it; absent for actions of Inlet itself. */
  token_id?: string;
  session_id?: string;
  /** The person of the account to whom the token or the session belongs. */
  member_id?: string;
  /** The name of that person, or of who used the session as the OpenID provider names them. */
  user?: string;
  /** Present for changes by `inlet admin`. */
  operator?: true;
  request_id?: string;
  /** Where the request came from: an IPv4 address or an IPv6 network. */
  source_ip?: string;
  /** Further data; the fields depend on the type. */
  data: Record<string, unknown>;
};

/** Item of GET /usage/events (spec 2.3). */
export const UsageEventView = z.object({
  id: z.string(),
  type: z.enum(USAGE_EVENT_TYPES),
  address_id: z.string().describe('empty for events without an address'),
  timestamp: Timestamp,
  data: z
    .looseObject({
      from: optional(
        z.string(),
        'sender of the email; empty when redacted or erased; absent without deliveries:read',
      ),
      subject: optional(
        z.string().nullable(),
        'null when absent, redacted or erased; absent without deliveries:read',
      ),
      size_bytes: z.int().optional(),
      webhook_status: optional(z.enum(DELIVERY_STATUSES), 'current status of the delivery'),
      event_id: z
        .string()
        .optional()
        .describe('email that the event is about; absent for email.received, whose id it is'),
      actor: optional(
        z.enum(ACTORS),
        'who made the change: a member of the account, a user of the OpenID provider who is no ' +
          'member, a token, the operator of the installation, a Kubernetes resource, or Inlet itself',
      ),
      member_id: z.string().optional().describe('member of the account who made the change'),
      token_id: z.string().optional().describe('token that made the change'),
      session_id: z.string().optional().describe('dashboard session that made the change'),
      user: optional(
        z.string(),
        'name of that member, or of who used that session as the OpenID provider names them',
      ),
      resource: z
        .string()
        .optional()
        .describe('Kubernetes resource that made the change, such as InboundAddress ns/name'),
      request_id: z.string().optional().describe('X-Request-Id of the change'),
      source_ip: z
        .string()
        .optional()
        .describe('where the change came from: an IPv4 address or an IPv6 network'),
      rule: optional(z.string(), 'for email.held and email.dropped: the rule that matched'),
      reason: z.string().optional().describe('for email.held and email.dropped: as in its ruling'),
      address: z.string().optional().describe('for address.created'),
      domain: z.string().optional().describe('for domain.*'),
      name: z.string().optional().describe('for token.*: the name of the token'),
      created_token_id: z.string().optional(),
      updated_token_id: z.string().optional(),
      deleted_token_id: z.string().optional(),
      target_member_id: z.string().optional().describe('for member.*'),
      role: z.string().optional().describe('for member.*: role from then on'),
      notification_id: z.string().optional().describe('for notification.*'),
      receiver_id: z
        .string()
        .optional()
        .describe('for receiver.*, and for events of a further receiver of the address'),
      refusals: z
        .int()
        .optional()
        .describe('for refusal.erased: number of records; for address.refusing: refused emails'),
      mailbox: z.string().optional().describe('for address.refusing'),
      list_id: z.string().optional().describe('for list.*'),
      message: z.string().optional().describe('for quota.near: the event as a sentence'),
      method: z.string().optional().describe('for session.*: link, token or oidc'),
      tool: z.string().optional().describe('for tool.called: the tool of the MCP server'),
      changed: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('for *.updated: the fields that changed, with their new values unless secret'),
      ...viewFields,
      error: z.string().optional().describe('for tool.called: why it failed; absent for a success'),
    })
    .describe(
      'fields depend on the type: from, subject, size and status for email.* and webhook.*; ' +
        'what changed, with token_id or session_id, request_id and source_ip, for changes through the API',
    ),
});
export type UsageEventView = z.infer<typeof UsageEventView>;
describeSchema(UsageEventView, 'UsageEvent', {
  id: EXAMPLE.event_id,
  type: 'email.received',
  address_id: EXAMPLE.address_id,
  timestamp: EXAMPLE.now,
  data: {
    from: 'Ann <ann@sender.example>',
    subject: 'Order 7',
    size_bytes: 812,
    webhook_status: 'delivered',
  },
});

/** Who caused an event. */
export type EventOrigin = Pick<
  UsageEvent,
  'token_id' | 'session_id' | 'member_id' | 'user' | 'request_id' | 'source_ip'
>;

/** The fields of an email that its events show. */
export type MailFacts = Pick<
  Delivery,
  | 'event_id'
  | 'address_id'
  | 'email'
  | 'mail_from'
  | 'from'
  | 'subject'
  | 'size_bytes'
  | 'status'
  | 'received_at'
>;

const mailData = ({ from, mail_from, subject, size_bytes, status }: MailFacts) => ({
  from: from ?? mail_from,
  subject,
  size_bytes,
  webhook_status: status,
});

export const emailReceived = (mail: MailFacts): UsageEventView => ({
  id: mail.event_id,
  type: 'email.received',
  address_id: addressIdOfEvent(mail),
  timestamp: timestamp(mail.received_at),
  data: mailData(mail),
});

/** For callers without `deliveries:read`: who wrote, and about what, is part of an email. */
export const withoutEmail = (event: UsageEventView): UsageEventView => {
  const { from: _from, subject: _subject, ...data } = event.data;
  return { ...event, data };
};

/** @param mail the email of a webhook event */
export function usageEventView(event: UsageEvent, mail: MailFacts | undefined): UsageEventView {
  const { id, type, address_id, timestamp: at, data } = event;
  const { token_id, session_id, member_id, user, request_id, source_ip } = event;
  const actor = actorOf(event);
  return {
    id,
    type,
    address_id: address_id ?? '',
    timestamp: timestamp(at),
    data: {
      ...(mail && mailData(mail)),
      ...data,
      ...(actor !== undefined && { actor }),
      ...(member_id !== undefined && { member_id }),
      ...(token_id !== undefined && { token_id }),
      ...(session_id !== undefined && { session_id }),
      ...(user !== undefined && { user }),
      ...(request_id !== undefined && { request_id }),
      ...(source_ip !== undefined && { source_ip }),
    },
  };
}
