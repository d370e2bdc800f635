/** Payloads too large for a message lie in the object bucket under their event's id (claim check, design §3). */
import type { ConsumerMessages, JetStreamClient, PushConsumer } from '@nats-io/jetstream';
import { Objm, type ObjectStore, setSha256Backend } from '@nats-io/obj';

import { type PayloadPiece, slicesOf } from '../../core/mail/payload-bytes.ts';
import { createGiveWay, type GiveWay, unhurried } from '../process/yield.ts';

export type Bodies = {
  /** @param pieces of the body, in order; read as they are stored, so they must not change */
  put: (eventId: string, pieces: readonly PayloadPiece[]) => Promise<void>;
  /** undefined when the body is gone */
  get(eventId: string): Promise<Uint8Array | undefined>;
  /** The same as it comes from the bucket; it is whole and undamaged. */
  pieces(eventId: string): Promise<Uint8Array[] | undefined>;
  has(eventId: string): Promise<boolean>;
  /** Removing what is not there is no error. */
  remove(eventId: string): Promise<void>;
};

const CHUNK_BYTES = 512 * 1024; // each chunk is one fsync, and copied at once by the library
const PUT_TIMEOUT_MS = 30_000;
/** Asked for ahead of the one that is being read. */
const CHUNKS_AHEAD = 4;

/**
 * The buckets of a client, whose objects are pulled no faster than they may be read. The library has them pushed, all at once, and leaves the consumer of
 * each read on the server for five minutes, and of those a stream has a thousand at most.
 */
export function bucketsOf(client: JetStreamClient): Objm {
  const { consumers } = client;
  const giveWay = createGiveWay();
  consumers.getPushConsumer = async (stream, options) => {
    const consumer = await consumers.get(stream, {
      filter_subjects: (options as { filter_subject: string }).filter_subject,
    });
    const consume = async () => {
      const messages = await consumer.consume({ max_messages: CHUNKS_AHEAD });
      messages
        .closed()
        .then(() => consumer.delete())
        .catch(() => undefined); // then it expires
      return slowly(messages, giveWay);
    };
    return { consume } as unknown as PushConsumer; // all that the library uses of it
  };
  return new Objm(client);
}

const slowly = (messages: ConsumerMessages, giveWay: GiveWay) => ({
  stop: () => messages.stop(),
  [Symbol.asyncIterator]: () => unhurried(messages, ({ data }) => data.byteLength, giveWay),
});

export function createBodies(store: ObjectStore): Bodies {
  const giveWay = createGiveWay();
  setSha256Backend('native'); // the library's own default takes half of a dispatcher that delivers large mail
  return {
    put: async (eventId, pieces) => {
      const slices = unhurried(
        slicesOf(pieces, CHUNK_BYTES),
        ({ byteLength }) => byteLength,
        giveWay,
      );
      await store.put(
        { name: eventId, options: { max_chunk_size: CHUNK_BYTES } },
        ReadableStream.from(slices),
        { timeout: PUT_TIMEOUT_MS },
      );
    },
    get: async (eventId) => (await store.getBlob(eventId)) ?? undefined,
    pieces: async (eventId) => {
      const found = await store.get(eventId);
      if (found === null) return undefined;
      const [pieces, error] = await Promise.all([Array.fromAsync(found.data), found.error]);
      if (error) throw error;
      return pieces;
    },
    has: async (eventId) => {
      const info = await store.info(eventId);
      return info !== null && !info.deleted;
    },
    remove: async (eventId) => {
      await store.delete(eventId);
    },
  };
}
