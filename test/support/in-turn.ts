/** Work that only one process should do at a time, because the others can use its result. */
import { open, readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;

/**
 * Waits while another process has the lock file, then does the work. The lock of a process that has
 * ended is removed. Two processes may do so at the same time: the work must bear that.
 */
export async function inTurn<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  while (!(await take(lockFile))) {
    const pid = Number(await readFile(lockFile, 'utf8').catch(() => ''));
    if (pid > 0 && !isRunning(pid)) await rm(lockFile, { force: true });
    else await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rm(lockFile, { force: true });
  }
}

async function take(lockFile: string): Promise<boolean> {
  try {
    await using file = await open(lockFile, 'wx');
    await file.writeFile(String(process.pid));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
