/**
 * Finds stored emails that no dispatcher is delivering: to read their payloads and to replay them.
 */
import { Readable } from 'node:stream';
import { jetstream, jetstreamManager, type StoredMsg } from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';

import { type Delivery, revisionOf } from '../../core/delivery/delivery.ts';
import { isStoredIn, type MailEvent, subjects } from '../../core/delivery/mail-event.ts';
import { attachmentsFile } from '../../core/webhook/linked-attachments.ts';
import { createObjects } from './objects.ts';
import type { Nats } from './connection.ts';
import { createMailErasure } from './erase.ts';
import { nullWhenAbsent } from './errors.ts';
import { openObject, type StoredBytes } from './object-reader.ts';
import { createPublisher, publishOnce } from './publish.ts';
import { keptFrom } from './purge.ts';
import {
  BODIES_BUCKET,
  FAILED_STREAM,
  mailStream,
  LINKED_BUCKET,
  retryStream,
  type Streams,
} from './streams.ts';
import { readEvent, readRetryPlace, writeRetryHeaders } from './wire.ts';

export type StoredDelivery = Pick<
  Delivery,
  | 'event_id'
  | 'account_id'
  | 'address_id'
  | 'stored_at'
  | 'revision'
  | 'content_until'
  | 'content_erased_at'
>;

/** Access to the email of a delivery. */
export type ReplayStore = {
  /** Whether these streams are those of its region: no other ones have its email (D87). */
  isHere(delivery: Pick<StoredDelivery, 'stored_at'>): boolean;
  /** The payload as the first attempt sent it; undefined when it is no longer stored. */
  payload(delivery: StoredDelivery): Promise<StoredBytes | undefined>;
  /**
   * The raw email, for an address whose payloads link to it; undefined when it is no longer stored.
   */
  raw(eventId: string): Promise<StoredBytes | undefined>;
  /** The file of its attachments, under the same conditions. See linked-attachments.ts. */
  attachments(eventId: string): Promise<StoredBytes | undefined>;
  /**
   * Publishes the email in the RETRY lane. Choose `dueAt` at least a second ahead, so that the
   * caller can update the delivery record first. `gone`: its payload is no longer stored.
   * `under_way`: the RETRY lane has it already.
   */
  replay(delivery: StoredDelivery, dueAt: Date): Promise<'replayed' | 'gone' | 'under_way'>;
  /**
   * Replaces the message that sleeps in the RETRY lane, if it has an older revision than the
   * delivery. Without one, the dispatcher that has the email, or the next one that pulls it, finds
   * the revision in the record.
   * @returns whether it was replaced
   */
  wake(delivery: StoredDelivery, dueAt: Date): Promise<boolean>;
  /** Overwrites the email and all files of it. */
  erase(delivery: StoredDelivery): Promise<void>;
  /** Since when partitions store all delivered emails; without those that never had to make room. */
  keptFrom(): Promise<Date[]>;
};

/** The streams for a process that does not create them. */
export type MailStreams = Omit<Streams, 'partitions'>;

const TIMEOUT_MS = 5_000;

/** The streams that gateways and dispatchers create. They need not exist yet. */
export async function openMailStreams(
  { connection, region }: Nats,
  bucketTimeoutMs = TIMEOUT_MS,
): Promise<MailStreams> {
  const options = { timeout: TIMEOUT_MS, checkAPI: false };
  const client = jetstream(connection, options);
  const buckets = new Objm(jetstream(connection, { ...options, timeout: bucketTimeoutMs }));
  return {
    client,
    publisher: createPublisher(connection),
    manager: await jetstreamManager(connection, options),
    bodies: await buckets.open(BODIES_BUCKET, false),
    linked: await buckets.open(LINKED_BUCKET, false),
    region,
  };
}

export function createReplayStore(streams: MailStreams): ReplayStore {
  const { publisher, manager, bodies: bucket, linked } = streams;
  const bodies = createObjects(bucket);
  const contents = createMailErasure(streams);

  /** The message at its first place, or its copy in FAILED. */
  const find = async (
    delivery: StoredDelivery,
  ): Promise<{ event: MailEvent; message: StoredMsg } | undefined> => {
    const { partition, sequence } = delivery.stored_at;
    const sources = [
      () => manager.streams.getMessage(mailStream(partition), { seq: sequence }),
      () => manager.streams.getMessage(FAILED_STREAM, { last_by_subj: subjects.failed(delivery) }),
    ];
    for (const source of sources) {
      const message = await source().catch(nullWhenAbsent);
      const event = message && readEvent(message.header);
      if (message && event?.event_id === delivery.event_id) return { event, message };
    }
    return undefined;
  };

  return {
    isHere: (delivery) => isStoredIn(delivery, streams.region),
    payload: async (delivery) => {
      const found = await find(delivery);
      if (found?.event.payload_in === 'bucket')
        return openObject(manager, bucket, delivery.event_id);
      return found && wholeBytes(found.message.data);
    },
    raw: (eventId) => openObject(manager, linked, eventId),
    attachments: (eventId) => openObject(manager, linked, attachmentsFile(eventId)),
    replay: async (delivery, dueAt) => {
      const found = await find(delivery);
      if (
        found === undefined ||
        (found.event.payload_in === 'bucket' && !(await bodies.has(delivery.event_id)))
      )
        return 'gone';
      const { event, message } = found;
      const subject = subjects.retry(delivery.stored_at.partition, event);
      const headers = writeRetryHeaders(event, {
        storedAt: delivery.stored_at,
        dueAt,
        revision: revisionOf(delivery),
      });
      return (await publishOnce(publisher, subject, message.data, { headers }))
        ? 'replayed'
        : 'under_way';
    },
    wake: async (delivery, dueAt) => {
      const { stored_at: storedAt } = delivery;
      const subject = subjects.retry(storedAt.partition, delivery);
      const message = await manager.streams
        .getMessage(retryStream(storedAt.partition), { last_by_subj: subject })
        .catch(nullWhenAbsent);
      const revision = revisionOf(delivery);
      if (message === null || readRetryPlace(message.header).revision >= revision) return false;
      const headers = writeRetryHeaders(readEvent(message.header), { storedAt, dueAt, revision });
      return publishOnce(publisher, subject, message.data, { headers, after: message.seq });
    },
    erase: (delivery) => contents.erase(delivery),
    keptFrom: () => keptFrom(streams),
  };
}

const wholeBytes = (data: Uint8Array): StoredBytes => ({
  size: data.byteLength,
  chunks: Readable.from([data]),
});
