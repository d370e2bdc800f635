/**
 * Payloads that are too large for a message: objects in a bucket, named by event id (claim check).
 */
import type { JetStreamClient, PushConsumer } from '@nats-io/jetstream';
import { Objm, type ObjectStore, setSha256Backend } from '@nats-io/obj';

import { type PayloadPiece, slicesOf } from '../../core/mail/payload-bytes.ts';

export type Bodies = {
  /** @param pieces the body, in order. They are read while they are stored and must not change. */
  put: (eventId: string, pieces: readonly PayloadPiece[]) => Promise<void>;
  /** undefined when the body was removed or has expired */
  get(eventId: string): Promise<Uint8Array | undefined>;
  has(eventId: string): Promise<boolean>;
  /** No error when there is no such body. */
  remove(eventId: string): Promise<void>;
};

const CHUNK_BYTES = 512 * 1024; // each chunk costs one fsync, and one copy in the library
const PUT_TIMEOUT_MS = 30_000;
/** Chunks requested ahead of the one that is being read. */
const CHUNKS_AHEAD = 4;

/**
 * Opens buckets whose objects are pulled only as fast as they are read. The library itself has the
 * server push a whole object. It also leaves the consumer of each read on the server for five
 * minutes, and a stream can have at most a thousand consumers.
 */
export function bucketsOf(client: JetStreamClient): Objm {
  const { consumers } = client;
  consumers.getPushConsumer = async (stream, options) => {
    const consumer = await consumers.get(stream, {
      filter_subjects: (options as { filter_subject: string }).filter_subject,
    });
    const consume = async () => {
      const messages = await consumer.consume({ max_messages: CHUNKS_AHEAD });
      messages
        .closed()
        .then(() => consumer.delete())
        .catch(() => undefined); // then the server removes it when it expires
      return messages;
    };
    return { consume } as unknown as PushConsumer; // the only member that the library uses
  };
  return new Objm(client);
}

export function createBodies(store: ObjectStore): Bodies {
  setSha256Backend('native'); // the default takes half of a dispatcher's CPU under large mail
  return {
    put: async (eventId, pieces) => {
      await store.put(
        { name: eventId, options: { max_chunk_size: CHUNK_BYTES } },
        ReadableStream.from(slicesOf(pieces, CHUNK_BYTES)),
        { timeout: PUT_TIMEOUT_MS },
      );
    },
    get: async (eventId) => (await store.getBlob(eventId)) ?? undefined,
    has: async (eventId) => {
      const info = await store.info(eventId);
      return info !== null && !info.deleted;
    },
    remove: async (eventId) => {
      await store.delete(eventId);
    },
  };
}
