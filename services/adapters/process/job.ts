/**
 * The job that runs now in this worker thread. Its steps are written to memory that the main thread
 * reads (job-cells.ts), so it knows which job holds the thread, even when the thread never returns.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

import { type Cells, markIdle, markStep } from './job-cells.ts';

export type Job = {
  id: number;
  /** CPU time that all steps of the job may take together. */
  cpuLimitMs: number;
  cpuMs: number;
  stage: number;
  /** Sends a value to the caller now. */
  report(value: unknown): void;
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

const running = new AsyncLocalStorage<{ job: Job; cells: Cells }>();

export const runJob = <T>(job: Job, cells: Cells, work: () => T): T =>
  running.run({ job, cells }, work);

/**
 * A part of a job that runs without a pause. Outside of threads, it simply runs.
 * @param stage where its time is counted
 * @throws CpuLimitReached
 */
export function step<T>(stage: number, work: () => T): T {
  const current = running.getStore();
  if (current === undefined) return work();
  const { job, cells } = current;
  if (job.cpuMs > job.cpuLimitMs) throw new CpuLimitReached(job.stage);
  job.stage = stage;
  markStep(cells, job);
  const before = process.threadCpuUsage();
  try {
    return work();
  } finally {
    const { user, system } = process.threadCpuUsage(before);
    job.cpuMs += (user + system) / 1000;
    markIdle(cells);
  }
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

/** Sends a value to the caller with the result of the job. */
export const noteForCaller = (value: unknown): void => {
  running.getStore()?.job.notes.push(value);
};
