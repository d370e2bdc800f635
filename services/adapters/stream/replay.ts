/**
 * Finds stored emails that no dispatcher is delivering: to read their payloads and to replay them.
 */
import { Readable } from 'node:stream';
import {
  jetstream,
  type JetStreamManager,
  jetstreamManager,
  type StoredMsg,
} from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';

import { type Delivery, revisionOf } from '../../core/delivery/delivery.ts';
import { isStoredIn, type MailEvent, subjects } from '../../core/delivery/mail-event.ts';
import { attachmentsFile } from '../../core/webhook/linked-attachments.ts';
import { createObjects } from './objects/objects.ts';
import type { Nats } from './connection/connection.ts';
import { createMailErasure } from './erase.ts';
import { nullWhenAbsent } from './connection/errors.ts';
import { openObject, type StoredBytes } from './objects/object-reader.ts';
import type { KeyOf } from './objects/sealed-content.ts';
import { createPublisher, publishOnce } from './events/publish.ts';
import { keptFrom } from './purge.ts';
import { createAskRoom } from './objects/make-room.ts';
import {
  BODIES_BUCKET,
  DISPATCHER_CONSUMER,
  FAILED_STREAM,
  mailStream,
  LINKED_BUCKET,
  retryStream,
  type Streams,
} from './events/streams.ts';
import { openPayload, readEvent, readRetryPlace, writeRetryHeaders } from './events/wire.ts';

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

/** An email that is stored, with its payload as it is stored, unless that is in the bucket. */
type StoredCopy = { event: MailEvent; data: Uint8Array };

/** Access to the email of a delivery. */
export type ReplayStore = {
  /** Whether these streams are those of its region: no other ones have its email (D87). */
  isHere(delivery: Pick<StoredDelivery, 'stored_at'>): boolean;
  /**
   * The payload as the first attempt sent it; undefined when it is no longer stored, or the key of
   * its account was deleted. The same applies to the files.
   */
  payload(delivery: StoredDelivery): Promise<StoredBytes | undefined>;
  /**
   * The raw email, for an address whose payloads link to it; undefined when it is no longer stored.
   */
  raw(eventId: string): Promise<StoredBytes | undefined>;
  /** The file of its attachments, under the same conditions. See linked-attachments.ts. */
  attachments(eventId: string): Promise<StoredBytes | undefined>;
  /** The stored email; undefined when its payload is no longer stored. */
  copyOf(delivery: StoredDelivery): Promise<StoredCopy | undefined>;
  /**
   * Puts a message of the delivery's revision into the RETRY lane, in place of an older one. Does
   * nothing when one of this revision or a later one is there.
   */
  enqueue(delivery: StoredDelivery, copy: StoredCopy, dueAt: Date): Promise<void>;
  /**
   * Replaces the message that sleeps in the RETRY lane, if it has an older revision than the
   * delivery. Without one, the dispatcher that has the email, or the next one that pulls it, finds
   * the revision in the record.
   * @returns `kept`: the message has this revision, or a later one
   */
  wake(delivery: StoredDelivery, dueAt: Date): Promise<'replaced' | 'kept' | 'absent'>;
  /** A consumer acknowledged the email: FAILED no longer keeps it. */
  removeFailed(delivery: StoredDelivery): Promise<void>;
  /** Overwrites the email and all files of it. */
  erase(delivery: StoredDelivery): Promise<void>;
  /** Since when partitions store all delivered emails; without those that never had to make room. */
  keptFrom(): Promise<Date[]>;
};

/** The streams for a process that does not create them. */
export type MailStreams = Omit<Streams, 'partitions'>;

const TIMEOUT_MS = 5_000;
/** A dispatcher can move or settle an older message meanwhile, each time only once. */
const ENQUEUE_TRIES = 5;

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
    askRoom: createAskRoom(connection),
    region,
  };
}

/** @param keyOf the keys that decrypt the content of an account */
export function createReplayStore(streams: MailStreams, keyOf: KeyOf): ReplayStore {
  const { publisher, manager, bodies: bucket, linked } = streams;
  const bodies = createObjects(bucket);
  const contents = createMailErasure(streams);

  const inRetryLane = (delivery: StoredDelivery) => messageInRetryLane(manager, delivery);

  /** The message at its first place, its copy in FAILED, or the one that waits for a later attempt. */
  const find = async (
    delivery: StoredDelivery,
  ): Promise<{ event: MailEvent; message: StoredMsg } | undefined> => {
    const { partition, sequence } = delivery.stored_at;
    const sources = [
      () => manager.streams.getMessage(mailStream(partition), { seq: sequence }),
      () => manager.streams.getMessage(FAILED_STREAM, { last_by_subj: subjects.failed(delivery) }),
      () => inRetryLane(delivery), // new email may have taken the room of the first one
    ];
    for (const source of sources) {
      const message = await source().catch(nullWhenAbsent);
      const event = message && readEvent(message.header);
      if (message && event?.event_id === delivery.event_id) return { event, message };
    }
    return undefined;
  };

  /** @returns false when the RETRY lane no longer has this message, or none for 0 */
  const publishAfter = (
    sequence: number,
    delivery: StoredDelivery,
    { event, data }: StoredCopy,
    dueAt: Date,
  ): Promise<boolean> => {
    const { stored_at: storedAt } = delivery;
    const headers = writeRetryHeaders(event, { storedAt, dueAt, revision: revisionOf(delivery) });
    const subject = subjects.retry(storedAt.partition, event);
    return publishOnce(publisher, subject, data, { headers, after: sequence });
  };

  return {
    isHere: (delivery) => isStoredIn(delivery, streams.region),
    payload: async (delivery) => {
      const found = await find(delivery);
      if (found === undefined) return undefined;
      const { event, message } = found;
      if (event.payload_in === 'bucket')
        return openObject(manager, bucket, delivery.event_id, keyOf);
      const keys = event.seal === undefined ? undefined : await keyOf(event.account_id);
      if (event.seal !== undefined && keys === undefined) return undefined;
      return wholeBytes(openPayload(event, message.data, keys));
    },
    raw: (eventId) => openObject(manager, linked, eventId, keyOf),
    attachments: (eventId) => openObject(manager, linked, attachmentsFile(eventId), keyOf),
    copyOf: async (delivery) => {
      const found = await find(delivery);
      const isStored =
        found?.event.payload_in !== 'bucket' || (await bodies.has(delivery.event_id));
      return found && isStored ? { event: found.event, data: found.message.data } : undefined;
    },
    enqueue: async (delivery, copy, dueAt) => {
      for (let tries = 0; tries < ENQUEUE_TRIES; tries++) {
        const present = await inRetryLane(delivery);
        const revision = present && readRetryPlace(present.header).revision;
        if (revision !== null && revision >= revisionOf(delivery)) return;
        if (await publishAfter(present?.seq ?? 0, delivery, copy, dueAt)) return;
      }
      throw new Error(`the RETRY lane changes the message of ${delivery.event_id} all the time`);
    },
    wake: async (delivery, dueAt) => {
      const present = await inRetryLane(delivery);
      if (present === null) return 'absent';
      if (readRetryPlace(present.header).revision >= revisionOf(delivery)) return 'kept';
      const copy = { event: readEvent(present.header), data: present.data };
      return (await publishAfter(present.seq, delivery, copy, dueAt)) ? 'replaced' : 'absent';
    },
    removeFailed: (delivery) => contents.removeFailed(delivery),
    erase: (delivery) => contents.erase(delivery),
    keptFrom: () => keptFrom(streams),
  };
}

const messageInRetryLane = (
  manager: JetStreamManager,
  delivery: StoredDelivery,
): Promise<StoredMsg | null> => {
  const { partition } = delivery.stored_at;
  return manager.streams
    .getMessage(retryStream(partition), { last_by_subj: subjects.retry(partition, delivery) })
    .catch(nullWhenAbsent);
};

/**
 * Tells whether a lane that dispatchers pull has the message of a delivery (D167). Partitions are read
 * once, so that many deliveries can be looked for.
 */
export function createWaitsInLane({ manager }: Pick<Streams, 'manager'>) {
  /** Up to these sequences, the MAIL partitions have no message that waits. */
  const settled = new Map<number, Promise<number>>();
  const settledUpTo = (partition: number): Promise<number> => {
    const known =
      settled.get(partition) ??
      manager.consumers
        .info(mailStream(partition), DISPATCHER_CONSUMER)
        .catch(nullWhenAbsent)
        .then((consumer) => consumer?.ack_floor.stream_seq ?? 0);
    settled.set(partition, known);
    return known;
  };

  /** @throws when NATS does not tell */
  return async function waitsInLane(delivery: StoredDelivery): Promise<boolean> {
    if ((await messageInRetryLane(manager, delivery)) !== null) return true;
    const { partition, sequence: seq } = delivery.stored_at;
    if (seq <= (await settledUpTo(partition))) return false;
    const message = await manager.streams
      .getMessage(mailStream(partition), { seq })
      .catch(nullWhenAbsent);
    // a stream that was created again has other messages there
    return message !== null && readEvent(message.header).event_id === delivery.event_id;
  };
}

const wholeBytes = (data: Uint8Array): StoredBytes => ({
  size: data.byteLength,
  chunks: Readable.from([data]),
});
