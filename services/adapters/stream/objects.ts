/**
 * Payloads that are too large for a message: objects in a bucket, named by event id (claim check).
 * object-reader.ts reads them.
 */
import { type ObjectStore, setSha256Backend } from '@nats-io/obj';

import { type PayloadPiece, slicesOf } from '../../core/webhook/payload-bytes.ts';
import { isStoredLater } from './errors.ts';
import { onceJetStreamAnswers, STORE_WITHIN_MS } from './outage.ts';

export type Bodies = {
  /**
   * Tries again while the bucket has no leader.
   * @param pieces the body, in order. They are read while they are stored and must not change.
   */
  put: (eventId: string, pieces: readonly PayloadPiece[]) => Promise<void>;
  has(eventId: string): Promise<boolean>;
  /** No error when there is no such body. */
  remove(eventId: string): Promise<void>;
};

const CHUNK_BYTES = 512 * 1024; // each chunk costs one fsync, and one copy in the library
/** For each chunk. A leader that died with one in flight never acknowledges it. */
const CHUNK_TIMEOUT_MS = 3_000;

/** @param withinMs how long `put` waits while the bucket has no leader */
export function createBodies(store: ObjectStore, withinMs = STORE_WITHIN_MS): Bodies {
  setSha256Backend('native'); // the default takes half of a dispatcher's CPU under large mail
  return {
    put: async (eventId, pieces) => {
      const putOnce = () =>
        store.put(
          { name: eventId, options: { max_chunk_size: CHUNK_BYTES } },
          ReadableStream.from(slicesOf(pieces, CHUNK_BYTES)),
          { timeout: CHUNK_TIMEOUT_MS },
        );
      await onceJetStreamAnswers(putOnce, { withinMs, isDown: isStoredLater });
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
