/** See guard.ts. Its arguments are a folder of the run and the file with the started processes. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { clearKilledRuns } from '../support/scratch.ts';
import { remaining } from './started-processes.ts';

const POLL_MS = 50;
/** Processes that start meanwhile are found in the next round. */
const ROUNDS_WITHOUT = 3;

const [folder = '', file = ''] = process.argv.slice(2);
process.stdin.resume();
await once(process.stdin, 'close'); // the run has ended, or ends: its own process is not recorded
for (let quiet = 0; quiet < ROUNDS_WITHOUT; await sleep(POLL_MS)) {
  const pids = remaining(file);
  quiet = pids.length === 0 ? quiet + 1 : 0;
  for (const pid of pids)
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it has ended
    }
}
await clearKilledRuns();
await rm(folder, { recursive: true, force: true });
