/**
 * Runs around each test file: the seconds of a processor that the file took in its process, and in
 * the processes that it started and that have ended, such as nats-server. run/durations.ts shows
 * them. The mongod of the run is not included: all files share it.
 */
import { readFileSync } from 'node:fs';

import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    cpuMs?: number;
  }
}

const CHILDREN = [13, 14]; // cutime and cstime of /proc/self/stat, counted after the name
const MS_PER_TICK = 10; // of Linux, on all processors that Node supports

const startedMs = cpuMs();
// hooks run in reverse order, so this is the last one
// oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern
afterAll(({}, file) => {
  file.meta.cpuMs = cpuMs() - startedMs;
});

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenMs();
}

/** 0 where the operating system does not tell. */
function childrenMs(): number {
  let stat: string;
  try {
    stat = readFileSync('/proc/self/stat', 'utf8');
  } catch {
    return 0;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return CHILDREN.reduce((sum, at) => sum + Number(fields[at]), 0) * MS_PER_TICK;
}
