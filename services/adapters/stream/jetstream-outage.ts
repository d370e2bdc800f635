/** Waits while JetStream cannot answer, as after a start or while it elects leaders. */
import { setTimeout as sleep } from 'node:timers/promises';

import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';

const NO_PEERS = 10005; // JetStream API error code: fewer servers than replicas, while a cluster starts
const UNAVAILABLE = 503;
const DOWN_MAX_MS = 60_000;
const DOWN_PAUSE_MS = 500;

/**
 * Retries while JetStream starts, elects leaders or lacks servers, so that a new process can wait.
 */
export async function onceJetStreamAnswers<T>(
  work: () => Promise<T>,
  downMaxMs = DOWN_MAX_MS,
  isDown: (error: unknown) => boolean = isJetStreamDown,
): Promise<T> {
  for (const deadline = Date.now() + downMaxMs; ; await sleep(DOWN_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isDown(error) || Date.now() > deadline) throw error;
    }
  }
}

function isJetStreamDown(error: unknown): boolean {
  if (error instanceof JetStreamApiError)
    return error.status === UNAVAILABLE || error.code === NO_PEERS;
  return isUnanswered(error) || (error instanceof Error && isJetStreamDown(error.cause));
}

/** No server answered the request: its stream has no leader, or the connection is lost. */
export function isUnanswered(error: unknown): boolean {
  return (
    error instanceof errors.TimeoutError ||
    error instanceof errors.RequestError ||
    error instanceof errors.NoRespondersError ||
    (error instanceof Error && isUnanswered(error.cause))
  );
}
