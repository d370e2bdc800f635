/**
 * The documents of the database for a backup, all as they were at one moment. They remain BSON, so no
 * number changes its type.
 */
import { MongoServerError } from 'mongodb';

import type { Mongo } from './connection.ts';
import { BACKED_UP } from './collections.ts';

export type StoredDocument = { collection: string; bson: Uint8Array };

/**
 * Reads every document that a backup keeps, in one snapshot (MongoDB 5.0 or later, replica set).
 * @param without a collection that is left out
 * @throws SnapshotTooOldError when the reader took longer than MongoDB keeps a snapshot
 */
export async function* readDocuments(
  mongo: Pick<Mongo, 'client' | 'db'>,
  without?: string,
): AsyncGenerator<StoredDocument> {
  await using session = mongo.client.startSession({ snapshot: true });
  try {
    for (const collection of BACKED_UP.filter((name) => name !== without))
      for await (const bson of mongo.db
        .collection(collection)
        // without it, the client's read concern would be used, which is of no one moment
        .find({}, { session, readConcern: 'snapshot', raw: true, batchSize: 100 }))
        yield { collection, bson: bson as unknown as Uint8Array };
  } catch (cause) {
    throw cause instanceof MongoServerError && cause.code === SNAPSHOT_TOO_OLD
      ? new SnapshotTooOldError(cause)
      : cause;
  }
}

const SNAPSHOT_TOO_OLD = 239;

export class SnapshotTooOldError extends Error {
  override readonly name = 'SnapshotTooOldError';
  constructor(cause: unknown) {
    super('MongoDB kept the snapshot for a shorter time than the backup took', { cause });
  }
}
