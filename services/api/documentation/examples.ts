/**
 * One example per operation and parameter. A test checks them against the schemas of the document.
 */
import type { z } from 'zod';

import type { AccountView } from '../../core/account/account.ts';
import type { AddressListItem, AddressView } from '../../core/address/address.ts';
import type { DomainView } from '../../core/address/domain.ts';
import type { TokenListItem } from '../../core/account/token.ts';
import type { UsageEventView } from '../../core/event/usage-event.ts';
import type { UsageView } from '../../core/usage/usage.ts';
import { EmailView, emailView } from '../../core/webhook/email-view.ts';
import type { DeliveryListItem, DeliveryView } from '../../core/delivery/delivery-view.ts';
import {
  BILLING as billing,
  INVOICE as invoice,
  INVOICE_ID,
  PERIOD_END,
  PERIOD_START,
} from './billing-examples.ts';
import { NOTIFICATION_EXAMPLES, NOTIFICATION_ID } from './notification-examples.ts';
import {
  SESSION_EXAMPLES,
  SESSION_ID,
  STREAM_EXAMPLE,
  USAGE_INTERVAL,
  USAGE_TOTAL,
} from './session-examples.ts';
import { EXAMPLE_HEADERS, EXAMPLE_PAYLOAD, EXAMPLE_SECRET, EXAMPLE_TRACE_ID } from './webhook.ts';

export type Example = { request?: object; response: unknown };

const CREATED = '2026-11-20T09:30:00Z';
const NOW = '2026-11-21T08:00:02Z';
const { event_id, address_id } = EXAMPLE_PAYLOAD;
const DOMAIN_ID = 'dom_01k9wzp8a1b3c5d7e9f2g4h6jk';
const TOKEN_ID = 'token_01k9wzm2y4x6w8v1u3t5s7r9qp';
const WEBHOOK_URL = 'https://example.com/inbound';

const listItem: AddressListItem = {
  id: address_id,
  address: 'orders@in.example.com',
  webhook_url: WEBHOOK_URL,
  is_enabled: true,
  is_permanent: true,
  email_count: 1,
  created_at: CREATED,
};

const address: AddressView = {
  ...listItem,
  webhook_secret: EXAMPLE_SECRET,
  expires_at: null,
  description: 'Orders of the web shop',
  updated_at: CREATED,
  payload: { attachments: 'inline', raw: false },
  spam_refuse_above: null,
  retention_hours: null,
  redact: null,
  is_failing: false,
  failing_since: null,
  former_secrets_valid_until: null,
  managed_by: null,
};

const account: AccountView = {
  id: 'acc_01k9wzk1r3s5t7u9v2w4x6y8za',
  email: 'owner@example.com',
  name: 'Example Shop',
  company: 'Example Ltd',
  plan: 'pro',
  created_at: CREATED,
  settings: {
    timezone: 'Europe/Berlin',
    webhook_retry_attempts: 6,
    default_ttl_hours: 24,
    disable_failing_addresses: false,
    retention_hours: 24,
    redact: ['subject'],
  },
};

const token: z.infer<typeof TokenListItem> = {
  id: TOKEN_ID,
  name: 'web shop',
  prefix: 'svc_live_Jx4k2q',
  environment: 'live',
  permissions: ['addresses:read', 'deliveries:read'],
  created_at: CREATED,
  last_used_at: NOW,
};
const { last_used_at: _notYetUsed, ...newToken } = token;

const domain: DomainView = {
  id: DOMAIN_ID,
  domain: 'mail.example.com',
  unicode_domain: 'mail.example.com',
  is_verified: true,
  status: 'verified',
  problem: null,
  verification: {
    type: 'TXT',
    name: '_inlet-challenge.mail.example.com',
    value: 'inlet-verification=h5w2k9d4',
    found: ['inlet-verification=h5w2k9d4'],
  },
  mx: { expected: ['mx.in.example.com'], found: ['mx.in.example.com'], is_ok: true },
  created_at: CREATED,
  verified_at: CREATED,
  checked_at: NOW,
  managed_by: null,
};
const unverified: DomainView = {
  ...domain,
  is_verified: false,
  status: 'pending',
  verification: { ...domain.verification, found: [] },
  mx: { ...domain.mx, found: [], is_ok: false },
  verified_at: null,
  checked_at: null,
};

const { attempts, trace_id, ...listed }: z.infer<typeof DeliveryView> = {
  event_id,
  address_id,
  status: 'delivered',
  outcome: 'accepted',
  mail_from: 'ann@sender.example',
  from: 'Ann <ann@sender.example>',
  subject: 'Order 7',
  size_bytes: 812,
  received_at: '2026-11-21T08:00:01Z',
  next_attempt_at: null,
  updated_at: NOW,
  content_erased_at: null,
  trace_id: EXAMPLE_TRACE_ID,
  attempts: [
    {
      time: NOW,
      outcome: 'accepted',
      status_code: 200,
      latency_ms: 34,
      error: null,
      excerpt: '{"ok":true}',
    },
  ],
};
const delivery = { ...listed, trace_id };
const busy = { outcome: 'busy', attempts: [{ ...attempts[0], outcome: 'busy', status_code: 503 }] };
const deliveryItem: z.infer<typeof DeliveryListItem> = { ...listed, attempt_count: 1 };

const usage: UsageView = {
  period: { start: PERIOD_START, end: PERIOD_END, current: true },
  emails: { total: 412, successful: 409, failed: 2, today: 12 },
  webhooks: { delivered: 409, failed: 2, retrying: 1 },
  success_rate: 99.51,
  projected_monthly: 610,
  updated_at: NOW,
};

const event: UsageEventView = {
  id: event_id,
  type: 'email.received',
  address_id,
  timestamp: NOW,
  data: {
    from: 'Ann <ann@sender.example>',
    subject: 'Order 7',
    size_bytes: 812,
    webhook_status: 'delivered',
  },
};

const pageOf = (item: unknown, limit: number) => ({
  data: [item],
  pagination: { limit, offset: 0, total: 1, has_more: false },
});

const RAW_EMAIL = `From: Ann <ann@sender.example>
To: orders@in.example.com
Subject: Order 7

Please send another one.
`.replaceAll('\n', '\r\n');

/** By operationId. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  createAddress: {
    request: {
      local_part: 'orders',
      webhook_url: WEBHOOK_URL,
      description: 'Orders of the web shop',
    },
    response: { ...address, email_count: 0 },
  },
  listAddresses: { response: pageOf(listItem, 50) },
  getAddress: { response: address },
  updateAddress: {
    request: { is_enabled: false },
    response: { ...address, is_enabled: false, updated_at: NOW },
  },
  getWebhookSecret: {
    response: { webhook_secret: address.webhook_secret, former_secrets_valid_until: null },
  },
  rotateWebhookSecret: { response: { ...address, updated_at: NOW } },
  sendTestWebhook: {
    response: {
      event_id,
      outcome: 'accepted',
      status_code: 200,
      latency_ms: 34,
      error: null,
      excerpt: '{"ok":true}',
    },
  },
  deleteAddress: { response: { id: address_id, deleted: true } },
  createDomain: { request: { domain: 'mail.example.com' }, response: unverified },
  listDomains: { response: pageOf(domain, 50) },
  getDomain: { response: domain },
  verifyDomain: { response: domain },
  deleteDomain: { response: { id: DOMAIN_ID, deleted: true } },
  listDeliveries: { response: pageOf(deliveryItem, 50) },
  listDueDeliveries: {
    response: pageOf(
      { ...deliveryItem, status: 'retrying', outcome: 'busy', next_attempt_at: NOW },
      50,
    ),
  },
  getDelivery: { response: { ...delivery, attempts } },
  getDeliveryPayload: { response: EXAMPLE_PAYLOAD },
  getDeliveryEmail: { response: EmailView.parse(emailView(EXAMPLE_PAYLOAD)) },
  getDeliveryHtml: {
    response: '<!doctype html><html><body><p>Two sprockets, please.</p></body></html>',
  },
  signDelivery: {
    response: {
      webhook_url: WEBHOOK_URL,
      headers: { 'content-type': 'application/json', ...EXAMPLE_HEADERS },
      size_bytes: 1890,
    },
  },
  waitForDelivery: { response: { ...delivery, status: 'pending', attempts: [] } },
  streamEvents: { response: STREAM_EXAMPLE },
  replayDelivery: {
    response: { ...delivery, status: 'pending', next_attempt_at: NOW, attempts },
  },
  retryDelivery: { response: { ...delivery, ...busy, status: 'retrying', next_attempt_at: NOW } },
  eraseDeliveryContent: {
    response: {
      ...delivery,
      mail_from: '',
      from: null,
      subject: null,
      content_erased_at: NOW,
      attempts: attempts.map((attempt) => ({ ...attempt, excerpt: null })),
    },
  },
  cancelDelivery: { response: { ...delivery, ...busy, status: 'failed', outcome: 'canceled' } },
  replayDeliveries: {
    request: { status: 'failed', start_date: '2026-11-21', end_date: '2026-11-21' },
    response: { queued: 941, skipped: { no_longer_kept: 12, under_way: 0 }, next_cursor: null },
  },
  getUsage: { response: usage },
  getUsageSeries: { response: { data: [USAGE_INTERVAL], total: USAGE_TOTAL } },
  listUsageEvents: { response: pageOf(event, 100) },
  getBilling: { response: billing },
  listInvoices: { response: pageOf(invoice, 12) },
  getInvoicePdf: { response: '%PDF-1.3 and the rest of the file' },
  getAccount: { response: account },
  updateAccount: {
    request: { settings: { timezone: 'Europe/Berlin' } },
    response: account,
  },
  listTokens: { response: { data: [token] } },
  createToken: {
    request: { name: token.name, permissions: token.permissions },
    response: { ...newToken, token: `${token.prefix}EXAMPLE-not-a-valid-token-EXAMPLE-123` },
  },
  deleteToken: { response: { id: TOKEN_ID, deleted: true } },
  ...SESSION_EXAMPLES,
  ...NOTIFICATION_EXAMPLES,
  getRawEmail: { response: RAW_EMAIL },
  getAttachment: { response: '1 sprocket\n' },
  getLinkedInvoicePdf: { response: '%PDF-1.3 and the rest of the file' },
};

/** Path parameters, by name. */
export const PATH_PARAMETERS: Readonly<Record<string, { description: string; example: string }>> = {
  address_id: { description: 'id of the address', example: address_id },
  domain_id: { description: 'id of the domain', example: DOMAIN_ID },
  event_id: {
    description: 'event_id of the payload of an email or a notification',
    example: event_id,
  },
  index: { description: 'position in `attachments` of the payload, from 0', example: '0' },
  invoice_id: { description: 'id of the invoice', example: INVOICE_ID },
  notification_id: { description: 'id of the notification', example: NOTIFICATION_ID },
  session_id: { description: 'id of the session', example: SESSION_ID },
  token_id: { description: 'id of the token', example: TOKEN_ID },
};
