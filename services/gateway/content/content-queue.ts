/** One of the two threads that read emails. It is replaced when it ends. */
import type { Log } from '../../adapters/process/log.ts';
import { type Thread, ThreadEnded, threadOf } from '../../adapters/threads/thread.ts';
import type { Standby } from '../../adapters/threads/standby.ts';
import type { EndReason } from '../../adapters/threads/worker.ts';
import type { CpuUse } from '../../core/time/fair-order.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import type * as jobs from './content-jobs.ts';

export type ContentQueue = AsyncDisposable & {
  name: 'small' | 'large';
  /** @throws ThreadEnded */
  run: Thread<typeof jobs>['run'];
  /** Resolves when its thread can handle emails. Starts it, if nothing has. */
  prepared(): Promise<void>;
  /** Whether emails can be handled now. A lane that nothing needed has no thread, and is ready. */
  isReady: () => boolean;
  /** Emails in the lane. */
  inFlight: () => number;
};

type ContentQueueOptions = Pick<ContentQueue, 'name'> & {
  /** CPU time for one email. */
  cpuLimitMs: number;
  /** Priority of its thread: 0 as the event loop, higher is lower. */
  nice: number;
  standby: Standby;
  /** Where its threads count their CPU time. */
  use: CpuUse;
  metrics: Pick<GatewayMetrics, 'contentThreadReplaced'>;
  log: Log;
};

/** A start takes less than a second on a quiet machine. */
const STARTED_WITHIN_MS = 30_000;
/** For example, NATS does not answer the thread. */
const PREPARE_AGAIN_MS = 1_000;

export function createContentQueue({
  name,
  cpuLimitMs,
  nice,
  standby,
  use,
  metrics,
  log,
}: ContentQueueOptions): ContentQueue {
  let isStarted = false;
  let isPrepared = false;
  let isStopped = false;
  const first = Promise.withResolvers<void>();

  const prepare = async (): Promise<void> => {
    if (isStopped) return;
    const startedAt = performance.now();
    const waiting = setInterval(() => {
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      log.error('content_thread.not_ready', { lane: name, seconds });
    }, STARTED_WITHIN_MS).unref();
    try {
      await thread.run('prepare', { nice });
      isPrepared = true;
      first.resolve();
    } catch (error) {
      if (error instanceof ThreadEnded) return; // onEnded prepares the next one
      log.error('content_thread.not_prepared', { lane: name, error });
      setTimeout(() => void prepare(), PREPARE_AGAIN_MS).unref();
    } finally {
      clearInterval(waiting);
    }
  };
  const thread = threadOf<typeof jobs>({
    startWorker: standby.take,
    use,
    onEvent: (event) => {
      const { level, event: text, error } = event as jobs.LogLine;
      log[level](text, { error });
    },
    onEnded: ({ reason, cause, wasReady }) => {
      isPrepared = false;
      if (isStopped) return;
      metrics.contentThreadReplaced(name, reason as Exclude<EndReason, 'stopped'>);
      log.error('content_thread.ended', { lane: name, reason, was_ready: wasReady, error: cause });
      void prepare();
      standby.prepare();
    },
  });
  const start = (): void => {
    if (!isStarted) void prepare();
    isStarted = true;
  };

  return {
    name,
    run: (job, task, options) => {
      start();
      return thread.run(job, task, { cpuLimitMs, ...options });
    },
    prepared: () => {
      start();
      return first.promise;
    },
    isReady: () => isPrepared || !isStarted,
    inFlight: thread.inFlight,
    [Symbol.asyncDispose]: () => {
      isStopped = true;
      return thread[Symbol.asyncDispose]();
    },
  };
}
