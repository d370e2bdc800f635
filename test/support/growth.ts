/**
 * How the cost of a computation grows with its input. It compares two sizes on the same machine: a limit
 * in milliseconds would be wrong on a slow one.
 */

/** Four times as much takes linear work 4 times as long, and quadratic work 16 times. */
export const LINEAR = 10;

/** What takes less is mostly noise. */
const LEAST_MS = 1;
const ROUNDS = 5;

/**
 * How many times as long `work` takes for the whole size as for a quarter of it. Counts the time of this
 * thread on a processor, and the least of several rounds where the first ones look bad.
 */
export function growth(size: number, work: (size: number) => unknown): number {
  let quarterMs = Infinity;
  let wholeMs = Infinity;
  work(size / 4); // compiled by then
  for (let round = 0; round < ROUNDS; round++) {
    quarterMs = Math.min(
      quarterMs,
      cpuMs(() => work(size / 4)),
    );
    wholeMs = Math.min(
      wholeMs,
      cpuMs(() => work(size)),
    );
    if (wholeMs < LINEAR * Math.max(quarterMs, LEAST_MS)) break;
  }
  return wholeMs / Math.max(quarterMs, LEAST_MS);
}

function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
