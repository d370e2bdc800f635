/** How many attempts each address has under way, and who waits in memory; core/delivery/pacing decides who goes now, who waits here and who comes later. */
import {
  afterAttempt,
  mayRun,
  newPace,
  nextTurn,
  type Pace,
  PATIENCE_MS,
  type Pool,
  turnOf,
  withTurn,
} from '../core/delivery/pacing.ts';

/** Held by an attempt while it is under way. */
export type Pass = {
  /** The receiver has been called: until now the time was ours, a payload read slowly for one, and says nothing about its pace. */
  called: () => void;
  /** @param taught what the receiver did; undefined when it was not called */
  leave(taught: Taught | undefined): void;
};

export type Taught = { durationMs: number; isFailure: boolean };
export type Entry = { kind: 'pass'; pass: Pass } | { kind: 'later'; at: Date } | { kind: 'closed' };

export type AddressGates = {
  /** @param hadTurn the mail slept until a turn that it was given here */
  enter(addressId: string, mail: { hadTurn: boolean; payloadBytes: number }): Promise<Entry>;
  /** Lets nobody in any more: those who wait get `closed`. */
  close(): void;
  /** Attempts under way. */
  running(): number;
};

export type GateOptions = {
  /** Attempts under way at once: for one address, and in all. */
  perAddress: number;
  inAll: number;
  /** Bytes of payloads of attempts under way at once; a single larger one goes alone. */
  bytesInAll: number;
  /** Milliseconds since 1970. */
  now: () => number;
};

type Waiter = { payloadBytes: number; tell: (entry: Entry) => void; patience: NodeJS.Timeout };
type Gate = { pace: Pace; waiting: Waiter[]; calls: Set<{ at: number }> };

/** Idle addresses whose pace is remembered. */
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
  const queued = new Set<Gate>(); // those with mails waiting, the longest first
  let isClosed = false;

  const gateOf = (addressId: string): Gate => {
    const gate = gates.get(addressId) ?? {
      pace: newPace(perAddress),
      waiting: [],
      calls: new Set(),
    };
    gates.delete(addressId); // to the end: the map's order is that of the last use
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
    const leave: Pass['leave'] = (taught) => {
      gate.calls.delete(call);
      pool.running--;
      pool.runningBytes -= payloadBytes;
      if (wasFailing) pool.runningOfFailing--;
      gate.pace.running--;
      if (taught) gate.pace = afterAttempt(gate.pace, taught, perAddress, now());
      for (const other of queued) admitWaiting(other);
      forgetIdle();
    };
    const called: Pass['called'] = () => {
      call.at = now();
      gate.calls.add(call);
    };
    return { kind: 'pass', pass: { called, leave } };
  };

  const admitWaiting = (gate: Gate) => {
    for (
      let next = gate.waiting[0];
      next && mayRun(gate.pace, pool, next.payloadBytes);
      next = gate.waiting[0]
    ) {
      gate.waiting.shift();
      clearTimeout(next.patience);
      next.tell(start(gate, next.payloadBytes));
    }
    if (gate.waiting.length === 0) queued.delete(gate);
  };

  const sleepUntil = (gate: Gate, at: number): Entry => {
    gate.pace = withTurn(gate.pace, at);
    return { kind: 'later', at: new Date(at) };
  };

  return {
    enter: async (addressId, { hadTurn, payloadBytes }) => {
      if (isClosed) return { kind: 'closed' };
      const gate = gateOf(addressId);
      const turn = turnOf(
        gate.pace,
        pool,
        { hadTurn, payloadBytes, waiting: gate.waiting.length, oldestMs: oldestMs(gate) },
        now(),
      );
      if (turn.kind === 'now') return start(gate, payloadBytes);
      if (turn.kind === 'later') return sleepUntil(gate, turn.at);
      return new Promise<Entry>((tell) => {
        const waiter: Waiter = {
          payloadBytes,
          tell,
          patience: setTimeout(() => {
            gate.waiting.splice(gate.waiting.indexOf(waiter), 1);
            if (gate.waiting.length === 0) queued.delete(gate);
            tell(sleepUntil(gate, nextTurn(gate.pace, oldestMs(gate), now())));
          }, PATIENCE_MS),
        };
        gate.waiting.push(waiter);
        queued.add(gate);
      });
    },
    close: () => {
      isClosed = true;
      for (const { waiting } of queued) {
        for (const { patience, tell } of waiting.splice(0)) {
          clearTimeout(patience);
          tell({ kind: 'closed' });
        }
      }
    },
    running: () => pool.running,
  };
}
