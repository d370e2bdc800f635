/**
 * An interrupted run leaves no process, also after SIGKILL. Many servers of tests are in process groups of
 * their own, and do not notice that the run is gone. So each process of the run appends its children to
 * one file, and a process of its own waits for the end of the run, and then ends what is left.
 */
import { spawn, spawnSync } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { clearKilledRuns } from '../support/scratch.ts';

const POLL_MS = 50;
/** Processes that start meanwhile are found in the next round. */
const ROUNDS_WITHOUT = 3;
/** `ps` shows starts in seconds. A pid is not used again so early. */
const TOLERANCE_MS = 2_000;

/** Call it before the run starts anything. Its processes inherit the variable. */
export function guardRun(): void {
  const file = join(mkdtempSync(join(tmpdir(), 'inlet-run-')), 'processes');
  writeFileSync(file, '');
  const guard = spawn(process.execPath, [import.meta.filename, file], {
    stdio: ['pipe', 'ignore', 'inherit'], // the pipe closes when this process ends, however it ends
    detached: true, // Ctrl-C is not for the guard
  });
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  process.env.INLET_TEST_PROCESSES = file;
  recordChildren();
}

let isRecording = false;

/** From now on. Does nothing outside of a run. */
export function recordChildren(): void {
  const file = process.env.INLET_TEST_PROCESSES;
  if (file === undefined || isRecording) return;
  isRecording = true;
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: import('node:child_process').ChildProcess };
    child.once('spawn', () => appendFileSync(file, `${child.pid} ${Date.now()}\n`));
  });
}

/** The recorded processes that still run, and their descendants. None on a system without `ps`. */
function remaining(file: string): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,lstart='], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  const listed = [...(stdout ?? '').matchAll(/^ *(\d+) +(\d+) +([^Z\s]\S*) +(.*\d) *$/gm)].map(
    ([, pid, parent, , started = '']) => ({
      pid: Number(pid),
      parent: Number(parent),
      startedMs: Date.parse(started),
    }),
  );
  const found = new Set<number>();
  const add = (pid: number) => {
    if (found.has(pid) || pid === process.pid) return;
    found.add(pid);
    for (const child of listed) if (child.parent === pid) add(child.pid);
  };
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [pid, atMs = 0] = line.split(' ').map(Number);
    // one that started after it was recorded is another process with the same pid
    if (listed.some((one) => one.pid === pid && one.startedMs <= atMs + TOLERANCE_MS))
      add(pid ?? 0);
  }
  return [...found];
}

if (import.meta.main) {
  const [file = ''] = process.argv.slice(2);
  process.stdin.resume();
  await once(process.stdin, 'close'); // the run has ended, or ends: its own process is not recorded
  for (let quiet = 0; quiet < ROUNDS_WITHOUT; await sleep(POLL_MS)) {
    const pids = remaining(file);
    quiet = pids.length === 0 ? quiet + 1 : 0;
    spawnSync('kill', ['-KILL', ...pids.map(String)]); // some have ended meanwhile
  }
  await clearKilledRuns();
  await rm(dirname(file), { recursive: true, force: true });
}
