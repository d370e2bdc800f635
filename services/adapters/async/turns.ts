/**
 * After some work, a thread lets its event loop turn. What is left waits by its holders
 * (core/time/fair-order.ts), so work that has just arrived may be next. Work that waits for a server holds
 * nothing, and without much work nothing waits.
 */
import { randomInt } from 'node:crypto';

import {
  addUse,
  type CpuUse,
  createFairLine,
  type Holders,
  newCpuUse,
} from '../../core/time/fair-order.ts';

export type Turns = {
  /** Undefined when the work may begin; otherwise resolves when it may. */
  next(holders: Holders): Promise<void> | undefined;
  /** A part of the work has run without a pause. */
  spend(holders: Holders, cpuMs: number): void;
};

/** Far more than an ordinary email takes, so that emails which arrive together are handled together. */
const TURN_CPU_MS = 25;
/** Shorter parts of an ordinary email are not worth counting. */
const COUNTED_CPU_MS = 0.1;

/** @param sendResults of work that has ended: they must not wait for the work that begins next */
export function createTurns(use: CpuUse | undefined, sendResults?: () => void): Turns {
  const line = createFairLine<() => void>(use);
  let waiting = 0;
  let spentMs = 0;
  let isEnding = false;

  const endSoon = () => {
    if (isEnding) return;
    isEnding = true;
    setImmediate(() => {
      isEnding = false;
      spentMs = 0;
      sendResults?.();
      beginNext();
    });
  };
  const beginNext = (): void => {
    if (waiting === 0) return;
    const next = spentMs < TURN_CPU_MS ? line.first(threadsNowMs()) : undefined;
    if (next === undefined) return endSoon();
    line.remove(next);
    waiting -= 1;
    next.item();
    // when it waits for a server, or has ended
    queueMicrotask(() => process.nextTick(beginNext));
  };
  return {
    next: (holders) => {
      if (spentMs < TURN_CPU_MS && waiting === 0) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      line.add(holders, resolve);
      waiting += 1;
      endSoon();
      return promise;
    },
    spend: (holders, cpuMs) => {
      spentMs += cpuMs;
      if (spentMs >= TURN_CPU_MS) endSoon();
      if (use && cpuMs >= COUNTED_CPU_MS) addUse(use, holders, cpuMs, threadsNowMs());
    },
  };
}

/** The same in all threads of the process. */
export const threadsNowMs = () => performance.timeOrigin + performance.now();

/** For the threads of a process. */
export const createCpuUse = (): CpuUse => newCpuUse(randomInt(2 ** 32));
