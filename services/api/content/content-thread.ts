/**
 * One thread reads emails and evaluates expressions for all requests. A job that takes too long is
 * stopped, and its request gets 422. The next job is of the holder that used the least CPU time, so an
 * account waits for its own jobs, and for one of another. The thread starts with the first job.
 */
import type { Log } from '../../adapters/process/log.ts';
import { createThread, type Thread, ThreadEnded } from '../../adapters/threads/thread.ts';
import { createCpuUse } from '../../adapters/async/turns.ts';
import { AppError } from '../../core/error/app-error.ts';
import type { ApiMetrics } from '../process/metrics.ts';
import type * as jobs from './content-jobs.ts';

type Jobs = Omit<typeof jobs, 'default'>;

export type ContentThread = AsyncDisposable & {
  /**
   * @param holder the account, or the source of a client that has none
   * @throws AppError `validation_failed` when the job takes too long
   */
  run<Name extends keyof Jobs>(
    holder: string,
    job: Name,
    task: Parameters<Jobs[Name]>[0],
  ): Promise<ReturnType<Jobs[Name]>>;
};

/** CPU time for one job. The worst email known takes a quarter of it. */
const CPU_MS = 2_000;
/** An attachment of an email of 25 MiB in memory, several times. */
const HEAP_MAX_MB = 384;
/** When another job ended the thread. */
const RUNS_MAX = 10;

/** Below the event loop, which answers all other requests. */
const NICE = 5;

/** @param file with the jobs: tests use their own */
export function createContentThread(
  { contentTookTooLong }: Pick<ApiMetrics, 'contentTookTooLong'>,
  log: Log,
  file = new URL('content-worker.ts', import.meta.url),
  cpuLimitMs = CPU_MS,
): ContentThread {
  const thread: Thread<Jobs> = createThread<Jobs>(file, undefined, {
    heapMaxMb: HEAP_MAX_MB,
    nice: NICE,
    use: createCpuUse(),
  });
  return {
    run: async (holder, job, task) => {
      for (let run = 1; ; run++) {
        try {
          return await thread.run(job, task, { cpuLimitMs, holders: [holder] });
        } catch (error) {
          if (!(error instanceof ThreadEnded) || error.reason === 'stopped') throw error;
          if (error.stage === undefined && run < RUNS_MAX) continue; // it only lost its thread
          contentTookTooLong.inc({ job, reason: error.reason });
          log.warn('content.took_too_long', { job, reason: error.reason });
          throw new AppError('validation_failed', MESSAGES[error.reason]);
        }
      }
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}

const MESSAGES = {
  timeout:
    'Reading this email, or evaluating expressions over it, took more than ' +
    `${CPU_MS / 1_000} seconds and was stopped`,
  memory: 'Reading this email, or evaluating expressions over it, took too much memory',
  fault: 'This email could not be read',
};
