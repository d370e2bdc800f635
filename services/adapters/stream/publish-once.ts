/**
 * Publishes a message only if nothing else was published for its subject in the meantime. For RETRY
 * and FAILED, whose subjects name the event.
 */
import { JetStreamApiError } from '@nats-io/jetstream';
import type { MsgHdrs } from '@nats-io/transport-node';

import type { Publisher } from './publisher.ts';

/**
 * JetStream API error codes, server/errors.json: of a cluster, the second one means that another
 * message for the subject is still being replicated.
 */
const WRONG_LAST_SEQUENCE: ReadonlySet<number> = new Set([10071, 10164]);

/**
 * False when the last message of the subject is not `after`.
 * @param after sequence of the message that is replaced; 0 for none
 */
export async function publishOnce(
  publisher: Publisher,
  subject: string,
  data: Uint8Array,
  headers: MsgHdrs,
  after = 0,
): Promise<boolean> {
  try {
    await publisher.publish(subject, data, { headers, expect: { lastSubjectSequence: after } });
    return true;
  } catch (cause) {
    if (cause instanceof JetStreamApiError && WRONG_LAST_SEQUENCE.has(cause.code)) return false;
    throw new Error(`publish ${subject}`, { cause });
  }
}
