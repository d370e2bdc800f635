/** The inside of a worker thread: runs each job that thread.ts asks for. */
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';

import type { CpuUse } from '../../core/time/fair-order.ts';
import { chooseSocketDefaults } from '../dns/sockets.ts';
import { CpuLimitReached, type Job, runJob } from './job.ts';
import { returnStartMemory } from '../process/memory.ts';
import { createThreadMessages } from './thread-messages.ts';
import { createTurns } from '../async/turns.ts';
import type { FromThread, JobRequest, ThreadStart } from './worker.ts';

type Jobs = Record<string, (task: never, report: (value: unknown) => void) => unknown>;

const start = workerData as ThreadStart | null;
lowerPriority(start?.nice ?? 0);

/** The data with which this thread was created. */
export const threadData: unknown = start?.data;

/** Where this thread counts whose jobs used its CPU time. */
export const threadUse: CpuUse | undefined = start?.use;

const messages = createThreadMessages<FromThread>((together) => {
  try {
    parentPort?.postMessage(together, []);
  } catch {
    for (const message of together) postAlone(message); // one of them cannot be cloned
  }
});

function postAlone(message: FromThread): void {
  try {
    parentPort?.postMessage([message], []);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if ('id' in message) parentPort?.postMessage([{ id: message.id, notes: [], error: text }], []);
  }
}

/** Elsewhere, a priority belongs to the whole process. Where a filter of system calls forbids it, all have the same. */
export function lowerPriority(nice: number): void {
  if (process.platform !== 'linux') return;
  try {
    // it may be lower already, and raising it again is not permitted
    if (nice > getPriority()) setPriority(nice);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error;
  }
}

/** Tells the main thread something that belongs to no job. */
export const emit = (event: unknown): void => messages.add({ event });

/** Call it at the end of the file that the thread runs. */
export function serveJobs(jobs: Jobs): void {
  if (start === null || parentPort === null) return; // the file was imported, not run
  chooseSocketDefaults();
  const { cells } = start;
  const turns = createTurns(threadUse, messages.flush);
  const run = async ({ id, name, task, cpuLimitMs, holders }: JobRequest): Promise<void> => {
    const turn = holders.length > 0 ? turns.next(holders) : undefined;
    if (turn) await turn;
    const report = (value: unknown) => {
      messages.add({ id, report: value });
      messages.flush();
    };
    const reported = (value: unknown) => messages.sent({ id, report: value });
    const job: Job = { id, cpuLimitMs, cpuMs: 0, stage: 0, holders, report, reported, notes: [] };
    const { notes } = job;
    try {
      const result = await runJob(job, { cells, turns }, () => jobs[name]?.(task as never, report));
      messages.add({ id, notes, result });
    } catch (error) {
      if (error instanceof CpuLimitReached)
        return messages.add({ id, notes: [], stageOverLimit: error.stage });
      messages.add({ id, notes, error });
    }
  };
  parentPort.on('message', (requests: JobRequest[]) => {
    for (const request of requests) void run(request);
  });
  returnStartMemory();
  messages.add({ isReady: true });
}
