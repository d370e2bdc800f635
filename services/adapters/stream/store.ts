/**
 * The gateway's end of the queue: an event is stored once JetStream has acknowledged it on disk.
 */
import type { PubAck } from '@nats-io/jetstream';

import type { ContentKey } from '../../core/secret/content-key.ts';
import {
  type MailEvent,
  type MailFacts,
  partitionOf,
  type StoredAt,
  storedIn,
  subjects,
} from '../../core/delivery/mail-event.ts';
import type { PayloadPiece } from '../../core/webhook/payload-bytes.ts';
import { isFull, isStreamFull } from './connection/errors.ts';
import { createObjects } from './objects/objects.ts';
import { STORE_WITHIN_MS, untilConnected } from './connection/outage.ts';
import { createMakeRoom } from './purge.ts';
import type { PublishOptions } from './events/publish.ts';
import { withRoom } from './objects/make-room.ts';
import { BODIES_BUCKET, type Streams } from './events/streams.ts';
import { newMessage, readEvent, writeHeaders } from './events/wire.ts';
import { NotWriting } from './connection/write-faults.ts';

/** What became of an event. */
export type Stored =
  | { isRepeat: false }
  /** Another event with this digest was stored before; its id is undefined once it is purged. */
  | { isRepeat: true; first: { eventId: string | undefined; storedAt: StoredAt } };

/**
 * Resolves once the event is on disk, or with `full` when no partition has room for it.
 * @param digest becomes the `Nats-Msg-Id`: of the events that share it within the duplicate window,
 * JetStream stores the first. It also chooses the partition, because each stream folds on its own.
 * @param key encrypts the payload; undefined: it is stored as it is
 * @throws when it is not known whether the event is stored
 */
export type StoreMail = (
  facts: MailFacts,
  payload: readonly PayloadPiece[],
  digest: string,
  key?: ContentKey,
) => Promise<Stored | 'full'>;

/** Other emails may take the room that was made for this one. */
const ROOM_TRIES = 20;

/**
 * @param isConnected when false for two seconds, `storeMail` fails: the sender need not wait for timeouts
 * @param withinMs how long a step waits while its stream has no leader
 */
export function createStoreMail(
  { publisher, manager, bodies: bucket, askRoom, partitions, region }: Streams,
  isConnected: () => boolean = () => true,
  withinMs = STORE_WITHIN_MS,
): StoreMail {
  const { faults } = publisher;
  const bodies = createObjects(bucket, withinMs, { faults, bucket: BODIES_BUCKET });
  const makeRoom = createMakeRoom({ manager });
  const endOfRound = createRounds();

  /** Never refuses an email while settled ones could go: large bodies first, then its partition's. */
  const publish = async (
    partition: number,
    event: MailEvent,
    body: Uint8Array | '',
    options: PublishOptions,
  ) => {
    for (let tries = 1; ; tries++) {
      try {
        return await publisher.publish(subjects.mail(partition, event), body, options);
      } catch (error) {
        if (!isFull(error) || tries >= ROOM_TRIES) throw error;
        const bytes = event.payload_bytes;
        const isMade = !isStreamFull(error) && (await askRoom(bytes)) > 0;
        if (!isMade && !(await makeRoom(partition, bytes, error))) throw error;
      }
    }
  };

  /**
   * In the partition of the digest. When that is full or stores nothing, in the next one that has room: a
   * refusal would make the sender repeat the email for all receivers, also those that have it (D192).
   */
  const publishWhereRoomIs = async (
    digest: string,
    event: MailEvent,
    body: Uint8Array | '',
    options: PublishOptions,
  ): Promise<{ ack: PubAck; partition: number }> => {
    const own = partitionOf(digest, partitions);
    let refusal: unknown;
    for (let others = 0; others < partitions; others++) {
      const partition = (own + others) % partitions;
      try {
        return { ack: await publish(partition, event, body, options), partition };
      } catch (error) {
        if (!isStreamFull(error) && !(error instanceof NotWriting)) throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  };

  /** The event that a repeat was folded into; undefined when it is no longer stored. */
  const firstCopy = async ({ stream, seq }: PubAck): Promise<string | undefined> => {
    const message = await manager.streams.getMessage(stream, { seq }).catch(() => null);
    return message === null ? undefined : readEvent(message.header).event_id;
  };

  return async function storeMail(facts, payload, digest, key) {
    const { event, body } = newMessage(facts, payload, key);
    const owner = key && { accountId: event.account_id, key };
    const isInBucket = event.payload_in === 'bucket';
    try {
      if (!isConnected()) await untilConnected(isConnected);
      if (isInBucket)
        await withRoom(askRoom, event.payload_bytes, () =>
          bodies.put(event.event_id, payload, owner),
        );
      await endOfRound();
      const options = { msgID: digest, headers: writeHeaders(event), withinMs };
      const { ack, partition } = await publishWhereRoomIs(digest, event, body, options);
      if (!ack.duplicate) return { isRepeat: false };
      // This event may have been published before, by a run whose acknowledgment was lost: it is
      // not a repeat, and its body must stay. The bucket's TTL removes other bodies that remain.
      const eventId = await firstCopy(ack);
      if (eventId === event.event_id) return { isRepeat: false };
      if (eventId !== undefined && isInBucket)
        await bodies.remove(event.event_id).catch(() => undefined);
      return { isRepeat: true, first: { eventId, storedAt: storedIn(region, partition, ack.seq) } };
    } catch (cause) {
      if (isFull(cause) || cause instanceof NotWriting) return 'full';
      throw new Error(`store ${event.event_id}`, { cause });
    }
  };
}

/**
 * Resolves at the end of this round of the event loop, for all callers together. What they publish
 * then is written to the socket in one system call, which costs as much as three publishes.
 */
function createRounds(): () => Promise<void> {
  let round: Promise<void> | undefined;
  return () =>
    (round ??= new Promise((resolve) => {
      setImmediate(() => {
        round = undefined;
        resolve();
      });
    }));
}
