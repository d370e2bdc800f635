/** How many attempts each address has under way; core/pacing decides who goes now, who waits here and who comes later. */
import { smoothedLatency, turnOf } from '../core/pacing.ts';

/** Leaves the gate; the next mail that waits goes. */
export type Pass = { leave(attemptMs: number): void };
export type Entry = { kind: 'pass'; pass: Pass } | { kind: 'later'; delayMs: number } | { kind: 'closed' };

export type AddressGates = {
  enter(addressId: string): Promise<Entry>;
  /** Lets nobody in any more: those who wait get `closed`. */
  close(): void;
};

type Gate = { running: number; latencyMs: number; waiting: ((entry: Entry) => void)[] };

const FIRST_GUESS_MS = 100;

export function createAddressGates(limit: number): AddressGates {
  const gates = new Map<string, Gate>(); // addresses with an attempt under way
  let isClosed = false;

  const passFor = (addressId: string, gate: Gate): Entry => {
    gate.running++;
    return {
      kind: 'pass',
      pass: {
        leave: (attemptMs) => {
          gate.running--;
          gate.latencyMs = smoothedLatency(gate.latencyMs, attemptMs);
          const next = gate.waiting.shift();
          if (next) next(passFor(addressId, gate));
          else if (gate.running === 0) gates.delete(addressId);
        },
      },
    };
  };

  return {
    enter: async (addressId) => {
      if (isClosed) return { kind: 'closed' };
      const gate = gates.get(addressId) ?? { running: 0, latencyMs: FIRST_GUESS_MS, waiting: [] };
      gates.set(addressId, gate);
      const turn = turnOf({ running: gate.running, waiting: gate.waiting.length, limit, latencyMs: gate.latencyMs });
      if (turn.kind === 'now') return passFor(addressId, gate);
      if (turn.kind === 'later') return turn;
      return new Promise((resolve) => gate.waiting.push(resolve));
    },
    close: () => {
      isClosed = true;
      for (const gate of gates.values()) for (const tell of gate.waiting.splice(0)) tell({ kind: 'closed' });
    },
  };
}
