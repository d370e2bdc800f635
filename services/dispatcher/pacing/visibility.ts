/**
 * Shows each email as pending within two seconds of its 250 (D34), also while its receiver is slow
 * or all dispatchers are busy. An email whose first attempt ends sooner costs nothing more.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { withDeadline } from '../../adapters/async/deadline.ts';
import { createInterruptionLog } from '../../adapters/process/interruption-log.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { StoredMail } from '../../adapters/stream/events/headers.ts';

type VisibilityIO = {
  /** Creates the record of an email, unless it has one. */
  showPending(mail: StoredMail): Promise<unknown>;
  /** Shows what waits in a partition. False when nothing does. */
  readBacklog(partition: number, show: (mail: StoredMail) => Promise<void>): Promise<boolean>;
};

export type Visibility = AsyncDisposable & {
  /** A first attempt of this partition begins to be processed. @returns when it ends */
  begin(mail: StoredMail): () => void;
  /** @param isFull whether this dispatcher has no slot for more emails of the partition */
  watch(partition: number, isFull: () => boolean): void;
  /** Reads no more of the backlog. */
  stop(): void;
};

/** Age at which an email is shown: the rest of two seconds is for reading and writing. */
export const SHOWN_AFTER_MS = 900;
const CHECK_MS = 150;
/** A partition is checked for a backlog when emails reach the dispatcher at this age. */
const LATE_MS = 500;
/** Or when it is full, and has pulled nothing for this time. */
const STUCK_MS = 200;
/** An age that was seen longer ago says nothing about the backlog now. */
const RECENT_MS = 2_000;
const PAUSE_AFTER_ERROR_MS = 1_000;
const STOP_MAX_MS = 2_500; // a pull that waits while NATS is down

type Pulls = { atMs: number; ageMs: number };

export function createVisibility(
  io: VisibilityIO,
  log: Log,
  clock: () => Date = () => new Date(),
): Visibility {
  const ageOf = ({ event }: StoredMail) => clock().getTime() - event.received_at_ms;
  const inProgress = new Set<StoredMail>(); // in the order in which they were pulled
  const pulls = new Map<number, Pulls>();
  const watched: Promise<void>[] = [];
  const idle = new Set<() => void>(); // each ends the wait of a partition without mail
  const failures = createInterruptionLog(log);
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const checkInProgress = () => {
    if (inProgress.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    for (const mail of inProgress) {
      if (ageOf(mail) < SHOWN_AFTER_MS) continue;
      inProgress.delete(mail); // once is enough
      io.showPending(mail).catch(() => undefined); // stopped, or refused, which its attempt reports
    }
  };

  const show = async (mail: StoredMail): Promise<void> => {
    const youngMs = SHOWN_AFTER_MS - ageOf(mail);
    // an attempt may still be made by then; a gateway's clock may be far ahead
    if (youngMs > 0) await sleep(Math.min(youngMs, SHOWN_AFTER_MS));
    await io.showPending(mail).catch((error: unknown) => {
      if (isStopped) throw error; // otherwise MongoDB refuses the record, which its attempt reports
    });
  };

  const mayHaveBacklog = (partition: number, isFull: () => boolean): boolean => {
    const { atMs, ageMs } = pulls.get(partition) ?? { atMs: -Infinity, ageMs: 0 };
    const sinceMs = performance.now() - atMs;
    return (isFull() && sinceMs > STUCK_MS) || (ageMs > LATE_MS && sinceMs < RECENT_MS);
  };

  /** A moment; while nothing is in progress, until something is. */
  const pause = (isFull: () => boolean): Promise<unknown> =>
    inProgress.size > 0 || isFull() || isStopped
      ? sleep(CHECK_MS)
      : new Promise<void>((resolve) => idle.add(resolve));
  const endIdleWaits = () => {
    for (const resolve of idle) resolve();
    idle.clear();
  };

  const watchBacklog = async (partition: number, isFull: () => boolean): Promise<void> => {
    while (!isStopped) {
      try {
        if (!mayHaveBacklog(partition, isFull) || !(await io.readBacklog(partition, show)))
          await pause(isFull);
      } catch (error) {
        if (isStopped) return;
        failures.report('warn', 'backlog.not_read', { partition, error });
        await sleep(PAUSE_AFTER_ERROR_MS);
      }
    }
  };

  const stop = () => {
    isStopped = true;
    clearInterval(timer);
    endIdleWaits();
  };

  return {
    begin: (mail) => {
      pulls.set(mail.storedAt.partition, { atMs: performance.now(), ageMs: ageOf(mail) });
      inProgress.add(mail);
      if (!isStopped) timer ??= setInterval(checkInProgress, CHECK_MS);
      endIdleWaits();
      return () => inProgress.delete(mail);
    },
    watch: (partition, isFull) => {
      watched.push(watchBacklog(partition, isFull));
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      stop();
      await withDeadline(STOP_MAX_MS, Promise.all(watched)).catch(() => undefined);
      failures[Symbol.dispose]();
    },
  };
}
