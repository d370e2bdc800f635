/** Work that only one process should do at a time, because the others can use its result. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';

const POLL_MS = 200;
const SQLITE_BUSY = 5;

/**
 * Waits while another process has the lock, then does the work. The lock is SQLite's, on an empty
 * file that stays: the operating system frees it when a process ends, however it ends.
 */
export async function inTurn<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  using lock = new DatabaseSync(lockFile);
  while (!take(lock)) await sleep(POLL_MS);
  return await work();
}

function take(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { errcode?: unknown }).errcode === SQLITE_BUSY) return false;
    throw error;
  }
}
