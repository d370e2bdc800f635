/**
 * How the cost of a computation grows with its input. It compares two sizes on the same machine: a limit
 * in milliseconds would be wrong on a slow one.
 */
import { cpuMs } from './cpu-time.ts';

/** Four times as much takes linear work 4 times as long, and quadratic work 16 times. */
export const LINEAR = 10;

/** The kernel may count the time of a thread in steps of so much. What takes less is mostly noise. */
const STEP_MS = 4;
const ROUNDS = 5;

/**
 * How many times as long `work` takes for the whole size as for a quarter of it. Counts the time of this
 * thread on a processor: the least of several rounds for four quarters, which take about as long as the
 * whole, and for the whole until it is low.
 */
export function growth(size: number, work: (size: number) => unknown): number {
  const quarters = () => {
    for (let quarter = 0; quarter < 4; quarter++) work(size / 4);
  };
  quarters(); // compiled by then
  const quartersMs = Math.min(...Array.from({ length: ROUNDS }, () => cpuMs(quarters)));
  const leastMs = Math.max(quartersMs, STEP_MS) / 4;
  let wholeMs = Infinity;
  for (let round = 0; round < ROUNDS && wholeMs >= LINEAR * leastMs; round++)
    wholeMs = Math.min(
      wholeMs,
      cpuMs(() => work(size)),
    );
  return wholeMs / leastMs;
}
