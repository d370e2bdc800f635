/**
 * A worker thread for work that would block the event loop. A job is a function that the thread's
 * file exports; many can be in flight. The thread starts with its first job, and again after it
 * ended.
 */
import { type Transferable, Worker, workerData } from 'node:worker_threads';

/**
 * Functions of one argument that can be cloned. The second one sends a value to the caller while
 * the job runs.
 */
type Jobs = Record<string, (task: never, report: (value: unknown) => void) => unknown>;

export type Thread<File extends Jobs> = AsyncDisposable & {
  /** @throws ThreadEnded, or the error of the job, without its class */
  run<Name extends keyof File & string>(
    job: Name,
    task: Parameters<File[Name]>[0],
    options?: { transferred?: Transferable[]; onReport?: (value: unknown) => void },
  ): Promise<Awaited<ReturnType<File[Name]>>>;
  /** Ends the thread now, even inside a function that never returns. All of its jobs fail. */
  end(reason: EndReason): void;
};

/** `fault`: an error outside of any job, or the thread exited. */
type EndReason = 'stopped' | 'timeout' | 'memory' | 'fault';

/** The thread ended before the job did. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
  readonly reason: EndReason;

  constructor(reason: EndReason, options?: ErrorOptions) {
    super(`worker thread ended: ${reason}`, options);
    this.reason = reason;
  }
}

/** The start data of a thread. */
export type ThreadStart = { file: string; data: unknown };
export type JobRequest = { id: number; name: string; task: unknown };
export type JobReply = { id: number } & (
  { report: unknown } | { result: unknown } | { error: unknown }
);

type Pending = {
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
  onReport: ((value: unknown) => void) | undefined;
};

/** @param data the file finds a clone of it in {@link threadData} */
export function createThread<File extends Jobs>(
  file: URL,
  data: unknown,
  limits: { heapMaxMb?: number } = {},
): Thread<File> {
  const jobs = new Map<number, Pending>();
  let worker: Worker | undefined;
  let nextId = 0;
  let isStopped = false;

  const start = (): Worker => {
    const started = new Worker(new URL('thread-main.ts', import.meta.url), {
      workerData: { file: file.href, data } satisfies ThreadStart,
      ...(limits.heapMaxMb !== undefined && {
        resourceLimits: { maxOldGenerationSizeMb: limits.heapMaxMb },
      }),
    });
    const fail = (reason: EndReason, cause?: unknown) => {
      if (worker === started) void endAll(reason, cause);
    };
    started.on('message', settle);
    started.on('error', (error) => fail(isOutOfMemory(error) ? 'memory' : 'fault', error));
    started.on('exit', () => fail('fault'));
    return started;
  };
  const settle = ({ id, ...reply }: JobReply) => {
    const job = jobs.get(id);
    if (job === undefined) return;
    if ('report' in reply) return job.onReport?.(reply.report);
    jobs.delete(id);
    if ('error' in reply) job.reject(reply.error);
    else job.resolve(reply.result as never);
  };
  const endAll = (reason: EndReason, cause?: unknown): Promise<number> | undefined => {
    const [ended, pending] = [worker, [...jobs.values()]];
    worker = undefined;
    jobs.clear();
    for (const { reject } of pending) reject(new ThreadEnded(reason, { cause }));
    return ended?.terminate();
  };

  return {
    run: (name, task, { transferred = [], onReport } = {}) =>
      new Promise((resolve, reject) => {
        if (isStopped) return reject(new ThreadEnded('stopped'));
        worker ??= start();
        const id = nextId++;
        jobs.set(id, { resolve, reject, onReport });
        worker.postMessage({ id, name, task } satisfies JobRequest, transferred);
      }),
    end: (reason) => void endAll(reason),
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      await endAll('stopped');
    },
  };
}

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

/** The data with which this thread was created. */
export const threadData: unknown = (workerData as ThreadStart | null)?.data;
