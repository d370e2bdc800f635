/**
 * The job that runs now in this worker thread. Its steps are written to memory that the main thread
 * reads (job-cells.ts), so it knows which job holds the thread, even when the thread never returns.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

import type { Holders } from '../../core/time/fair-order.ts';
import { type Cells, markIdle, markStep } from './job-cells.ts';
import type { Turns } from '../async/turns.ts';

export type Job = {
  id: number;
  /** CPU time that all steps of the job may take together. */
  cpuLimitMs: number;
  cpuMs: number;
  stage: number;
  /** Empty for a job that never waits for others. */
  holders: Holders;
  /** Sends a value to the caller now. */
  report(value: unknown): void;
  /** Resolves when the value has been sent. */
  reported(value: unknown): Promise<void>;
  /** Sent to the caller with the result. */
  notes: unknown[];
};

/** The job has used its CPU time. The thread itself is free. */
export class CpuLimitReached extends Error {
  override readonly name = 'CpuLimitReached';
  readonly stage: number;

  constructor(stage: number) {
    super('the job has used its CPU time');
    this.stage = stage;
  }
}

type Thread = { cells: Cells; turns: Turns };

const running = new AsyncLocalStorage<Thread & { job: Job }>();

export const runJob = <T>(job: Job, { cells, turns }: Thread, work: () => T): T =>
  running.run({ job, cells, turns }, work);

/** Undefined when the job may go on now; otherwise resolves when it is its turn. Call it before a long step. */
export function nextTurn(): Promise<void> | undefined {
  const current = running.getStore();
  return current && current.job.holders.length > 0
    ? current.turns.next(current.job.holders)
    : undefined;
}

/** Whose work the current job is. */
export const currentHolders = (): Holders => running.getStore()?.job.holders ?? [];

/**
 * A part of a job that runs without a pause. Outside of threads, it simply runs.
 * @param stage where its time is counted
 * @throws CpuLimitReached
 */
export function step<T>(stage: number, work: () => T): T {
  const current = running.getStore();
  if (current === undefined) return work();
  const { job, cells, turns } = current;
  if (job.cpuMs > job.cpuLimitMs) throw new CpuLimitReached(job.stage);
  job.stage = stage;
  markStep(cells, job);
  const beganMs = performance.now();
  if (beganMs - read.atMs > READ_EVERY_MS) read = readCpu();
  try {
    return work();
  } finally {
    const cpuMs = cpuSince(beganMs);
    job.cpuMs += cpuMs;
    turns.spend(job.holders, cpuMs);
    markIdle(cells);
  }
}

/** To read the CPU time of a thread takes as long as a short step, which counts by the clock instead. */
const SHORT_MS = 1;
const READ_EVERY_MS = 10;
type CpuRead = { atMs: number; cpuMs: number };
const readCpu = (): CpuRead => ({ atMs: performance.now(), cpuMs: threadCpuMs() });
let read: CpuRead = { atMs: -Infinity, cpuMs: 0 };

/** The CPU time of a step that began then, or at most READ_EVERY_MS more if it had to wait for a core. */
function cpuSince(beganMs: number): number {
  const tookMs = performance.now() - beganMs;
  if (tookMs < SHORT_MS) return tookMs;
  const before = read;
  read = readCpu();
  return Math.min(tookMs, read.cpuMs - before.cpuMs);
}

/** CPU time of this thread. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The current stage of the job continues after a wait. */
export function resumeStep(): void {
  const current = running.getStore();
  if (current) markStep(current.cells, current.job);
}

/** The job begins something of its own size, for example the next of many results. */
export function renewCpuTime(): void {
  const current = running.getStore();
  if (current) current.job.cpuMs = 0;
}

/** Sends a value to the caller now, before anything that follows. */
export const reportNow = (value: unknown): void => running.getStore()?.job.report(value);

/** The same with the other messages of this round of the event loop. Resolves when it has been sent. */
export const reported = (value: unknown): Promise<void> | undefined =>
  running.getStore()?.job.reported(value);

/** Sends a value to the caller with the result of the job. */
export const noteForCaller = (value: unknown): void => {
  running.getStore()?.job.notes.push(value);
};
