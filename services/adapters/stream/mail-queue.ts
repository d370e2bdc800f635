/** The gateway's end of the stream: an event is stored once JetStream has acknowledged it, on disk (design §3). */
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { JetStreamApiError, type PubAck } from '@nats-io/jetstream';

import {
  INLINE_PAYLOAD_MAX_BYTES,
  MailEvent,
  partitionOf,
  subjects,
} from '../../core/delivery/mail-event.ts';
import { type PayloadPiece, writtenBytes, writtenLength } from '../../core/mail/payload-bytes.ts';
import { queueFull, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import { type Bodies, createBodies } from './bodies.ts';
import type { Streams } from './streams.ts';

/** Carries the MailEvent as JSON. */
const EVENT_HEADER = 'Inlet-Event';

export type MailQueue = {
  /**
   * Takes the payload in pieces. Resolves once the event is on disk; `isRepeat` when an equal mail was there already, whose `eventId` it then is, if that is still known.
   * @throws SmtpRefusal `queueFull` when the partition is full; any other error means that nothing is known to be stored
   */
  store(
    event: Omit<MailEvent, 'payload_bytes' | 'payload_in'>,
    payload: readonly PayloadPiece[],
    digest: string,
  ): Promise<{ isRepeat: boolean; eventId: string }>;
};

/** "maximum bytes/messages exceeded", "insufficient storage resources", "resource limits exceeded" (JetStream API error codes). */
const FULL_CODES: ReadonlySet<number> = new Set([10077, 10047, 10023, 10028]);
const PUBLISH_TIMEOUT_MS = 5_000;
const PUBLISH_RETRIES = 3; // while a partition has no leader, the server answers "no responders" at once; a client waits three time-outs at most

/**
 * @param isConnected false makes `store` fail at once instead of after its time-outs: the sender should not be held that long
 * @param large stores large payloads
 */
export function createMailQueue(
  { client, manager, bodies: bucket, partitions }: Streams,
  isConnected: () => boolean = () => true,
  large: Pick<Bodies, 'put'> = createBodies(bucket),
): MailQueue {
  const bodies = createBodies(bucket);

  /** The event that a repeat was folded into; undefined when its replay window has ended. */
  const firstCopy = async ({ stream, seq }: PubAck): Promise<string | undefined> => {
    const message = await manager.streams.getMessage(stream, { seq }).catch(() => null);
    return message === null ? undefined : eventOf(message.header).event_id;
  };

  return {
    store: async (facts, payload, digest) => {
      const payloadBytes = writtenLength(payload);
      const isInline = payloadBytes <= INLINE_PAYLOAD_MAX_BYTES;
      const event: MailEvent = {
        ...facts,
        payload_bytes: payloadBytes,
        payload_in: isInline ? 'message' : 'bucket',
      };
      try {
        if (!isConnected()) throw new Error('NATS is away');
        if (!isInline) await large.put(event.event_id, payload);
        const ack = await client.publish(
          subjects.mail(partitionOf(digest, partitions), event),
          isInline ? writtenBytes(payload) : '',
          {
            msgID: digest,
            headers: eventHeaders(event),
            retries: PUBLISH_RETRIES,
            timeout: PUBLISH_TIMEOUT_MS,
          },
        );
        if (!ack.duplicate) return { isRepeat: false, eventId: event.event_id };
        // An acknowledgement that came too late makes this very event its own repeat: its body must stay. The bucket's TTL takes what is left over.
        const eventId = (await firstCopy(ack)) ?? event.event_id;
        const isRepeat = eventId !== event.event_id;
        if (isRepeat && !isInline) await bodies.remove(event.event_id).catch(() => undefined);
        return { isRepeat, eventId };
      } catch (cause) {
        if (cause instanceof JetStreamApiError && FULL_CODES.has(cause.code))
          throw new SmtpRefusal(queueFull, { cause });
        throw new Error(`store ${event.event_id}`, { cause });
      }
    },
  };
}

/** @throws when the message carries no event */
export const eventOf = (fields: MsgHdrs | undefined): MailEvent =>
  MailEvent.parse(JSON.parse(fields?.get(EVENT_HEADER) || 'null'));

export function eventHeaders(event: MailEvent): MsgHdrs {
  const fields = headers();
  fields.set(EVENT_HEADER, asciiJson(event));
  return fields;
}

/** JSON in ASCII: header values must not depend on anyone's charset. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
