/** The gateway's end of the stream: an event is stored once JetStream has acknowledged it, on disk (design §3). */
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { JetStreamApiError } from '@nats-io/jetstream';

import { INLINE_PAYLOAD_MAX_BYTES, type MailEvent, partitionOf, subjects } from '../core/mail-event.ts';
import { queueFull, SmtpRefusal } from '../core/smtp-reply.ts';
import { createBodies } from './bodies.ts';
import type { Streams } from './streams.ts';

/** Carries the MailEvent as JSON. */
export const EVENT_HEADER = 'Inlet-Event';

export type MailQueue = {
  /**
   * Resolves once the event is on disk; `isRepeat` when an equal mail was there already.
   * @throws SmtpRefusal `queueFull` when the partition is full; any other error means that nothing is known to be stored
   */
  store(event: Omit<MailEvent, 'payload_bytes' | 'payload_in'>, payload: Uint8Array, digest: string): Promise<{ isRepeat: boolean }>;
};

/** "maximum bytes/messages exceeded", "insufficient storage resources", "resource limits exceeded" (JetStream API error codes). */
const FULL_CODES: ReadonlySet<number> = new Set([10077, 10047, 10023, 10028]);
const PUBLISH_RETRIES = 3; // while a partition has no leader, the server answers "no responders" at once

export function createMailQueue({ client, bodies: bucket, partitions }: Streams): MailQueue {
  const bodies = createBodies(bucket);
  return {
    store: async (facts, payload, digest) => {
      const isInline = payload.byteLength <= INLINE_PAYLOAD_MAX_BYTES;
      const event: MailEvent = { ...facts, payload_bytes: payload.byteLength, payload_in: isInline ? 'message' : 'bucket' };
      try {
        if (!isInline) await bodies.put(event.event_id, payload);
        const ack = await client.publish(subjects.mail(partitionOf(digest, partitions), event), isInline ? payload : '', {
          msgID: digest, headers: eventHeaders(event), retries: PUBLISH_RETRIES,
        });
        if (ack.duplicate && !isInline) await bodies.remove(event.event_id).catch(() => undefined); // the first copy has its own; the bucket's TTL takes what stays
        return { isRepeat: ack.duplicate };
      } catch (cause) {
        if (cause instanceof JetStreamApiError && FULL_CODES.has(cause.code)) throw new SmtpRefusal(queueFull, { cause });
        throw new Error(`store ${event.event_id}`, { cause });
      }
    },
  };
}

export function eventHeaders(event: MailEvent): MsgHdrs {
  const fields = headers();
  fields.set(EVENT_HEADER, asciiJson(event));
  return fields;
}

/** JSON in ASCII: header values must not depend on anyone's charset. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
