/**
 * Objects in a bucket: payloads that are too large for a message (claim check), and the files that
 * payloads link to. They are named by event id. object-reader.ts reads them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JetStreamManager } from '@nats-io/jetstream';
import { type ObjectStore, setSha256Backend } from '@nats-io/obj';

import type { ContentKey } from '../../../core/secret/content-key.ts';
import { type PayloadPiece, slicesOf } from '../../../core/webhook/payload-bytes.ts';
import { isStoredLater, needsTime } from '../connection/errors.ts';
import { onceJetStreamAnswers, STORE_WITHIN_MS } from '../connection/outage.ts';
import { FRAME_BYTES, sealSlices } from './sealed-content.ts';
import { type ObjectSeal, openStoredForm } from './object-reader.ts';
import { createWriteFaults, type WriteFaults } from '../connection/write-faults.ts';

export type Objects = {
  /**
   * Tries again while the bucket has no leader.
   * @param pieces the bytes, in order. They are read while they are stored and must not change.
   * @param owner whose key encrypts them; undefined: they are stored as they are
   */
  put: (name: string, pieces: readonly PayloadPiece[], owner?: ContentOwner) => Promise<void>;
  has(name: string): Promise<boolean>;
  /** No error when there is no such object. */
  remove(name: string): Promise<void>;
};

export type ContentOwner = { accountId: string; key: ContentKey };

/** `bucket`: where `put` encrypts, its name must be that of the bucket. */
type SharedFaults = { faults: WriteFaults; bucket: string };

const LEADER_PAUSE_MS = 250;
const CHUNK_BYTES = FRAME_BYTES; // each chunk costs one fsync, and one copy in the library
/** For each chunk. A leader that died with one in flight never acknowledges it. */
const CHUNK_TIMEOUT_MS = 3_000;

/**
 * @param withinMs how long `put` waits while the bucket has no leader
 * @param faults shared by the stores of a connection: one `put` finds that the bucket stores nothing, and
 * the others do not wait for it
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
    put: async (name, pieces, owner) => {
      const { silentTries, tryMs } = faults.check(bucket);
      const putOnce = () => {
        const slices = slicesOf(pieces, CHUNK_BYTES);
        const sealed = owner && seal(slices, owner, bucket, name);
        return store.put(
          {
            name,
            ...(sealed && { metadata: sealed.metadata }),
            options: { max_chunk_size: CHUNK_BYTES },
          },
          ReadableStream.from<Uint8Array>(sealed?.frames ?? slices),
          { timeout: Math.min(CHUNK_TIMEOUT_MS, tryMs) },
        );
      };
      let silent = 0;
      const pause = async (failure: unknown): Promise<boolean> => {
        const answers = await bucketAnswers();
        silent = answers && !needsTime(failure) ? silent + 1 : 0;
        if (silent >= silentTries) throw faults.notStored(bucket);
        return sleep(LEADER_PAUSE_MS, answers);
      };
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

function seal(
  slices: Iterable<Uint8Array>,
  { accountId, key }: ContentOwner,
  bucket: string,
  name: string,
) {
  if (bucket !== 'BODIES' && bucket !== 'RAW')
    throw new Error(`the bucket "${bucket}" has no content of emails`);
  const sealed = sealSlices(slices, key, { store: bucket, accountId, name });
  const metadata = { seal: sealed.seal, account_id: accountId } satisfies ObjectSeal;
  return { metadata, frames: sealed.frames };
}

/** Stores an object once more, under the same name, so that its age begins again. Does nothing if there is none. */
export async function renewObject(
  manager: JetStreamManager,
  bucket: ObjectStore,
  name: string,
): Promise<void> {
  const found = await openStoredForm(manager, bucket, name);
  if (found === undefined) return;
  const { metadata, chunks } = found;
  await bucket.put(
    { name, ...(metadata && { metadata }), options: { max_chunk_size: CHUNK_BYTES } },
    ReadableStream.from(chunks),
  );
}
