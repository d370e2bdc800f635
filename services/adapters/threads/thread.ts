/**
 * A worker thread for work that would block the event loop. A job is a function of the thread's
 * file; many can be in flight. When the thread ends, its jobs fail and another thread takes its place.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { addUse, type CpuUse, type Holders } from '../../core/time/fair-order.ts';
import { watchCpu } from './cpu-watch.ts';
import { threadsNowMs } from '../async/turns.ts';
import {
  type EndReason,
  type FromThread,
  type RunningWorker,
  startWorker,
  type WorkerEnd,
  type WorkerLimits,
} from './worker.ts';

/**
 * Functions of one argument that can be cloned. The second one sends a value to the caller while
 * the job runs.
 */
type Jobs = Record<string, (task: never, report: (value: unknown) => void) => unknown>;

type JobOptions = {
  onReport?: (value: unknown) => void;
  /** Values that the job noted, once it has ended: none of a job that must run again. */
  onNote?: (value: unknown) => void;
  /** CPU time for the job. */
  cpuLimitMs?: number;
  /** Whose it is: what begins next is of those who used the least CPU time. None: it never waits. */
  holders?: Holders;
};

export type Thread<File extends Jobs> = AsyncDisposable & {
  /** @throws ThreadEnded, or the error of the job, without its class */
  run<Name extends keyof File & string>(
    job: Name,
    task: Parameters<File[Name]>[0],
    options?: JobOptions,
  ): Promise<Awaited<ReturnType<File[Name]>>>;
  /** Jobs that have not ended. */
  inFlight: () => number;
  /** Ends the thread now, even inside a function that never returns. All of its jobs fail. */
  end(reason: EndReason): void;
};

/** The thread ended before the job did, or ended the job. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
  readonly reason: EndReason;
  /** Where this job was when it held the thread; undefined when it only lost its thread. */
  readonly stage: number | undefined;

  constructor(reason: EndReason, stage?: number, options?: ErrorOptions) {
    super(`worker thread ended: ${reason}`, options);
    this.reason = reason;
    this.stage = stage;
  }
}

/** After a thread that could not even start. */
const PAUSE_MS = 1_000;

type Pending = JobOptions & {
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
};

type ThreadOptions = {
  /** Starts a thread, or takes one that runs already. */
  startWorker: () => RunningWorker;
  /** The same that its workers have. */
  use?: CpuUse | undefined;
  /** Called for events of the thread. Events of a job have their own callback. */
  onEvent?: (event: unknown) => void;
  onEnded?: (end: WorkerEnd) => void;
};

/** @param data the file finds a clone of it in `threadData` */
export const createThread = <File extends Jobs>(
  file: URL,
  data: unknown,
  limits: WorkerLimits = {},
): Thread<File> =>
  threadOf<File>({ startWorker: () => startWorker(file, data, limits), use: limits.use });

export function threadOf<File extends Jobs>(options: ThreadOptions): Thread<File> {
  const { onEvent, onEnded } = options;
  const stopped = new AbortController();
  let current: RunningWorker | undefined;
  let next: Promise<RunningWorker> | undefined;
  let jobs = new Map<number, Pending>();
  let nextId = 0;
  let pauseMs = 0;
  let watch: Disposable | undefined;

  const open = async (): Promise<RunningWorker> => {
    if (pauseMs > 0)
      await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    if (stopped.signal.aborted) throw new ThreadEnded('stopped');
    const worker = options.startWorker();
    const own = new Map<number, Pending>();
    [current, jobs] = [worker, own];
    worker.onMessage((message) => {
      handle(own, message);
      if (own.size === 0) stopWatch();
    });
    const onEnd = (end: WorkerEnd): void => {
      stopWatch();
      if (current === worker) current = next = undefined;
      pauseMs = end.wasReady ? 0 : PAUSE_MS;
      onEnded?.(end);
      for (const [id, { reject, holders = [], cpuLimitMs = 0 }] of own) {
        const stage = end.job?.id === id ? end.job.stage : undefined;
        // the thread did not live to count it
        if (stage !== undefined && options.use)
          addUse(options.use, holders, cpuLimitMs, threadsNowMs());
        reject(new ThreadEnded(end.reason, stage, { cause: end.cause }));
      }
      own.clear();
    };
    void worker.ended.then(onEnd);
    return worker;
  };
  const handle = (own: Map<number, Pending>, message: FromThread) => {
    if ('event' in message) return onEvent?.(message.event);
    if (!('id' in message)) return;
    const job = own.get(message.id);
    if (job === undefined) return;
    if ('report' in message) return job.onReport?.(message.report);
    own.delete(message.id);
    if ('stageOverLimit' in message)
      return job.reject(new ThreadEnded('timeout', message.stageOverLimit));
    for (const note of message.notes) job.onNote?.(note);
    if ('error' in message) job.reject(message.error);
    else job.resolve(message.result as never);
  };
  const take = () => (next ??= open());
  /** Nothing measures a thread without jobs. */
  const stopWatch = () => {
    watch?.[Symbol.dispose]();
    watch = undefined;
  };

  return {
    run: async (name, task, job = {}) => {
      if (stopped.signal.aborted) throw new ThreadEnded('stopped');
      const worker = await take();
      if (worker !== current) throw new ThreadEnded('fault'); // it ended in the meantime
      return new Promise<never>((resolve, reject) => {
        const id = nextId++;
        const own = jobs;
        own.set(id, { ...job, resolve, reject });
        watch ??= watchCpu(worker, (held) => limitOf(own, held));
        const { cpuLimitMs = Infinity, holders = [] } = job;
        worker.post({ id, name, task, cpuLimitMs, holders });
      });
    },
    inFlight: () => jobs.size,
    end: (reason) => current?.end(reason),
    [Symbol.asyncDispose]: async () => {
      stopped.abort();
      current?.end('stopped');
      await current?.ended;
    },
  };
}

/** Without a job that holds the thread, the longest limit of all: one of them does. */
function limitOf(jobs: ReadonlyMap<number, Pending>, id: number | undefined): number {
  const held = id === undefined ? undefined : jobs.get(id);
  const limits = [...(held ? [held] : jobs.values())].map(
    ({ cpuLimitMs = Infinity }) => cpuLimitMs,
  );
  return limits.length === 0 ? Infinity : Math.max(...limits);
}
