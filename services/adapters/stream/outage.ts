/** Waits while JetStream cannot answer, as after a start or while it elects leaders. */
import { setTimeout as sleep } from 'node:timers/promises';

import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';

const NO_PEERS = 10005; // JetStream API error code: fewer servers than replicas, while a cluster starts
const UNAVAILABLE = 503;
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
/**
 * JetStream API error codes. The server is no longer the leader, or an earlier try is still being
 * replicated, and may be stored or not.
 */
const LATER: ReadonlySet<number> = new Set([10006, 10008, 10009, 10158, 10164]);

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

export function isJetStreamDown(error: unknown): boolean {
  if (error instanceof JetStreamApiError)
    return error.status === UNAVAILABLE || error.code === NO_PEERS;
  return isUnanswered(error) || (error instanceof Error && isJetStreamDown(error.cause));
}

/**
 * Resolves when the process is connected to NATS.
 * @throws after two seconds without a connection: the caller need not wait for timeouts
 */
export async function untilConnected(isConnected: () => boolean): Promise<void> {
  for (const deadline = Date.now() + RECONNECT_WITHIN_MS; !isConnected();) {
    if (Date.now() > deadline) throw new Error('NATS is not connected');
    await sleep(RECONNECT_POLL_MS);
  }
}

/** Whether a message can be stored when its stream has a leader again. A full stream is no such case. */
export const isStoredLater = (error: unknown): boolean =>
  error instanceof JetStreamApiError ? LATER.has(error.code) : isUnanswered(error);

/** No server answered the request: its stream has no leader, or the connection is lost. */
export function isUnanswered(error: unknown): boolean {
  return (
    error instanceof errors.TimeoutError ||
    error instanceof errors.RequestError ||
    error instanceof errors.NoRespondersError ||
    (error instanceof Error && isUnanswered(error.cause))
  );
}
