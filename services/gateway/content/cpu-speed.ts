/** How fast this machine is: limits of CPU time that protect others are for the same work everywhere. */

/** Two milliseconds of a processor of 2024. */
const STEPS = 2_000_000;
const STEPS_MS = 2;
/** The first ones also compile the work. */
const RUNS = 4;
const SLOWEST = 8;

/** How many times as much CPU time this machine needs as a fast one: 1 to 8. It takes some milliseconds. */
export function cpuSlowness(): number {
  let least = Infinity;
  let number = 1;
  for (let run = 0; run < RUNS; run++) {
    const before = process.threadCpuUsage();
    for (let step = 0; step < STEPS; step++) number = (Math.imul(number, 1_664_525) + 1) | 0;
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return Math.min(SLOWEST, Math.max(1, least / STEPS_MS));
}
