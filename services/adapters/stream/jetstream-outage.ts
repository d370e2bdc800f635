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
export async function onceJetStreamAnswers<T>(work: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + DOWN_MAX_MS; ; await sleep(DOWN_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isJetStreamDown(error) || Date.now() > deadline) throw error;
    }
  }
}

function isJetStreamDown(error: unknown): boolean {
  if (error instanceof JetStreamApiError)
    return error.status === UNAVAILABLE || error.code === NO_PEERS;
  if (
    error instanceof errors.TimeoutError ||
    error instanceof errors.RequestError ||
    error instanceof errors.NoRespondersError
  )
    return true;
  return error instanceof Error && isJetStreamDown(error.cause);
}
