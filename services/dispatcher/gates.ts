/**
 * Counts what each account and each address has in flight, and holds the emails that wait in
 * memory. core/delivery/pacing decides which email starts now, waits here, or waits in the RETRY
 * lane; core/delivery/fair-share decides what an account may hold.
 */
import { mayTake, type Shared } from '../core/delivery/fair-share.ts';
import {
  type AccountHolds,
  accountScheduleTime,
  afterAttempt,
  attemptsEndSoon,
  decideStart,
  FIRST_GUESS_MS,
  type LaneSlots,
  mayRun,
  newPace,
  newPool,
  type Pace,
  PATIENCE_MS,
  scheduleTime,
  smoothed,
  withScheduled,
} from '../core/delivery/pacing.ts';

/** Permission for one attempt, until it is released. */
export type Permit = {
  /**
   * The request starts now. Time before this, for example to read the payload, is not the
   * receiver's.
   */
  called: () => void;
  /** @param observation of the receiver; undefined when it was not called */
  leave(observation: Observation | undefined): void;
};

export type Observation = { durationMs: number; isFailure: boolean };
export type Entry =
  { kind: 'permit'; permit: Permit } | { kind: 'later'; at: Date } | { kind: 'closed' };

/** An email that wants to start. */
export type Arrival = {
  accountId: string;
  addressId: string;
  lane: keyof LaneSlots;
  /** The slots of the partition that it was pulled from. */
  slots: LaneSlots;
  payloadBytes: number;
};

export type Gates = {
  /** Resolves when the email may start, must wait in the RETRY lane, or the process stops. */
  enter(arrival: Arrival): Promise<Entry>;
  /** Admits no more attempts: waiting emails get `closed`. */
  close(): void;
  /** Attempts in flight. */
  running(): number;
};

export type GateOptions = {
  /** Limits of attempts in flight: for one address, and in total. */
  perAddress: number;
  inAll: number;
  /** Limit of payload bytes in flight. A single larger payload is sent alone. */
  bytesInAll: number;
  /** Milliseconds since 1970. */
  now: () => number;
};

type Account = { holdings: Map<Shared, Holding>; latencyMs: number; calls: Calls };
/** The attempts in flight, in the order in which they were made. */
type Calls = Set<{ at: number }>;
type Holding = {
  held: number;
  /**
   * For slots of the RETRY lane: time given to the last email of the account's virtual queue there.
   */
  queueEnd: number;
};
/** An email that holds a slot. */
type Guest = { arrival: Arrival; account: Account; freeSlot: () => void };
type Waiter = { guest: Guest; resolve: (entry: Entry) => void; patience: NodeJS.Timeout };
type Gate = { pace: Pace; waiting: Waiter[]; calls: Calls };

/** Limit of idle addresses and idle accounts that are remembered. */
const MAX_IDLE = 10_000;

export function createGates({ perAddress, inAll, bytesInAll, now }: GateOptions): Gates {
  const gates = new Map<string, Gate>();
  const accounts = new Map<string, Account>();
  const pool = newPool(inAll, bytesInAll);
  const queued = new Set<Gate>(); // gates with waiting emails, the longest wait first
  let isClosed = false;

  const gateOf = (addressId: string): Gate => {
    const gate = gates.get(addressId) ?? {
      pace: newPace(perAddress),
      waiting: [],
      calls: new Set(),
    };
    gates.delete(addressId); // moves it to the end: the map is in the order of last use
    gates.set(addressId, gate);
    return gate;
  };

  const accountOf = (accountId: string): Account => {
    const account = accounts.get(accountId) ?? newAccount();
    accounts.delete(accountId); // as above
    accounts.set(accountId, account);
    return account;
  };

  const forgetIdle = () => {
    forgetFirst(gates, ({ pace, waiting }) => pace.running === 0 && waiting.length === 0);
    forgetFirst(accounts, ({ holdings }) => holdings.size === 0);
  };

  const oldestMs = ({ calls }: { calls: Calls }): number => {
    const [oldest] = calls;
    return oldest ? now() - oldest.at : 0;
  };

  const holdsOf = (account: Account): AccountHolds => ({
    failing: holdingOf(account, pool.failing).held,
    bytes: holdingOf(account, pool.bytes).held,
  });

  const start = (gate: Gate, { arrival, account, freeSlot }: Guest): Entry => {
    const taken = [
      take(account, pool.attempts, 1),
      take(account, pool.bytes, arrival.payloadBytes),
      ...(gate.pace.failures > 0 ? [take(account, pool.failing, 1)] : []),
      freeSlot,
    ];
    const call = { at: 0 };
    gate.pace.running++;
    const leave: Permit['leave'] = (observation) => {
      for (const { calls } of [gate, account]) calls.delete(call);
      for (const giveBack of taken) giveBack();
      gate.pace.running--;
      if (observation) {
        gate.pace = afterAttempt(gate.pace, observation, perAddress, now());
        account.latencyMs = smoothed(account.latencyMs, observation.durationMs);
      }
      for (const other of queued) admitWaiting(other);
      forgetIdle();
    };
    const called: Permit['called'] = () => {
      call.at = now();
      for (const { calls } of [gate, account]) calls.add(call);
    };
    return { kind: 'permit', permit: { called, leave } };
  };

  const mayStart = (gate: Gate, { arrival, account }: Guest) =>
    mayRun(gate.pace, pool, {
      payloadBytes: arrival.payloadBytes,
      account: holdsOf(account),
    });

  const admitWaiting = (gate: Gate) => {
    for (let next = gate.waiting[0]; next && mayStart(gate, next.guest); next = gate.waiting[0]) {
      gate.waiting.shift();
      clearTimeout(next.patience);
      next.resolve(start(gate, next.guest));
    }
    if (gate.waiting.length === 0) queued.delete(gate);
  };

  const scheduleAt = (gate: Gate, at: number): Entry => {
    gate.pace = withScheduled(gate.pace, at, now());
    return { kind: 'later', at: new Date(at) };
  };

  const waitInMemory = (gate: Gate, guest: Guest): Promise<Entry> =>
    new Promise((resolve) => {
      const waiter: Waiter = {
        guest,
        resolve,
        patience: setTimeout(() => {
          gate.waiting.splice(gate.waiting.indexOf(waiter), 1);
          if (gate.waiting.length === 0) queued.delete(gate);
          guest.freeSlot();
          resolve(scheduleAt(gate, scheduleTime(gate.pace, oldestMs(gate), now())));
        }, PATIENCE_MS),
      };
      gate.waiting.push(waiter);
      queued.add(gate);
    });

  /** The email waits in its account's virtual queue of the RETRY lane. */
  const scheduleForAccount = (account: Account, { retry }: LaneSlots): Entry => {
    const holding = holdingOf(account, retry);
    const at = accountScheduleTime(
      { ...holding, latencyMs: account.latencyMs, oldestMs: oldestMs(account) },
      retry,
      now(),
    );
    account.holdings.set(retry, { ...holding, queueEnd: at });
    return { kind: 'later', at: new Date(at) };
  };

  return {
    enter: async (arrival) => {
      if (isClosed) return { kind: 'closed' };
      const gate = gateOf(arrival.addressId);
      const account = accountOf(arrival.accountId);
      const slots = arrival.slots[arrival.lane];
      const decision = decideStart(
        gate.pace,
        pool,
        {
          wasScheduled: arrival.lane === 'retry',
          payloadBytes: arrival.payloadBytes,
          account: holdsOf(account),
          waiting: gate.waiting.length,
          oldestMs: oldestMs(gate),
        },
        now(),
      );
      if (decision.kind === 'later') return scheduleAt(gate, decision.at);
      const endsSoon = attemptsEndSoon(account.latencyMs, oldestMs(account));
      if (!mayTake(slots, holdingOf(account, slots).held, 1, endsSoon))
        return scheduleForAccount(account, arrival.slots);
      const guest = { arrival, account, freeSlot: take(account, slots, 1) };
      return decision.kind === 'now' ? start(gate, guest) : waitInMemory(gate, guest);
    },
    close: () => {
      isClosed = true;
      for (const { waiting } of queued) {
        for (const { patience, resolve, guest } of waiting.splice(0)) {
          clearTimeout(patience);
          guest.freeSlot();
          resolve({ kind: 'closed' });
        }
      }
    },
    running: () => pool.attempts.used,
  };
}

const holdingOf = (account: Account, shared: Shared): Holding =>
  account.holdings.get(shared) ?? { held: 0, queueEnd: 0 };

const newAccount = (): Account => ({
  holdings: new Map(),
  latencyMs: FIRST_GUESS_MS,
  calls: new Set(),
});

/** Returns what gives it back. An account that holds nothing more loses its virtual queue, too. */
function take(account: Account, shared: Shared, amount: number): () => void {
  const add = (change: number) => {
    const { held, queueEnd } = holdingOf(account, shared);
    shared.used += change;
    if (held + change > 0) account.holdings.set(shared, { held: held + change, queueEnd });
    else account.holdings.delete(shared);
  };
  add(amount);
  return () => add(-amount);
}

/** Removes the least recently used entry that is idle, once there are too many. */
function forgetFirst<T>(entries: Map<string, T>, isIdle: (entry: T) => boolean): void {
  if (entries.size <= MAX_IDLE) return;
  for (const [id, entry] of entries) {
    if (!isIdle(entry)) continue;
    entries.delete(id);
    return;
  }
}
