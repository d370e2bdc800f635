/**
 * Counts what each address and each account has in flight, and holds the emails that wait in
 * memory. core/delivery/claim decides which email starts now, waits here, or sleeps in the RETRY
 * lane.
 */
import {
  afterAttempt,
  type Claim,
  decideStart,
  fairShare,
  mayTake,
  firstByteWithin,
  newClaim,
  MEMORY_WAIT_MS,
  type ReceiverSample,
  schedule,
  type Shared,
  SLEEP_MIN_MS,
  smoothed,
} from '../core/delivery/claim.ts';

/** Permission for one attempt, until it is released. */
export type Permit = {
  /** Time before this, for example to read the payload, does not count as the receiver's. */
  requestStarted: () => void;
  /** How long to wait for the first byte; undefined for the timeout of all. */
  firstByteMs: number | undefined;
  /** @param sample of the receiver; undefined when it was not called */
  release(sample: ReceiverSample | undefined): void;
};

export type Entry =
  { kind: 'permit'; permit: Permit } | { kind: 'later'; at: Date } | { kind: 'closed' };

/** An email that wants to start, and is counted in the share of its account. */
export type Arrival = {
  accountId: string;
  addressId: string;
  /** It comes from the RETRY lane, where it slept until its time. */
  wasScheduled: boolean;
  /** The slots of its partition and lane. */
  slots: Shared;
  payloadBytes: number;
};

export type AttemptLimits = {
  /**
   * Counts a slot of a partition and lane as held by the account, before anything is read for the
   * email: what MongoDB or a receiver holds up is within the share of its account.
   * @returns what gives it back, any number of times; undefined when the account has its share
   */
  holdSlot(accountId: string, slots: Shared): (() => void) | undefined;
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

type Waiter = {
  arrival: Arrival;
  resolve: (entry: Entry) => void;
  timer: NodeJS.Timeout;
};
type AddressQueue = { claim: Claim; waiting: Waiter[] };

/** Failing receivers together may have this share of all slots. */
const SHARE_OF_FAILING = 1 / 4;
/** Payloads up to this share of all bytes are not counted: they would wait for large ones. */
const SHARE_OF_SMALL_PAYLOAD = 1 / 1000;
/** Limit of idle addresses that are remembered. */
const MAX_IDLE = 10_000;

export function createAttemptLimits({
  perAddress,
  slots,
  bytesInFlight,
  now,
}: LimitOptions): AttemptLimits {
  const queues = new Map<string, AddressQueue>();
  /** The slots that each account holds. An account without slots has no claim. */
  const accounts = new Map<string, Map<Shared, Claim>>();
  const failing: Shared = { capacity: Math.max(1, slots * SHARE_OF_FAILING), used: 0 };
  const bytes: Shared = { capacity: bytesInFlight, used: 0 };
  const withWaiting = new Set<AddressQueue>(); // the longest wait first
  let inFlight = 0;
  let isClosed = false;

  const queueOf = (addressId: string): AddressQueue => {
    const queue = queues.get(addressId) ?? { claim: newClaim(perAddress), waiting: [] };
    queues.delete(addressId); // moves it to the end: the map is in the order of last use
    queues.set(addressId, queue);
    return queue;
  };

  const claimOf = (accountId: string, shared: Shared): Claim =>
    accounts.get(accountId)?.get(shared) ?? newClaim(1);

  const setClaim = (accountId: string, shared: Shared, claim: Claim): void => {
    const claims = accounts.get(accountId) ?? new Map<Shared, Claim>();
    if (claim.held > 0) claims.set(shared, claim);
    else claims.delete(shared);
    if (claims.size > 0) accounts.set(accountId, claims);
    else accounts.delete(accountId);
  };

  /** @returns the function that releases it */
  const take = (accountId: string, shared: Shared, amount: number): (() => void) => {
    const add = (change: number) => {
      const claim = claimOf(accountId, shared);
      shared.used += change;
      setClaim(accountId, shared, { ...claim, held: claim.held + change });
    };
    add(amount);
    return () => add(-amount);
  };

  /** What an attempt needs in addition to its slot. */
  const needsOf = ({ claim }: AddressQueue, { payloadBytes }: Arrival): [Shared, number][] => [
    ...(payloadBytes > bytesInFlight * SHARE_OF_SMALL_PAYLOAD
      ? [[bytes, payloadBytes] satisfies [Shared, number]]
      : []),
    ...(claim.failures > 0 ? [[failing, 1] satisfies [Shared, number]] : []),
  ];

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
      for (const other of withWaiting) admitWaiting(other);
      forgetIdle();
    };
    const requestStarted = () => {
      request.startedAt = now();
      for (const requests of [queue.claim.requests, inLane]) requests.add(request);
    };
    const firstByteMs = firstByteWithin(queue.claim);
    return { kind: 'permit', permit: { requestStarted, firstByteMs, release } };
  };

  const admitWaiting = (queue: AddressQueue): void => {
    const { waiting } = queue;
    for (let next = waiting[0]; next && mayRun(queue, next.arrival); next = waiting[0]) {
      leaveMemory(queue, next);
      next.resolve(start(queue, next.arrival));
    }
  };

  const leaveMemory = (queue: AddressQueue, waiter: Waiter): void => {
    clearTimeout(waiter.timer);
    queue.waiting.splice(queue.waiting.indexOf(waiter), 1);
    if (queue.waiting.length === 0) withWaiting.delete(queue);
  };

  const sleepForAddress = (queue: AddressQueue): Date => {
    const { at, claim } = schedule(queue.claim, SLEEP_MIN_MS.address, now());
    queue.claim = claim;
    return new Date(at);
  };

  const sleepForAccount = (accountId: string, ofLane: Shared): Date => {
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

  const waitInMemory = (queue: AddressQueue, arrival: Arrival) =>
    new Promise<Entry>((resolve) => {
      const timer = setTimeout(() => {
        leaveMemory(queue, waiter);
        resolve({ kind: 'later', at: sleepForAddress(queue) });
      }, MEMORY_WAIT_MS);
      const waiter: Waiter = { arrival, resolve, timer };
      queue.waiting.push(waiter);
      withWaiting.add(queue);
    });

  /** Forgets the least recently used address that is idle, once there are too many. */
  const forgetIdle = (): void => {
    if (queues.size <= MAX_IDLE) return;
    for (const [id, { claim, waiting }] of queues) {
      if (claim.held > 0 || waiting.length > 0) continue;
      queues.delete(id);
      return;
    }
  };

  return {
    holdSlot: (accountId, ofLane) => {
      if (!mayTake(ofLane, claimOf(accountId, ofLane).held)) return undefined;
      const release = take(accountId, ofLane, 1);
      let isHeld = true;
      return () => {
        if (isHeld) release();
        isHeld = false;
      };
    },
    enter: async (arrival) => {
      if (isClosed) return { kind: 'closed' };
      const queue = queueOf(arrival.addressId);
      const decision = decide(queue, arrival);
      if (decision === 'later') return { kind: 'later', at: sleepForAddress(queue) };
      return decision === 'now' ? start(queue, arrival) : waitInMemory(queue, arrival);
    },
    sleepUntil: (arrival) => {
      const queue = queueOf(arrival.addressId);
      return decide(queue, arrival) === 'later'
        ? sleepForAddress(queue)
        : sleepForAccount(arrival.accountId, arrival.slots);
    },
    close: () => {
      isClosed = true;
      for (const queue of withWaiting)
        for (const waiter of queue.waiting.slice()) {
          leaveMemory(queue, waiter);
          waiter.resolve({ kind: 'closed' });
        }
    },
    inFlight: () => inFlight,
  };
}
