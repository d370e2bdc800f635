/**
 * Leader election by a Lease (coordination.k8s.io/v1), as in client-go: the holder renews it, and
 * another process takes it when it has not been renewed for its duration. Clocks of different
 * machines are never compared: each process counts from the moment at which it saw the last
 * renewal.
 */

export type LeaseSpec = {
  holderIdentity?: string | undefined;
  leaseDurationSeconds?: number | undefined;
  /** RFC 3339 with microseconds. */
  acquireTime?: string | undefined;
  renewTime?: string | undefined;
  leaseTransitions?: number | undefined;
};

/**
 * A lease, and when this process first saw its latest renewal, in milliseconds of its own clock.
 */
export type SeenLease = { spec: LeaseSpec; firstSeenMs: number };

/** After reading the lease again: without a renewal, the time of the first sight stays. */
export function observe(before: SeenLease | undefined, spec: LeaseSpec, nowMs: number): SeenLease {
  const isSame =
    before?.spec.holderIdentity === spec.holderIdentity &&
    before?.spec.renewTime === spec.renewTime;
  return { spec, firstSeenMs: isSame && before ? before.firstSeenMs : nowMs };
}

/**
 * Whether this process may take the lease: it holds it already, no process does, or the holder's
 * lease has expired.
 */
export function mayHold(
  { spec, firstSeenMs }: SeenLease,
  identity: string,
  nowMs: number,
): boolean {
  const { holderIdentity, leaseDurationSeconds = 0 } = spec;
  return (
    !holderIdentity ||
    holderIdentity === identity ||
    nowMs >= firstSeenMs + leaseDurationSeconds * 1_000
  );
}

/** The lease after this process has renewed it or taken it over. */
export function leaseHeldBy(
  before: LeaseSpec | undefined,
  identity: string,
  durationSeconds: number,
  now: Date,
): LeaseSpec {
  const isMine = before?.holderIdentity === identity;
  return {
    holderIdentity: identity,
    leaseDurationSeconds: durationSeconds,
    acquireTime: (isMine ? before.acquireTime : undefined) ?? microTime(now),
    renewTime: microTime(now),
    leaseTransitions: (before?.leaseTransitions ?? 0) + (before === undefined || isMine ? 0 : 1),
  };
}

/** The lease after this process has given it up, so that the next leader need not wait. */
export const leaseReleased = (before: LeaseSpec, now: Date): LeaseSpec => ({
  ...before,
  holderIdentity: '',
  leaseDurationSeconds: 1,
  acquireTime: microTime(now),
  renewTime: microTime(now),
});

const microTime = (date: Date) => date.toISOString().replace('Z', '000Z');
