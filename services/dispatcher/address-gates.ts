/**
 * Counts the attempts in flight of each address, and holds the emails that wait in memory.
 * core/delivery/pacing decides which email starts now, waits here, or waits in the RETRY lane.
 */
import {
  afterAttempt,
  decideStart,
  mayRun,
  newPace,
  type Pace,
  PATIENCE_MS,
  type Pool,
  scheduleTime,
  withScheduled,
} from '../core/delivery/pacing.ts';

/** Permission for one attempt, until it leaves. */
export type Permit = {
  /** The request starts now. Time before this, for example to read the payload, is not the receiver's. */
  called: () => void;
  /** @param observation of the receiver; undefined when it was not called */
  leave(observation: Observation | undefined): void;
};

export type Observation = { durationMs: number; isFailure: boolean };
export type Entry =
  { kind: 'permit'; permit: Permit } | { kind: 'later'; at: Date } | { kind: 'closed' };

export type AddressGates = {
  /** Resolves when the email may start, must wait in the RETRY lane, or the process stops. */
  enter(addressId: string, mail: { wasScheduled: boolean; payloadBytes: number }): Promise<Entry>;
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

type Waiter = { payloadBytes: number; resolve: (entry: Entry) => void; patience: NodeJS.Timeout };
type Gate = { pace: Pace; waiting: Waiter[]; calls: Set<{ at: number }> };

/** Limit of idle addresses whose pace is cached. */
const MAX_IDLE = 10_000;

export function createAddressGates({
  perAddress,
  inAll,
  bytesInAll,
  now,
}: GateOptions): AddressGates {
  const gates = new Map<string, Gate>();
  const pool: Pool = {
    capacity: inAll,
    running: 0,
    runningOfFailing: 0,
    capacityBytes: bytesInAll,
    runningBytes: 0,
  };
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

  const forgetIdle = () => {
    if (gates.size <= MAX_IDLE) return;
    for (const [addressId, { pace, waiting }] of gates) {
      if (pace.running > 0 || waiting.length > 0) continue;
      gates.delete(addressId);
      return;
    }
  };

  const oldestMs = (gate: Gate): number => {
    const [oldest] = gate.calls; // insertion order
    return oldest ? now() - oldest.at : 0;
  };

  const start = (gate: Gate, payloadBytes: number): Entry => {
    const wasFailing = gate.pace.failures > 0;
    const call = { at: 0 };
    gate.pace.running++;
    pool.running++;
    pool.runningBytes += payloadBytes;
    if (wasFailing) pool.runningOfFailing++;
    const leave: Permit['leave'] = (observation) => {
      gate.calls.delete(call);
      pool.running--;
      pool.runningBytes -= payloadBytes;
      if (wasFailing) pool.runningOfFailing--;
      gate.pace.running--;
      if (observation) gate.pace = afterAttempt(gate.pace, observation, perAddress, now());
      for (const other of queued) admitWaiting(other);
      forgetIdle();
    };
    const called: Permit['called'] = () => {
      call.at = now();
      gate.calls.add(call);
    };
    return { kind: 'permit', permit: { called, leave } };
  };

  const admitWaiting = (gate: Gate) => {
    for (
      let next = gate.waiting[0];
      next && mayRun(gate.pace, pool, next.payloadBytes);
      next = gate.waiting[0]
    ) {
      gate.waiting.shift();
      clearTimeout(next.patience);
      next.resolve(start(gate, next.payloadBytes));
    }
    if (gate.waiting.length === 0) queued.delete(gate);
  };

  const scheduleAt = (gate: Gate, at: number): Entry => {
    gate.pace = withScheduled(gate.pace, at);
    return { kind: 'later', at: new Date(at) };
  };

  return {
    enter: async (addressId, { wasScheduled, payloadBytes }) => {
      if (isClosed) return { kind: 'closed' };
      const gate = gateOf(addressId);
      const decision = decideStart(
        gate.pace,
        pool,
        { wasScheduled, payloadBytes, waiting: gate.waiting.length, oldestMs: oldestMs(gate) },
        now(),
      );
      if (decision.kind === 'now') return start(gate, payloadBytes);
      if (decision.kind === 'later') return scheduleAt(gate, decision.at);
      return new Promise<Entry>((resolve) => {
        const waiter: Waiter = {
          payloadBytes,
          resolve,
          patience: setTimeout(() => {
            gate.waiting.splice(gate.waiting.indexOf(waiter), 1);
            if (gate.waiting.length === 0) queued.delete(gate);
            resolve(scheduleAt(gate, scheduleTime(gate.pace, oldestMs(gate), now())));
          }, PATIENCE_MS),
        };
        gate.waiting.push(waiter);
        queued.add(gate);
      });
    },
    close: () => {
      isClosed = true;
      for (const { waiting } of queued) {
        for (const { patience, resolve } of waiting.splice(0)) {
          clearTimeout(patience);
          resolve({ kind: 'closed' });
        }
      }
    },
    running: () => pool.running,
  };
}
