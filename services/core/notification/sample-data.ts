/** Examples of the data of notifications. */
import { EXAMPLE } from '../resource/api-reference.ts';
import { quotaSentence } from '../billing/quota.ts';
import type { NotificationType } from './notification.ts';

const DAY_MS = 86_400_000;
const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * DAY_MS);
const periodBefore = (now: Date) => ({ period_start: daysBefore(now, 30), period_end: now });

/** The data of the usage events that documentation and tests show. */
export const SAMPLE_DATA: Record<NotificationType, (now: Date) => Record<string, unknown>> = {
  'address.failing': (now) => ({ failing_since: daysBefore(now, 5), is_enabled: true }),
  'address.recovered': () => ({ reason: 'delivered' }),
  'address.silent': (now) => ({
    every: '26h',
    grace: '1h',
    when: 'subject.contains("backup")',
    silent_at: now,
  }),
  'address.resumed': (now) => ({ reason: 'received', silent_since: daysBefore(now, 1) }),
  'address.refusing': () => ({
    mailbox: 'orders@in.example.com',
    refusals: 120,
    reason: 'sender_not_allowed',
  }),
  'quota.near': (now) => ({
    percent: 80,
    emails_used: 40_000,
    emails_included: 50_000,
    plan: 'pro',
    over_quota: 'bill',
    message: quotaSentence({
      plan: 'pro',
      over_quota: 'bill',
      emails_included: 50_000,
      emails_used: 40_000,
      resets_at: now,
    }),
    ...periodBefore(now),
  }),
  'domain.unconfirmed': (now) => ({
    domain_id: 'dom_example',
    domain: 'mail.example.com',
    missing_since: daysBefore(now, 7),
  }),
  'invoice.created': (now) => ({
    invoice_id: 'inv_example',
    amount: 29,
    currency: 'USD',
    status: 'open',
    ...periodBefore(now),
  }),
  'token.created': () => ({
    created_token_id: 'token_example',
    name: 'web shop',
    prefix: 'svc_live_Jx4k2q',
    environment: 'live',
    permissions: ['addresses:read', 'deliveries:read'],
  }),
  'email.held': () => ({ event_id: EXAMPLE.event_id, reason: 'rule', rule: 'unknown sender' }),
  'email.lost': () => ({ event_id: EXAMPLE.event_id }),
  'receiver.certificate_expiring': (now) => ({
    receiver_id: EXAMPLE.receiver_id,
    subject: 'CN=inlet',
    fingerprint_sha256: Array.from({ length: 32 }, () => 'A7').join(':'),
    expires_at: daysBefore(now, -21),
  }),
};
