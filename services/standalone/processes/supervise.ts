/**
 * Keeps a program running, as Kubernetes does with a pod: restarts it when it exits, after a
 * backoff that grows while it fails.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { causeChain } from '../../adapters/process/log.ts';
import type { ChildProcess } from './child-process.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const STEADY_AFTER_MS = 10_000;

export type Supervised<P extends ChildProcess> = AsyncDisposable & {
  /** The present process, or the last one. */
  current(): P;
};

type SupervisionOptions<P extends ChildProcess> = {
  /** Starts the program. It reuses the ports of `previous`, the process before. */
  start: (previous?: P) => Promise<P>;
  report: (line: string) => void;
  /** Called after each restart, which changes the pid. */
  onRestart: () => Promise<void>;
};

/** @throws if the first start fails; a later failure is reported and retried */
export async function supervise<P extends ChildProcess>({
  start,
  report,
  onRestart,
}: SupervisionOptions<P>): Promise<Supervised<P>> {
  let current = await start();
  let isStopping = false;
  const stopAsked = new AbortController();

  async function watch(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!isStopping) {
      const startedMs = Date.now();
      const { code, signal } = await current.exited;
      if (isStopping) return;
      if (Date.now() - startedMs > STEADY_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
      report(`${current.name} exited (${signal ?? `exit code ${code}`}), restarting it`);
      await sleep(pauseMs, undefined, { signal: stopAsked.signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      if (!isStopping) await startAgain();
    }
  }

  async function startAgain(): Promise<void> {
    try {
      current = await start(current);
      await onRestart();
      report(`${current.name} is running again`);
    } catch (error) {
      report(causeChain(error));
    }
  }

  const watching = watch();

  async function stop(): Promise<void> {
    isStopping = true;
    stopAsked.abort();
    await current.stop();
    await watching;
    await current.stop(); // one that was being restarted
  }
  return { current: () => current, [Symbol.asyncDispose]: stop };
}
