/**
 * Publishes a message, and waits while its stream has no leader: an election takes up to nine
 * seconds. Meanwhile, one probe serves all messages of a stream, so that their payloads are sent
 * only once it has a leader.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { JetStreamApiError } from '@nats-io/jetstream';

import { isStoredLater, isUnanswered } from './outage.ts';
import type { Publisher } from './publisher.ts';

export type Patience = {
  /** From the first try to the error. */
  withinMs: number;
  /** True when the message must not wait any longer, for example because the process stops. */
  isOver?: () => boolean;
};

/** A leader that died with a request in flight never answers it. */
const TRY_MS = 3_000;
const PROBE_TIMEOUT_MS = 1_000;
const PROBE_PAUSE_MS = 100;
/** No stream has this name, so a leader refuses the probe, and nothing is stored. */
const NO_STREAM = 'none';

/**
 * @returns a publisher that may send its message several times. The caller makes it idempotent: with
 * a message id, or with the last sequence of its subject.
 */
export function createPatientPublisher(
  publisher: Publisher,
  { withinMs, isOver = () => false }: Patience,
): Publisher {
  const elections = new Map<string, Promise<void>>();

  const hasLeader = (subject: string): Promise<boolean> =>
    publisher
      .publish(subject, undefined, {
        expect: { streamName: NO_STREAM },
        timeout: PROBE_TIMEOUT_MS,
      })
      .then(
        () => true,
        (error: unknown) => !isUnanswered(error),
      );

  const elect = async (stream: string, subject: string): Promise<void> => {
    const deadline = Date.now() + withinMs;
    do await sleep(PROBE_PAUSE_MS);
    while (!isOver() && Date.now() < deadline && !(await hasLeader(subject)));
    elections.delete(stream);
  };

  /** Resolves when the stream of the subject has a leader, or at the deadline. */
  const leader = async (subject: string, deadline: number): Promise<void> => {
    const stream = subject.split('.', 2).join('.'); // or a part of the stream
    const election = elections.get(stream) ?? elect(stream, subject);
    elections.set(stream, election);
    const timeUp = new AbortController();
    const waited = sleep(Math.max(0, deadline - Date.now()), undefined, timeUp);
    await Promise.race([election, waited.catch(() => undefined)]);
    timeUp.abort();
  };

  const publish: Publisher['publish'] = async (subject, data, options) => {
    for (const deadline = Date.now() + withinMs; ;) {
      try {
        return await publisher.publish(subject, data, { timeout: TRY_MS, ...options });
      } catch (error) {
        if (!isStoredLater(error)) throw error;
        if (isOver() || Date.now() >= deadline)
          throw new Error('the stream has no leader', { cause: error });
        await (error instanceof JetStreamApiError
          ? sleep(PROBE_PAUSE_MS)
          : leader(subject, deadline));
      }
    }
  };
  return { publish };
}
