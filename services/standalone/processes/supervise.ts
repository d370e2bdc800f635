/** Keeps one program running, as Kubernetes keeps a pod: when it ends unasked it is started again, after a pause that grows while it keeps failing. */
import { setTimeout as sleep } from 'node:timers/promises';

import { causeChain } from '../../adapters/process/log.ts';
import type { ChildProcess } from './child-process.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const STEADY_AFTER_MS = 10_000;

export type Supervised<P extends ChildProcess> = AsyncDisposable & {
  /** The run that is, or was last. */
  current(): P;
};

export type SupervisionOptions<P extends ChildProcess> = {
  /** Starts it; `previous` is the run before, whose ports the next one takes over. */
  start: (previous?: P) => Promise<P>;
  report: (line: string) => void;
  /** Called after each restart: the pid is another. */
  onRestart: () => Promise<void>;
};

/** @throws when the first start fails; later failures are reported and tried again */
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
      report(`${current.name} ended (${signal ?? `exit code ${code}`}): starting it again`);
      await sleep(pauseMs, undefined, { signal: stopAsked.signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      if (!isStopping) await startAgain();
    }
  }

  async function startAgain(): Promise<void> {
    try {
      current = await start(current);
      await onRestart();
      report(`${current.name} runs again`);
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
    await current.stop(); // a restart that was under way
  }
  return { current: () => current, [Symbol.asyncDispose]: stop };
}
