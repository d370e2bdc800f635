/** A thread beside the event loop, for work that would hold up everything else. A job is a function that the thread's file exports; many may be under way at once. */
import type { Transferable } from 'node:worker_threads';
import { Piscina, workerData } from 'piscina';

/** Functions that take one argument which can be cloned. */
type Jobs = Record<string, (task: never) => unknown>;

export type Thread<File extends Jobs> = AsyncDisposable & {
  /**
   * @param transferred what of the task moves to the thread
   * @throws what the job throws, without its class, or that the thread ended
   */
  run<Name extends keyof File & string>(
    job: Name,
    task: Parameters<File[Name]>[0],
    transferred?: Transferable[],
  ): Promise<Awaited<ReturnType<File[Name]>>>;
};

/** Those who wait for a reply go first. */
const NICE = 10;
const JOBS_AT_ONCE = 10_000;

/** @param data what the file finds in {@link threadData}; it can be cloned */
export function createThread<File extends Jobs>(file: URL, data: unknown): Thread<File> {
  const pool = new Piscina({
    filename: file.href,
    workerData: data,
    minThreads: 1,
    maxThreads: 1,
    concurrentTasksPerWorker: JOBS_AT_ONCE,
    niceIncrement: NICE,
    recordTiming: false,
    atomics: 'disabled', // it would stop the thread's own event loop between two jobs
  });
  pool.on('error', () => undefined); // of a thread without a job; the job that comes next gets another
  return {
    run: (name, task, transferList = []) => pool.run(task, { name, transferList }),
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

/** In a thread: what it was made with. */
export const threadData: unknown = workerData;
