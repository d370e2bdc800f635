/** Mail that was settled or sleeps, found again: for its payload, and to be replayed. */
import { jetstream, JetStreamApiError, jetstreamManager, type StoredMsg } from '@nats-io/jetstream';

import type { Delivery } from '../../core/delivery/delivery.ts';
import { type MailEvent, subjects } from '../../core/delivery/mail-event.ts';
import { bucketsOf, createBodies } from './bodies.ts';
import type { Nats } from './connection.ts';
import { publishOnce } from './publish-once.ts';
import {
  BODIES_BUCKET,
  FAILED_STREAM,
  mailStream,
  RAW_MAILS_BUCKET,
  type Streams,
} from './streams.ts';
import { readEvent, writeRetryHeaders } from './wire.ts';

export type StoredDelivery = Pick<Delivery, 'event_id' | 'account_id' | 'address_id' | 'stored_at'>;

/** What can be done with the mail of a delivery that is no longer under way. */
export type MailStore = {
  /** The payload as the first attempt sent it; undefined when it is no longer kept. */
  payload(delivery: StoredDelivery): Promise<Uint8Array | undefined>;
  /** The raw mail of an event whose address offers it by link; undefined when it is no longer kept. */
  raw(eventId: string): Promise<Uint8Array | undefined>;
  /**
   * Puts the mail into the retry lane, due at a time that leaves the caller a second to mark the record.
   * `gone` when its payload is no longer kept, `under_way` when the retry lane holds it already.
   */
  replay(delivery: StoredDelivery, dueAt: Date): Promise<'replayed' | 'gone' | 'under_way'>;
};

/** What is needed of the streams; this process makes none. */
export type MailStreams = Pick<Streams, 'client' | 'manager' | 'bodies' | 'rawMails'>;

const TIMEOUT_MS = 5_000;
const NO_MESSAGE = 10037;
const NO_STREAM = 10059;

/** Streams that gateways and dispatchers make: they need not be there yet. */
export async function openMailStreams({ connection }: Nats): Promise<MailStreams> {
  const options = { timeout: TIMEOUT_MS, checkAPI: false };
  const client = jetstream(connection, options);
  const buckets = bucketsOf(client);
  return {
    client,
    manager: await jetstreamManager(connection, options),
    bodies: await buckets.open(BODIES_BUCKET, false),
    rawMails: await buckets.open(RAW_MAILS_BUCKET, false),
  };
}

export function createMailStore({
  client,
  manager,
  bodies: bucket,
  rawMails: rawBucket,
}: MailStreams): MailStore {
  const bodies = createBodies(bucket);
  const rawMails = createBodies(rawBucket);

  /** The message where it was stored at first, or its copy in FAILED. */
  const find = async (
    delivery: StoredDelivery,
  ): Promise<{ event: MailEvent; message: StoredMsg } | undefined> => {
    const { partition, sequence } = delivery.stored_at;
    const sources = [
      () => manager.streams.getMessage(mailStream(partition), { seq: sequence }),
      () => manager.streams.getMessage(FAILED_STREAM, { last_by_subj: subjects.failed(delivery) }),
    ];
    for (const source of sources) {
      const message = await source().catch(noneWhenAbsent);
      const event = message && readEvent(message.header);
      if (message && event?.event_id === delivery.event_id) return { event, message };
    }
    return undefined;
  };

  return {
    payload: async (delivery) => {
      const found = await find(delivery);
      return found?.event.payload_in === 'bucket'
        ? bodies.get(delivery.event_id)
        : found?.message.data;
    },
    raw: (eventId) => rawMails.get(eventId),
    replay: async (delivery, dueAt) => {
      const found = await find(delivery);
      if (
        found === undefined ||
        (found.event.payload_in === 'bucket' && !(await bodies.has(delivery.event_id)))
      )
        return 'gone';
      const { event, message } = found;
      const subject = subjects.retry(delivery.stored_at.partition, event);
      return (await publishOnce(
        client,
        subject,
        message.data,
        writeRetryHeaders(event, { storedAt: delivery.stored_at, dueAt }),
      ))
        ? 'replayed'
        : 'under_way';
    },
  };
}

function noneWhenAbsent(error: unknown): null {
  if (error instanceof JetStreamApiError && (error.code === NO_MESSAGE || error.code === NO_STREAM))
    return null;
  throw error;
}
