/** The records of content keys as documents that a backup has (docs/backup-and-restore.md). */
import { BSON, type Db } from 'mongodb';

import type { KeyRecord } from '../../../core/archive/account-keys.ts';
import { ACCOUNT_KEYS, type StoredAccountKey } from './account-keys.ts';

export type KeyDocument = KeyRecord & { bson: Uint8Array };

export function keyDocument(bson: Uint8Array): KeyDocument {
  const { _id, sealed_key } = BSON.deserialize(bson) as StoredAccountKey;
  return { account_id: _id, isErased: sealed_key === null, bson };
}

export const hasKeyDocuments = async (db: Db): Promise<boolean> =>
  (await db.collection(ACCOUNT_KEYS).findOne({}, { projection: { _id: 1 } })) !== null;

/** All of them, in the order of accounts. */
export async function* readKeyDocuments(db: Db): AsyncGenerator<KeyDocument> {
  const found = db
    .collection(ACCOUNT_KEYS)
    .find({}, { raw: true, hint: '_id_', sort: { _id: 1 }, batchSize: 1_000 });
  for await (const bson of found) yield keyDocument(bson as unknown as Uint8Array);
}

/**
 * Keys that are erased here are erased there, too, whatever it has of them.
 * @param into the collection that a restore has written
 */
export async function keepErasedKeys(db: Db, into: string): Promise<void> {
  await db
    .collection(ACCOUNT_KEYS)
    .aggregate([
      { $match: { sealed_key: null } },
      { $merge: { into, whenMatched: 'replace', whenNotMatched: 'insert' } },
    ])
    .toArray();
}
