/**
 * An interrupted run leaves no process, also after SIGKILL: a process of its own waits for the end of
 * the run, and then ends what the run has started.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { FILE_VARIABLE, recordChildren } from './started-processes.ts';

const PROGRAM = join(import.meta.dirname, 'guard-process.ts');

/** Call it before the run starts anything. Its processes inherit the variable. */
export function guardRun(): void {
  if (process.platform === 'win32') return; // there is no list of processes with their parents
  const folder = mkdtempSync(join(tmpdir(), 'inlet-run-'));
  const file = join(folder, 'processes');
  const guard = spawn(process.execPath, [PROGRAM, folder, file], {
    stdio: ['pipe', 'ignore', 'inherit'], // the pipe closes when this process ends, however it ends
    detached: true, // Ctrl-C is not for the guard
  });
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  process.env[FILE_VARIABLE] = file;
  recordChildren();
}
