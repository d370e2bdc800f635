/**
 * Which processes a test run has started. Each process of the run appends its children to one file,
 * so that run/guard-process.ts can end them when nobody else can: many are in process groups of
 * their own, and do not notice that the run is gone.
 */
import { execFileSync } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';

/** In the environment of a run: the path of its file. */
export const FILE_VARIABLE = 'INLET_TEST_PROCESSES';

const MS_PER_TICK = 10; // of Linux, on all processors that Node supports
/** The clock of process starts has seconds, on some systems. A pid is not used again so early. */
const TOLERANCE_MS = 2_000;

type Listed = { pid: number; parent: number; startedMs: number };

let isRecording = false;

/** From now on. Does nothing outside of a run. */
export function recordChildren(file = process.env[FILE_VARIABLE]): void {
  if (file === undefined || isRecording) return;
  isRecording = true;
  const record = (pid = 0) => appendFileSync(file, `${pid} ${Date.now()}\n`);
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: import('node:child_process').ChildProcess };
    child.once('spawn', () => record(child.pid));
  });
}

/** The recorded processes that still run, and all their descendants, except this process. */
export function remaining(file: string): number[] {
  const listed = listProcesses();
  const found = new Set<number>();
  const add = ({ pid }: Listed) => {
    if (found.has(pid) || pid === process.pid) return;
    found.add(pid);
    for (const child of listed) if (child.parent === pid) add(child);
  };
  const byPid = new Map(listed.map((one) => [one.pid, one]));
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [pid, atMs] = line.split(' ').map(Number);
    const one = byPid.get(pid ?? 0);
    // one that started after it was recorded is another process with the same pid
    if (one && one.startedMs <= (atMs ?? 0) + TOLERANCE_MS) add(one);
  }
  return [...found];
}

function listProcesses(): Listed[] {
  if (process.platform === 'linux') return listFromProc();
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,lstart='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [, pid, parent, started = ''] = /^ *(\d+) +(\d+) +(.*)$/.exec(line) ?? [];
      return pid ? [{ pid: +pid, parent: Number(parent), startedMs: Date.parse(started) }] : [];
    });
}

function listFromProc(): Listed[] {
  const bootMs = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]) * 1_000;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      let stat: string;
      try {
        stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      } catch {
        return []; // it has ended
      }
      const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z') return [];
      return [
        {
          pid: Number(pid),
          parent: Number(parent),
          startedMs: bootMs + Number(rest[17]) * MS_PER_TICK, // field 22 of proc(5)
        },
      ];
    });
}
