/**
 * Objects in a bucket: payloads that are too large for a message (claim check), and the files that
 * payloads link to. They are named by event id. object-reader.ts reads them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JetStreamManager } from '@nats-io/jetstream';
import { type ObjectStore, setSha256Backend } from '@nats-io/obj';

import { type PayloadPiece, slicesOf } from '../../../core/webhook/payload-bytes.ts';
import { isStoredLater, needsTime } from '../errors.ts';
import { onceJetStreamAnswers, STORE_WITHIN_MS } from '../outage.ts';
import { openObject } from './object-reader.ts';
import { createWriteFaults, SILENT_TRIES, type WriteFaults } from '../write-faults.ts';

export type Objects = {
  /**
   * Tries again while the bucket has no leader.
   * @param pieces the bytes, in order. They are read while they are stored and must not change.
   */
  put: (name: string, pieces: readonly PayloadPiece[]) => Promise<void>;
  has(name: string): Promise<boolean>;
  /** No error when there is no such object. */
  remove(name: string): Promise<void>;
};

type SharedFaults = { faults: WriteFaults; bucket: string };

const LEADER_PAUSE_MS = 250;
const CHUNK_BYTES = 512 * 1024; // each chunk costs one fsync, and one copy in the library
/** For each chunk. A leader that died with one in flight never acknowledges it. */
const CHUNK_TIMEOUT_MS = 3_000;

/**
 * @param withinMs how long `put` waits while the bucket has no leader
 * @param shared.faults the faults of the connection, and the name of the bucket: then one `put` finds that the
 * bucket stores nothing, and the others do not wait for it
 */
export function createObjects(
  store: ObjectStore,
  withinMs = STORE_WITHIN_MS,
  { faults, bucket }: SharedFaults = { faults: createWriteFaults(), bucket: '' },
): Objects {
  setSha256Backend('native'); // the default takes half of a dispatcher's CPU under large mail
  const bucketAnswers = () =>
    store.status().then(
      () => true,
      () => false,
    );
  return {
    put: async (name, pieces) => {
      const putOnce = () =>
        store.put(
          { name, options: { max_chunk_size: CHUNK_BYTES } },
          ReadableStream.from(slicesOf(pieces, CHUNK_BYTES)),
          { timeout: CHUNK_TIMEOUT_MS },
        );
      let silent = 0;
      const pause = async (failure: unknown): Promise<boolean> => {
        const answers = await bucketAnswers();
        silent = answers && !needsTime(failure) ? silent + 1 : 0;
        if (silent >= SILENT_TRIES) throw faults.notStored(bucket);
        return sleep(LEADER_PAUSE_MS, answers);
      };
      faults.check(bucket);
      await onceJetStreamAnswers(putOnce, { withinMs, isDown: isStoredLater, pause });
      faults.stored(bucket);
    },
    has: async (name) => {
      const info = await store.info(name);
      return info !== null && !info.deleted;
    },
    remove: async (name) => {
      await store.delete(name);
    },
  };
}

/** Stores an object once more, under the same name, so that its age begins again. None is no error. */
export async function renewObject(
  manager: JetStreamManager,
  bucket: ObjectStore,
  name: string,
): Promise<void> {
  const found = await openObject(manager, bucket, name);
  if (found === undefined) return;
  await bucket.put(
    { name, options: { max_chunk_size: CHUNK_BYTES } },
    ReadableStream.from(found.chunks),
  );
}
