/** Payloads too large for a message lie in the object bucket under their event's id (claim check, design §3). */
import { type ObjectStore, setSha256Backend } from '@nats-io/obj';

export type Bodies = {
  put: (eventId: string, payload: Uint8Array) => Promise<void>;
  /** undefined when the body is gone */
  get(eventId: string): Promise<Uint8Array | undefined>;
  has(eventId: string): Promise<boolean>;
  /** Removing what is not there is no error. */
  remove(eventId: string): Promise<void>;
};

const CHUNK_BYTES = 512 * 1024; // each chunk is one fsync
const PUT_TIMEOUT_MS = 30_000;

export function createBodies(store: ObjectStore): Bodies {
  setSha256Backend('native'); // the library's own default takes half of a dispatcher that delivers large mail
  return {
    put: async (eventId, payload) => {
      await store.putBlob({ name: eventId, options: { max_chunk_size: CHUNK_BYTES } }, payload, { timeout: PUT_TIMEOUT_MS });
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
