/**
 * Records in run.json which processes use a data folder. A second `npm start` is then refused, and
 * the servers of one that was killed are stopped. Pids are reused, so a process counts only if its
 * command line is the recorded one.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { OnSpawn } from './processes/child-process.ts';
import { readIfThere, writeWhole } from './state/whole-file.ts';

const FILE = 'run.json';
const STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 50;

type RecordedProcess = { name: string; pid: number; commandLine: string };
/** `startedMs` tells the owner from an earlier process with its id, as the first one of a container has. */
type RunRecord = { owner: RecordedProcess & { startedMs?: number }; children: RecordedProcess[] };

const STARTED_MS = Math.round(performance.timeOrigin);

/**
 * Stops the processes that a killed run left in this folder. @throws if another run still uses the
 * folder
 */
export async function takeOver(dataDir: string, report: (line: string) => void): Promise<void> {
  const text = await readIfThere(join(dataDir, FILE));
  if (text === undefined) return;
  const { owner, children } = JSON.parse(text) as RunRecord;
  const isOfBefore = owner.pid === process.pid && owner.startedMs !== STARTED_MS;
  if (!isOfBefore && stillRuns(owner))
    throw new Error(
      `Inlet is already running in ${dataDir} (process ${owner.pid}): stop it, or set INLET_DIR to another folder`,
    );
  for (const child of children.toReversed().filter(stillRuns)) {
    report(`stopping ${child.name} (process ${child.pid}) of an earlier run`);
    await end(child);
  }
}

/** Records the processes of this run. A process replaces an earlier one of the same name. */
export function createRunRecord(dataDir: string): { add: OnSpawn; forget(): Promise<void> } {
  const file = join(dataDir, FILE);
  const owner = { ...recorded('standalone', process.pid), startedMs: STARTED_MS };
  const children = new Map<string, RecordedProcess>();
  let written = Promise.resolve();

  async function add({ name, pid }: { name: string; pid: number }): Promise<void> {
    children.set(name, recorded(name, pid));
    const run: RunRecord = { owner, children: [...children.values()] };
    const before = written;
    written = before.then(() => writeWhole(file, `${JSON.stringify(run, undefined, 2)}\n`));
    return written;
  }
  return { add, forget: () => rm(file, { force: true }) };
}

const recorded = (name: string, pid: number): RecordedProcess => ({
  name,
  pid,
  commandLine: commandLineOf(pid) ?? '',
});

async function end(child: RecordedProcess): Promise<void> {
  process.kill(child.pid, 'SIGTERM');
  for (
    const deadlineMs = Date.now() + STOP_TIMEOUT_MS;
    Date.now() < deadlineMs;
    await sleep(POLL_MS)
  ) {
    if (!stillRuns(child)) return;
  }
  if (stillRuns(child)) process.kill(child.pid, 'SIGKILL');
}

const stillRuns = ({ pid, commandLine }: RecordedProcess) =>
  commandLine !== '' && commandLineOf(pid) === commandLine;

/** Undefined if there is no such process, or if it is a zombie, which has no command line. */
function commandLineOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined;
    return (
      execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim() ||
      undefined
    );
  } catch {
    return undefined;
  }
}
