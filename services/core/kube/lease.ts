/**
 * Who leads, by a Lease (coordination.k8s.io/v1) in the way of client-go's leader election: the holder renews it, another takes it when it has
 * not been renewed for its duration. Clocks of different machines are never compared: each counts from when it saw the last renewal itself.
 */

export type LeaseSpec = {
  holderIdentity?: string | undefined;
  leaseDurationSeconds?: number | undefined;
  /** RFC 3339 with microseconds. */
  acquireTime?: string | undefined;
  renewTime?: string | undefined;
  leaseTransitions?: number | undefined;
};

/** A lease as it was seen, and when this very renewal of it was seen first, in milliseconds of the watcher's own clock. */
export type SeenLease = { spec: LeaseSpec; firstSeenMs: number };

/** What is known after another look: a lease that did not change is as old as it was. */
export function look(before: SeenLease | undefined, spec: LeaseSpec, nowMs: number): SeenLease {
  const isSame =
    before?.spec.holderIdentity === spec.holderIdentity &&
    before?.spec.renewTime === spec.renewTime;
  return { spec, firstSeenMs: isSame && before ? before.firstSeenMs : nowMs };
}

/** Whether this one may write itself into the lease: it holds it, nobody does, or the holder has been silent for too long. */
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

/** The lease in this one's hands, renewed or taken over. */
export function held(
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

/** The lease given back, so that the next one need not wait. */
export const released = (before: LeaseSpec, now: Date): LeaseSpec => ({
  ...before,
  holderIdentity: '',
  leaseDurationSeconds: 1,
  acquireTime: microTime(now),
  renewTime: microTime(now),
});

const microTime = (date: Date) => date.toISOString().replace('Z', '000Z');
