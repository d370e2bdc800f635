/**
 * Reads an object of a bucket chunk by chunk, each on request: at any pace, with one chunk in
 * memory and no consumer on the server.
 */
import { createHash } from 'node:crypto';
import type { JetStreamManager } from '@nats-io/jetstream';
import type { ObjectStore } from '@nats-io/obj';

import { Unprocessable } from '../../../core/delivery/fault.ts';
import { clearLength, type KeyOf, openChunks, type ContentLocation } from './sealed-content.ts';

/** Bytes that are read once, in order, as fast as the reader asks for them. */
export type StoredBytes = { size: number; chunks: AsyncIterable<Uint8Array> };

/** The seal of an object that is encrypted, and whose it is, as its metadata have them. */
export type ObjectSeal = { seal: string; account_id: string };

/** An object as it is stored. */
type StoredForm = StoredBytes & {
  bucket: string;
  /** Number of chunks. */
  count: number;
  /** Absent when it is not encrypted. */
  metadata?: ObjectSeal;
};

/**
 * Undefined when there is no such object, or the keys of its account were deleted. Reading throws when a chunk is
 * missing or was changed.
 * @param keyOf the keys of an account, for an object that is encrypted
 */
export async function openObject(
  manager: JetStreamManager,
  bucket: ObjectStore,
  name: string,
  keyOf: KeyOf,
): Promise<StoredBytes | undefined> {
  const stored = await openStoredForm(manager, bucket, name);
  if (stored?.metadata === undefined) return stored;
  const { seal, account_id: accountId } = stored.metadata;
  const keys = await keyOf(accountId);
  if (keys === undefined) return undefined;
  const location = { store: stored.bucket as ContentLocation['store'], accountId, name };
  return {
    size: clearLength(stored.size),
    chunks: openChunks(stored.chunks, stored.count, seal, keys, location),
  };
}

/** Undefined when there is no such object. Reading throws when a chunk is missing or the digest differs. */
export async function openStoredForm(
  manager: JetStreamManager,
  bucket: ObjectStore,
  name: string,
): Promise<StoredForm | undefined> {
  const info = await bucket.info(name);
  if (info === null || info.deleted) return undefined;
  const { size, chunks: count, nuid, digest, metadata } = info;
  return {
    bucket: info.bucket,
    size,
    count,
    ...(isSeal(metadata) && { metadata: { seal: metadata.seal, account_id: metadata.account_id } }),
    chunks: readChunks(manager, info.bucket, { chunks: count, nuid, digest }),
  };
}

const isSeal = (metadata: Readonly<Record<string, string>> | undefined): metadata is ObjectSeal =>
  metadata?.seal !== undefined && metadata.account_id !== undefined;

type ObjectFacts = { chunks: number; nuid: string; digest: string };

async function* readChunks(
  manager: JetStreamManager,
  bucket: string,
  { chunks, nuid, digest }: ObjectFacts,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let seq = 1;
  for (let read = 0; read < chunks; read++) {
    const request = { seq, next_by_subj: `$O.${bucket}.C.${nuid}` };
    const message =
      (await manager.direct.getMessage(`OBJ_${bucket}`, request)) ??
      // A replica can lag behind the leader, whose responses cost more: they are JSON and base64.
      (await manager.streams.getMessage(`OBJ_${bucket}`, request));
    if (message === null) throw damaged(`chunk ${read} of object ${nuid} is missing`);
    seq = message.seq + 1;
    hash.update(message.data);
    // The digest is checked before the last chunk is passed on: a damaged object is never read to
    // its end.
    if (read === chunks - 1 && !hasDigest(hash.digest(), digest))
      throw damaged(`object ${nuid} does not match its digest`);
    yield message.data;
  }
}

const damaged = (detail: string) =>
  new Unprocessable('the stored content of the email is damaged', detail);

/** @param stated `SHA-256=` and base64url, with or without padding */
const hasDigest = (computed: Buffer, stated: string): boolean =>
  stated.replace(/^SHA-256=/i, '').replaceAll('=', '') === computed.toString('base64url');
