/** When an address may get its next webhook: one slow receiver must not hold what others need (design §4). */

/** How busy one address is. */
export type AddressLoad = {
  /** Attempts under way. */
  running: number;
  /** Mails waiting in memory for one of them to end. */
  waiting: number;
  /** Attempts that may be under way at once. */
  limit: number;
  /** What an attempt took lately, on average. */
  latencyMs: number;
};

export type Turn =
  | { kind: 'now' }
  /** Soon enough to wait in memory. */
  | { kind: 'wait' }
  /** Back to the retry lane until the queue before it should be done. Not an attempt. */
  | { kind: 'later'; delayMs: number };

/** A mail waits in memory up to this long; a longer wait is the retry lane's. */
const PATIENCE_MS = 500;
const LATER_MIN_MS = 1_000;

export function turnOf(load: AddressLoad): Turn {
  if (load.running < load.limit) return { kind: 'now' };
  const waitMs = ((load.waiting + 1) * load.latencyMs) / load.limit;
  return waitMs <= PATIENCE_MS ? { kind: 'wait' } : { kind: 'later', delayMs: Math.max(LATER_MIN_MS, Math.ceil(waitMs)) };
}

/** Exponentially weighted mean: a change of latency shows after a few attempts. */
export const smoothedLatency = (latencyMs: number, measuredMs: number): number => latencyMs + (measuredMs - latencyMs) / 8;
