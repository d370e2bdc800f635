/** Repeats calls after temporary failures: a restart of the API, an outage, a rate limit. */
import { setTimeout as sleep } from 'node:timers/promises';

import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';

export type Retrying = <T>(call: () => Promise<T>) => Promise<T>;

const PAUSES_MS = [200, 500, 1_000, 2_000, 5_000, 10_000];

/** @param failures in a row, from 1 */
export const pauseMs = (failures: number): number =>
  PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? 0;

export const isTemporary = (error: unknown): error is Failure =>
  error instanceof Failure && error.isTemporary;

/**
 * Calls again after each temporary failure, and says so, until the deadline or Ctrl-C.
 * @param deadlineMs time since 1970 after which the last failure is thrown
 */
export const createRetry =
  (
    { complain, stopped }: Pick<Terminal, 'complain' | 'stopped'>,
    deadlineMs = Infinity,
  ): Retrying =>
  async (call) => {
    for (let failures = 1; ; failures++) {
      try {
        return await call();
      } catch (error) {
        const leftMs = deadlineMs - Date.now();
        if (stopped.aborted || !isTemporary(error) || leftMs <= 0) throw error;
        complain(`${error.message}: trying again\n`);
        const waitMs = Math.min(pauseMs(failures), leftMs);
        await sleep(waitMs, undefined, { signal: stopped });
      }
    }
  };
