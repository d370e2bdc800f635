/**
 * The documents of the database for a backup, all as they were at one moment, and their way back.
 * They remain BSON, so no number changes its type.
 */
import { BSON, type Document, MongoServerError } from 'mongodb';

import type { Mongo } from './connection.ts';
import { INDEXES } from './stores.ts';

/** What ends within hours: a restore would not bring back a browser that is signed in. */
const NOT_BACKED_UP: readonly string[] = [
  INDEXES.dashboardLinks,
  INDEXES.idempotencyKeys,
  INDEXES.rateWindows,
  INDEXES.sessions,
].map(({ collection }) => collection);

export type StoredDocument = { collection: string; bson: Uint8Array };

async function collectionNames({ db }: Pick<Mongo, 'db'>): Promise<string[]> {
  const found = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  return found
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('system.'))
    .toSorted();
}

/**
 * Reads every document that a backup keeps, in one snapshot (MongoDB 5.0 or later, replica set).
 * @throws SnapshotTooOldError when the reader took longer than MongoDB keeps a snapshot
 */
export async function* readDocuments(
  mongo: Pick<Mongo, 'client' | 'db'>,
): AsyncGenerator<StoredDocument> {
  const names = await collectionNames(mongo);
  await using session = mongo.client.startSession({ snapshot: true });
  try {
    for (const collection of names.filter((name) => !NOT_BACKED_UP.includes(name)))
      for await (const bson of mongo.db
        .collection(collection)
        .find({}, { session, raw: true, batchSize: 100 }))
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

/** A collection that a restore would write to, although it has documents. */
export async function occupiedCollection(mongo: Pick<Mongo, 'db'>): Promise<string | undefined> {
  for (const name of await collectionNames(mongo))
    if (
      !NOT_BACKED_UP.includes(name) &&
      (await mongo.db.collection(name).findOne({}, { projection: { _id: 1 } })) !== null
    )
      return name;
  return undefined;
}

/** Deletes all documents and indexes. */
export async function emptyDatabase(mongo: Pick<Mongo, 'db'>): Promise<void> {
  for (const name of await collectionNames(mongo)) await mongo.db.collection(name).drop();
}

export type DocumentWriter = {
  add(document: StoredDocument): Promise<void>;
  /** Writes what is left. */
  end(): Promise<void>;
};

const BATCH = { documents: 500, bytes: 2 * 1024 * 1024 };

/** @param namespaces Kubernetes namespaces of resources and the ones that replace them in records */
export function createDocumentWriter(
  { db }: Pick<Mongo, 'db'>,
  namespaces: ReadonlyMap<string, string>,
): DocumentWriter {
  let batch: Document[] = [];
  let bytes = 0;
  let target = '';

  async function flush(): Promise<void> {
    if (batch.length > 0) await db.collection(target).insertMany(batch, { ordered: false });
    [batch, bytes] = [[], 0];
  }
  return {
    add: async ({ collection, bson }) => {
      if (collection !== target || batch.length >= BATCH.documents || bytes >= BATCH.bytes)
        await flush();
      target = collection;
      batch.push(moved(BSON.deserialize(bson, { promoteValues: false }), namespaces));
      bytes += bson.byteLength;
    },
    end: flush,
  };
}

function moved(document: Document, namespaces: ReadonlyMap<string, string>): Document {
  const owner = document.managed_by as { namespace?: string } | undefined;
  const namespace = namespaces.get(owner?.namespace ?? '');
  return namespace === undefined ? document : { ...document, managed_by: { ...owner, namespace } };
}
