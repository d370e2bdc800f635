/**
 * Publishes at most one message per subject. For RETRY and FAILED, whose subjects name the event.
 */
import { JetStreamApiError, type JetStreamClient } from '@nats-io/jetstream';
import type { MsgHdrs } from '@nats-io/transport-node';

const WRONG_LAST_SEQUENCE = 10071; // JetStream API error codes, server/errors.json

/** False when the subject has a message already. */
export async function publishOnce(
  client: JetStreamClient,
  subject: string,
  data: Uint8Array,
  headers: MsgHdrs,
): Promise<boolean> {
  try {
    await client.publish(subject, data, { headers, expect: { lastSubjectSequence: 0 } });
    return true;
  } catch (cause) {
    if (cause instanceof JetStreamApiError && cause.code === WRONG_LAST_SEQUENCE) return false;
    throw new Error(`publish ${subject}`, { cause });
  }
}
