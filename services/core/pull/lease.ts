/** Leases as consumers name them, and as attempts of their deliveries. */
import type { Attempt } from '../delivery/delivery.ts';
import type { Offer } from '../delivery/offer.ts';
import type { Outcome } from '../delivery/retry.ts';

/** How a lease goes on or ends, as metrics count it. */
export const LEASE_ENDS = ['leased', 'acknowledged', 'returned', 'rejected', 'expired'] as const;
export type LeaseEnd = (typeof LEASE_ENDS)[number];

/** The attempt of a lease, as its record has it. It began when the lease did. */
export const leaseAttempt = (
  { lease }: Offer,
  { outcome, error }: { outcome: Outcome['kind']; error: string | null },
  endedAt: Date,
): Attempt => {
  const at = lease?.since ?? endedAt;
  return {
    at,
    duration_ms: Math.max(0, endedAt.getTime() - at.getTime()),
    outcome,
    status_code: null,
    error,
    excerpt: null,
  };
};

/** As consumers name it: the delivery and the lease of it. */
export const leaseIdOf = (eventId: string, leaseId: string): string => `${eventId}.${leaseId}`;

export function readLeaseId(text: string): { eventId: string; leaseId: string } | undefined {
  const dot = text.indexOf('.');
  if (dot < 1) return undefined;
  return { eventId: text.slice(0, dot), leaseId: text.slice(dot + 1) };
}
