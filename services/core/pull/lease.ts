/**
 * Emails of pull receivers. The dispatcher keeps their contents in FAILED, as those of held emails. A
 * consumer leases one by its record, and ends the lease: an acknowledgment delivers it, a return is a
 * failed attempt. A lease that ends by itself is no attempt.
 */
import type { Attempt, Delivery } from '../delivery/delivery.ts';
import type { MailEvent } from '../delivery/mail-event.ts';
import type { Outcome, Step } from '../delivery/retry.ts';
import type { Unread } from '../delivery/unread.ts';

/** Bounds of what consumers of one receiver hold. */
export const LEASES_MAX = 1_000;
export const LEASE_MIN_SECONDS = 5;
export const LEASE_MAX_SECONDS = 3_600;
export const LEASE_DEFAULT_SECONDS = 60;
/** A lease is not renewed beyond this. */
export const LEASE_TOTAL_MS = 12 * 3_600_000;

/** What becomes of a lease, as metrics count it. */
export const LEASE_ENDS = ['leased', 'acknowledged', 'returned', 'rejected'] as const;
export type LeaseEnd = (typeof LEASE_ENDS)[number];

/** What remains after a lease: only a return that is not final leaves something to lease. */
export const unreadAfter = (step: Step, { bytes, until }: Unread): Unread | undefined =>
  step.kind === 'retry' ? { at: step.at, bytes, ...(until && { until }) } : undefined;

/** A lease as an attempt of its record. It began when the lease did. */
export function leaseAttempt(
  { lease }: Unread,
  { outcome, error }: { outcome: Outcome['kind']; error: string | null },
  now: Date,
): Attempt {
  const at = lease?.since ?? now;
  const duration_ms = Math.max(0, now.getTime() - at.getTime());
  return { at, duration_ms, outcome, status_code: null, error, excerpt: null };
}

/** As consumers name it: the delivery and the lease of it. */
export const leaseIdOf = (eventId: string, { lease }: Unread): string =>
  `${eventId}.${lease?.id ?? ''}`;

/** Without a lease, it names an email that nobody has leased. */
export function readLeaseId(text: string): { eventId: string; leaseId: string | undefined } {
  const [eventId = '', leaseId] = text.split('.');
  return { eventId, leaseId };
}

/** For a change without the message of the stream: only what changes of a record that exists need. */
export const eventOfRecord = (delivery: Delivery): MailEvent => ({
  event_id: delivery.event_id,
  account_id: delivery.account_id,
  environment: delivery.environment,
  address_id: delivery.address_id,
  ...(delivery.email && { email: delivery.email }),
  mail_from: delivery.mail_from,
  from: delivery.from,
  subject: delivery.subject,
  size_bytes: delivery.size_bytes,
  received_at_ms: delivery.received_at.getTime(),
  payload_bytes: 0,
  payload_in: delivery.payload_in === 'bucket' ? 'bucket' : 'message',
  ...(delivery.storage_order && { storage: delivery.storage_order }),
});
