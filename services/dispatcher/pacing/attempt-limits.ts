/**
 * Counts what each address and each account has in flight, and holds the emails that wait in
 * memory. core/delivery/claim decides which email starts now, waits here, or sleeps in the RETRY
 * lane.
 */
import {
  afterAttempt,
  decideStart,
  fairShare,
  mayTake,
  firstByteWithin,
  schedule,
  type SharedLimit,
  SLEEP_MIN_MS,
  smoothed,
} from '../../core/delivery/claim.ts';
import { createAccountClaims } from './account-claims.ts';
import { type AddressQueue, createAddressQueues } from './address-queues.ts';
import type { Arrival, Entry, Permit } from './arrival.ts';

export type AttemptLimits = {
  /**
   * Counts a slot of a partition and lane as held by the account, before anything is read for the
   * email: what MongoDB or a receiver holds up is within the share of its account.
   * @returns what gives it back, any number of times; undefined when the account has its share
   */
  holdSlot(accountId: string, slots: SharedLimit): (() => void) | undefined;
  /** Resolves when the email may start, must sleep in the RETRY lane, or the process stops. */
  enter(arrival: Arrival): Promise<Entry>;
  /** When an email is decided again whose account has its share. */
  sleepUntil(arrival: Arrival): Date;
  /** Admits no more attempts: waiting emails get `closed`. */
  close(): void;
  inFlight: () => number;
};

type LimitOptions = {
  /** Most attempts in flight for one address. */
  perAddress: number;
  /** Slots of all lanes together. Failing receivers get a quarter of them. */
  slots: number;
  /** Limit of payload bytes in flight. A single larger payload is sent alone. */
  bytesInFlight: number;
  /** Milliseconds since 1970. */
  now: () => number;
};

/** Failing receivers together may have this share of all slots. */
const SHARE_OF_FAILING = 1 / 4;
/** Payloads up to this share of all bytes are not counted: they would wait for large ones. */
const SHARE_OF_SMALL_PAYLOAD = 1 / 1000;

/** What an attempt needs in addition to its slot. */
function createNeeds(slots: number, bytesInFlight: number) {
  const failing: SharedLimit = { capacity: Math.max(1, slots * SHARE_OF_FAILING), used: 0 };
  const bytes: SharedLimit = { capacity: bytesInFlight, used: 0 };
  return ({ claim }: AddressQueue, { payloadBytes }: Arrival): [SharedLimit, number][] => [
    ...(payloadBytes > bytesInFlight * SHARE_OF_SMALL_PAYLOAD
      ? [[bytes, payloadBytes] satisfies [SharedLimit, number]]
      : []),
    ...(claim.failures > 0 ? [[failing, 1] satisfies [SharedLimit, number]] : []),
  ];
}

export function createAttemptLimits({
  perAddress,
  slots,
  bytesInFlight,
  now,
}: LimitOptions): AttemptLimits {
  const queues = createAddressQueues(perAddress);
  const { claimOf, setClaim, take, holdSlot } = createAccountClaims();
  const needsOf = createNeeds(slots, bytesInFlight);
  let inFlight = 0;
  let isClosed = false;

  const mayRun = (queue: AddressQueue, arrival: Arrival): boolean =>
    queue.claim.held < Math.floor(queue.claim.limit) &&
    needsOf(queue, arrival).every(([shared, amount]) =>
      mayTake(shared, claimOf(arrival.accountId, shared).held, amount),
    );

  const start = (queue: AddressQueue, arrival: Arrival): Entry => {
    const { accountId, slots: ofLane } = arrival;
    const taken = needsOf(queue, arrival).map(([shared, of]) => take(accountId, shared, of));
    const request = { startedAt: 0 };
    const inLane = claimOf(accountId, ofLane).requests;
    const move = (change: number) => {
      inFlight += change;
      queue.claim = { ...queue.claim, held: queue.claim.held + change };
    };
    move(1);
    const release: Permit['release'] = (sample) => {
      for (const requests of [queue.claim.requests, inLane]) requests.delete(request);
      move(-1);
      if (sample) {
        queue.claim = afterAttempt(queue.claim, sample, perAddress, now());
        const claim = claimOf(accountId, ofLane);
        const latencyMs = smoothed(claim.latencyMs, sample.durationMs);
        setClaim(accountId, ofLane, { ...claim, latencyMs });
      }
      for (const releaseOne of taken) releaseOne();
      for (const other of queues.withWaiting)
        queues.admit(other, (next) => (mayRun(other, next) ? start(other, next) : undefined));
      queues.forgetIdle();
    };
    const requestStarted = () => {
      request.startedAt = now();
      for (const requests of [queue.claim.requests, inLane]) requests.add(request);
    };
    const firstByteMs = firstByteWithin(queue.claim);
    return { kind: 'permit', permit: { requestStarted, firstByteMs, release } };
  };

  const sleepForAddress = (queue: AddressQueue): Date => {
    const { at, claim } = schedule(queue.claim, SLEEP_MIN_MS.address, now());
    queue.claim = claim;
    return new Date(at);
  };

  const sleepForAccount = (accountId: string, ofLane: SharedLimit): Date => {
    const before = claimOf(accountId, ofLane);
    const limited = { ...before, limit: fairShare(ofLane, before.held) };
    const { at, claim } = schedule(limited, SLEEP_MIN_MS.account, now());
    setClaim(accountId, ofLane, claim);
    return new Date(at);
  };

  const decide = (queue: AddressQueue, arrival: Arrival) => {
    const { wasScheduled } = arrival;
    const waiting = queue.waiting.length;
    return decideStart(
      queue.claim,
      { wasScheduled, waiting, mayRun: mayRun(queue, arrival) },
      now(),
    );
  };

  return {
    holdSlot,
    enter: async (arrival) => {
      if (isClosed) return { kind: 'closed' };
      const queue = queues.of(arrival.addressId);
      const decision = decide(queue, arrival);
      if (decision === 'later') return { kind: 'later', at: sleepForAddress(queue) };
      if (decision === 'now') return start(queue, arrival);
      return queues.wait(queue, arrival, () => ({ kind: 'later', at: sleepForAddress(queue) }));
    },
    sleepUntil: (arrival) => {
      const queue = queues.of(arrival.addressId);
      return decide(queue, arrival) === 'later'
        ? sleepForAddress(queue)
        : sleepForAccount(arrival.accountId, arrival.slots);
    },
    close: () => {
      isClosed = true;
      for (const queue of queues.withWaiting) queues.admit(queue, () => ({ kind: 'closed' }));
    },
    inFlight: () => inFlight,
  };
}
