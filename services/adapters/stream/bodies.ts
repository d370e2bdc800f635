/**
 * Payloads that are too large for a message: objects in a bucket, named by event id (claim check).
 * object-reader.ts reads them.
 */
import { type ObjectStore, setSha256Backend } from '@nats-io/obj';

import { type PayloadPiece, slicesOf } from '../../core/mail/payload-bytes.ts';

export type Bodies = {
  /** @param pieces the body, in order. They are read while they are stored and must not change. */
  put: (eventId: string, pieces: readonly PayloadPiece[]) => Promise<void>;
  has(eventId: string): Promise<boolean>;
  /** No error when there is no such body. */
  remove(eventId: string): Promise<void>;
};

const CHUNK_BYTES = 512 * 1024; // each chunk costs one fsync, and one copy in the library
const PUT_TIMEOUT_MS = 30_000;

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
    has: async (eventId) => {
      const info = await store.info(eventId);
      return info !== null && !info.deleted;
    },
    remove: async (eventId) => {
      await store.delete(eventId);
    },
  };
}
