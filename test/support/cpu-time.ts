/** CPU time of this thread, which other processes hardly change. */
import process from 'node:process';

export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const RUNS = 2;

/** Of several runs, of which the first ones compile. */
export const leastCpuMs = (work: () => unknown): number =>
  Math.min(...Array.from({ length: RUNS }, () => cpuMs(work)));
