/** Threads that read large mails, so that the loop which serves all connections goes on. A job is a function that mime-worker.ts exports. */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';

import type * as jobs from './worker.ts';

type Jobs = typeof jobs;

/** The thread did not end its job. It is gone; the next job gets another. */
export class WorkerFailed extends Error {
  override readonly name = 'WorkerFailed';
  readonly reason: 'time' | 'memory' | 'fault';

  constructor(reason: WorkerFailed['reason'], options: ErrorOptions) {
    super(`a worker thread ended: ${reason}`, options);
    this.reason = reason;
  }
}

export type MailWorkers = AsyncDisposable & {
  /**
   * Runs a job in a thread of its own; others wait for their turn, and the time counts from its beginning.
   * @throws WorkerFailed; any other error when the threads are stopped
   */
  run<Name extends keyof Jobs>(
    job: Name,
    task: Parameters<Jobs[Name]>[0],
    timeoutMs: number,
  ): Promise<Awaited<ReturnType<Jobs[Name]>>>;
};

/** Of a thread's heap; what it reads and returns lies outside. */
const HEAP_MAX_MB = 384;
/** A mail in the midst of its reading gives way to those who wait for a reply. */
const NICE = 5;
const IDLE_MS = 60_000;

/** @param threads one is left to the event loop unless told otherwise, @param file with the jobs: tests put their own here */
export function createMailWorkers(
  threads = Math.max(1, availableParallelism() - 1),
  file = new URL('worker.ts', import.meta.url),
): MailWorkers {
  const pool = new Piscina({
    filename: file.href,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    niceIncrement: NICE,
    recordTiming: false,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
  });
  pool.on('error', () => undefined); // of a thread without a job; the job that comes next hears of it
  const waiting: (() => void)[] = [];
  let free = threads;
  let isStopped = false;

  const turn = async (): Promise<void> => {
    if (free > 0) free--;
    else await new Promise<void>((go) => waiting.push(go));
  };
  const pass = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };

  return {
    run: async (name, task, timeoutMs) => {
      await turn();
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), timeoutMs);
      try {
        return await pool.run(task, { name, signal: limit.signal });
      } catch (cause) {
        if (isStopped) throw new Error('worker threads are stopped', { cause });
        throw new WorkerFailed(
          limit.signal.aborted ? 'time' : isOutOfMemory(cause) ? 'memory' : 'fault',
          { cause },
        );
      } finally {
        clearTimeout(timer);
        pass();
      }
    },
    [Symbol.asyncDispose]: () => {
      isStopped = true;
      return pool.destroy();
    },
  };
}

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
