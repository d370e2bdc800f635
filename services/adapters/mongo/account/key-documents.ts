/** The records of content keys as documents that a backup has (docs/backup-and-restore.md). */
import { BSON, type Db } from 'mongodb';

import { type KeyRecord, mergedRecord } from '../../../core/backup/account-keys.ts';
import type { SecretBox } from '../database/secrets.ts';
import { ACCOUNTS, type StoredAccount } from '../documents/account-documents.ts';
import { ACCOUNT_KEYS, sealedKeyId, type StoredAccountKey } from './account-keys.ts';

export type KeyDocument = KeyRecord & { document: StoredAccountKey };
type Secrets = Pick<SecretBox, 'open'>;

function keyDocument(document: StoredAccountKey, secrets: Secrets): KeyDocument {
  const { _id, sealed_key, further_keys = [] } = document;
  const sealed = sealed_key === null ? [] : [sealed_key, ...further_keys];
  const keys = sealed.map((one) => ({ id: sealedKeyId(_id, one, secrets), sealed: one }));
  return { account_id: _id, isErased: sealed_key === null, keys, document };
}

export const readKeyDocument = (bson: Uint8Array, secrets: Secrets): KeyDocument =>
  keyDocument(BSON.deserialize(bson) as StoredAccountKey, secrets);

export const writtenKeyDocument = (record: KeyDocument): Uint8Array =>
  BSON.serialize(storedRecord(record));

function storedRecord({ document, keys: [first, ...further] }: KeyDocument): StoredAccountKey {
  const { further_keys: _, ...one } = document;
  if (first === undefined) return one;
  const further_keys = further.map(({ sealed }) => sealed);
  return { ...one, sealed_key: first.sealed, ...(further.length > 0 && { further_keys }) };
}

export const hasKeyDocuments = async (db: Db): Promise<boolean> =>
  (await db.collection(ACCOUNT_KEYS).findOne({}, { projection: { _id: 1 } })) !== null;

/** All of them, in the order of accounts. */
export async function* readKeyDocuments(db: Db, secrets: Secrets): AsyncGenerator<KeyDocument> {
  const found = db
    .collection<StoredAccountKey>(ACCOUNT_KEYS)
    .find({}, { hint: '_id_', sort: { _id: 1 }, batchSize: 1_000 });
  for await (const document of found) yield keyDocument(document, secrets);
}

/**
 * Keys that are erased here are erased there, too, and all others are there as well: the streams may have
 * content that only they decrypt.
 * @param into the collection that a restore has written
 */
export async function keepKeys(db: Db, into: string, secrets: Secrets): Promise<void> {
  const coming = db.collection<StoredAccountKey>(into);
  for await (const here of readKeyDocuments(db, secrets)) {
    const _id = here.account_id;
    const there = await coming.findOne({ _id });
    const { _id: _, ...kept } = storedRecord(
      there === null ? here : mergedRecord(here, keyDocument(there, secrets)),
    );
    await coming.replaceOne({ _id }, kept, { upsert: true });
  }
}

/**
 * Accounts whose keys are lost for good get another one with their next email.
 * @param nameOf the collections that a restore has written
 */
export async function replaceLostKeys(db: Db, nameOf: (name: string) => string): Promise<void> {
  const accounts = db.collection<StoredAccount>(nameOf(ACCOUNTS));
  const keys = db.collection<StoredAccountKey>(nameOf(ACCOUNT_KEYS));
  const projection = { _id: 1 };
  for await (const { _id } of accounts.find({ has_content_key: true }, { projection }))
    if ((await keys.findOne({ _id }, { projection })) === null)
      await accounts.updateOne({ _id }, { $unset: { has_content_key: '' } });
}
