/**
 * Publishes a message only if nothing else was published for its subject in the meantime. For RETRY
 * and FAILED, whose subjects name the event.
 */
import { JetStreamApiError, type JetStreamClient } from '@nats-io/jetstream';
import type { MsgHdrs } from '@nats-io/transport-node';

const WRONG_LAST_SEQUENCE = 10071; // JetStream API error codes, server/errors.json

/**
 * False when the last message of the subject is not `after`.
 * @param after sequence of the message that is replaced; 0 for none
 */
export async function publishOnce(
  client: JetStreamClient,
  subject: string,
  data: Uint8Array,
  headers: MsgHdrs,
  after = 0,
): Promise<boolean> {
  try {
    await client.publish(subject, data, { headers, expect: { lastSubjectSequence: after } });
    return true;
  } catch (cause) {
    if (cause instanceof JetStreamApiError && cause.code === WRONG_LAST_SEQUENCE) return false;
    throw new Error(`publish ${subject}`, { cause });
  }
}
