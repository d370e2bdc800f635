/**
 * How the cost of a computation grows with its input. It compares two sizes on the same machine: a limit
 * in milliseconds would be wrong on a slow one.
 */
import { cpuMs } from './cpu-time.ts';

/** Four times as much takes linear work 4 times as long, and quadratic work 16 times. */
export const LINEAR = 10;

/** What takes less is mostly noise. */
const LEAST_MS = 1;
const ROUNDS = 5;

/**
 * How many times as long `work` takes for the whole size as for a quarter of it. Counts the time of this
 * thread on a processor: the least of several rounds for the quarter, and for the whole until it is low.
 */
export function growth(size: number, work: (size: number) => unknown): number {
  work(size / 4); // compiled by then
  const quarterMs = Math.min(...Array.from({ length: ROUNDS }, () => cpuMs(() => work(size / 4))));
  const leastMs = Math.max(quarterMs, LEAST_MS);
  let wholeMs = Infinity;
  for (let round = 0; round < ROUNDS && wholeMs >= LINEAR * leastMs; round++)
    wholeMs = Math.min(
      wholeMs,
      cpuMs(() => work(size)),
    );
  return wholeMs / leastMs;
}
