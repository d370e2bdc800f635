/**
 * One worker thread from its start to its end, and what it does in between: its messages, its CPU
 * time, and the job that holds it.
 */
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

import type { CpuUse, Holders } from '../../core/time/fair-order.ts';
import { type Activity, activityIn, type Cells, newCells } from './job-cells.ts';
import { createThreadMessages } from './thread-messages.ts';

/** The start data of a thread. */
export type ThreadStart = { data: unknown; cells: Cells; nice: number; use: CpuUse | undefined };
export type JobRequest = {
  id: number;
  name: string;
  task: unknown;
  cpuLimitMs: number;
  holders: Holders;
};
export type FromThread =
  { isReady: true } | { event: unknown } | { id: number; report: unknown } | JobReply;
type JobReply = { id: number; notes: unknown[] } & (
  { result: unknown } | { error: unknown } | { stageOverLimit: number }
);

/** `fault`: an error outside of any job, or the thread exited. */
export type EndReason = 'stopped' | 'timeout' | 'memory' | 'fault';
export type WorkerEnd = {
  reason: EndReason;
  cause: unknown;
  /** What held the thread at its end; undefined between steps. */
  job: Activity['job'];
  wasReady: boolean;
};

export type WorkerLimits = {
  heapMaxMb?: number;
  /** Below the priority of the event loop, which serves all connections. */
  nice?: number;
  /** Where it counts whose jobs used its CPU time. Without it, jobs begin in the order of their arrival. */
  use?: CpuUse;
};

export type RunningWorker = {
  /** Never rejects. Resolves when all of its messages were handled. */
  ended: Promise<WorkerEnd>;
  post: (request: JobRequest) => void;
  /** One listener, which gets the messages from now on. */
  onMessage(listener: (message: FromThread) => void): void;
  activity(): Activity;
  /** CPU time since the start; undefined when it is not known. */
  cpuMs(): Promise<number | undefined>;
  /** Ends the thread now, even inside a function that never returns. */
  end(reason: EndReason, job?: Activity['job']): void;
};

const NICE = 10;

/** @param data the file finds a clone of it in `threadData` */
export function startWorker(
  file: URL,
  data: unknown,
  { heapMaxMb, nice = NICE, use }: WorkerLimits = {},
): RunningWorker {
  const cells = newCells();
  const worker = new Worker(bundleOf(file), {
    workerData: { data, cells, nice, use } satisfies ThreadStart,
    ...(heapMaxMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: heapMaxMb } }),
  });
  let isReady = false;
  let listener: ((message: FromThread) => void) | undefined;
  let end: Pick<WorkerEnd, 'reason' | 'cause' | 'job'> | undefined;
  worker.on('message', (messages: FromThread[]) => {
    for (const message of messages) {
      if ('isReady' in message) isReady = true;
      listener?.(message);
    }
  });
  worker.on('error', (cause) => {
    const reason = isOutOfMemory(cause) ? 'memory' : 'fault';
    end ??= { reason, cause, job: activityIn(cells).job };
  });
  const ended = new Promise<WorkerEnd>((resolve) => {
    worker.once('exit', () => {
      end ??= { reason: 'fault', cause: undefined, job: activityIn(cells).job };
      resolve({ ...end, wasReady: isReady });
    });
  });
  const messages = createThreadMessages<JobRequest>((requests) => worker.postMessage(requests, []));
  return {
    ended,
    post: messages.add,
    onMessage: (wanted) => {
      listener = wanted;
    },
    activity: () => activityIn(cells),
    cpuMs: async () => {
      const used = await worker.cpuUsage().catch(() => undefined); // it has just ended
      return used && (used.user + used.system) / 1000;
    },
    end: (reason, job) => {
      end ??= { reason, cause: undefined, job };
      void worker.terminate();
    },
  };
}

/**
 * The image has each file of jobs as a bundle, too (Dockerfile): a thread that loads one starts three
 * times as fast, and takes half of the memory.
 */
function bundleOf(file: URL): URL {
  const bundle = new URL(file.href.replace(/\.ts$/, '.bundle.mjs'));
  return bundle.protocol === 'file:' && existsSync(bundle) ? bundle : file;
}

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
