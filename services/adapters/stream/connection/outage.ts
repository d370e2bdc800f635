/** Waits while JetStream cannot answer, as after a start or while it elects leaders. */
import { setTimeout as sleep } from 'node:timers/promises';

import { isNatsTemporary } from './errors.ts';

const DOWN_MAX_MS = 60_000;
const DOWN_PAUSE_MS = 250;
/**
 * How long a gateway tries to store something. Longer than an election. The sender waits for its
 * reply: RFC 5321 §4.5.3.2.6.
 */
export const STORE_WITHIN_MS = 12_000;
/** A process whose NATS node fails is connected to the next one before this. */
const RECONNECT_WITHIN_MS = 2_000;
const RECONNECT_POLL_MS = 50;

/** How long something waits while its stream has no leader. */
export type LeaderWait = {
  /** From the first try to the error. */
  withinMs?: number | undefined;
  /** True when it must not wait any longer, for example because the process stops. */
  isOver?: () => boolean;
};

type Retries = LeaderWait & {
  /** Errors after which the work is repeated. */
  isDown?: (error: unknown) => boolean;
  /** Waits a moment. False when the work would certainly fail again. */
  pause?: (error: unknown) => Promise<boolean>;
};

/**
 * Repeats the work while JetStream starts, elects leaders or lacks servers.
 * @throws the last error of the work when the time is over
 */
export async function onceJetStreamAnswers<T>(
  work: () => Promise<T>,
  { withinMs = DOWN_MAX_MS, isOver, isDown = isNatsTemporary, pause = sleepABit }: Retries = {},
): Promise<T> {
  for (const deadline = performance.now() + withinMs; ;) {
    try {
      return await work();
    } catch (error) {
      if (!isDown(error)) throw error;
      do if (isOver?.() || performance.now() >= deadline) throw error;
      while (!(await pause(error)));
    }
  }
}

type Keeping = {
  /** The caller waits this long for the work. */
  waitMs: number;
  isOver: () => boolean;
  /** The work failed after that. */
  report: (error: unknown) => void;
};

/**
 * Repeats the work until it succeeds, also after the caller has stopped waiting.
 * @throws an error that repeating cannot help, if it happens while the caller waits
 */
export async function keepTrying(
  work: () => Promise<unknown>,
  { waitMs, isOver, report }: Keeping,
): Promise<void> {
  let isLate = false;
  const isDown = (error: unknown): boolean => {
    if (isOver() || !isNatsTemporary(error)) return false;
    if (isLate) report(error);
    return true;
  };
  const kept = onceJetStreamAnswers(work, { withinMs: Infinity, isDown }).catch(
    (error: unknown) => {
      if (!isLate) throw error;
      if (!isOver()) report(error);
    },
  );
  await Promise.race([kept, sleep(waitMs, undefined, { ref: false })]);
  isLate = true;
}

const sleepABit = () => sleep(DOWN_PAUSE_MS, true);

/**
 * Resolves when the process is connected to NATS.
 * @throws after two seconds without a connection: the caller need not wait for timeouts
 */
export async function untilConnected(isConnected: () => boolean): Promise<void> {
  for (const deadline = performance.now() + RECONNECT_WITHIN_MS; !isConnected();) {
    if (performance.now() > deadline) throw new Error('NATS is not connected');
    await sleep(RECONNECT_POLL_MS);
  }
}
