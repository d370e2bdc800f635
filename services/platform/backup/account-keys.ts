/**
 * The keys of accounts next to the backups in the bucket, as one object that each backup overwrites, so that a key
 * that was erased is in no backup any more (docs/backup-and-restore.md). Read and written as a stream.
 */
import { Readable } from 'node:stream';

import {
  hasKeyDocuments,
  type KeyDocument,
  readKeyDocument,
  readKeyDocuments,
  writtenKeyDocument,
} from '../../adapters/mongo/account/key-documents.ts';
import { ACCOUNT_KEYS } from '../../adapters/mongo/account/account-keys.ts';
import type { Mongo } from '../../adapters/mongo/database/connection.ts';
import { createSecretBox, type SecretBox } from '../../adapters/mongo/database/secrets.ts';
import type { BackupFiles } from '../../adapters/bucket/backup-files.ts';
import { BucketFault } from '../../adapters/bucket/bucket-client.ts';
import { ACCOUNT_KEYS_NAME, keySource, unionOf } from '../../core/backup/account-keys.ts';
import { BackupFault, type Entry, readEntries, writeEntries } from './entry-file.ts';
import {
  type Backup,
  backupKeys,
  type Contents,
  countDocument,
  KEY_DOCUMENT,
  openBackup,
  signedEntries,
} from './backup-file.ts';
import { decrypted, encryptedOutput } from './encrypted-file.ts';

/** The keys in the bucket. */
export type StoredKeys = {
  created_at: string;
  entries(): AsyncIterable<Entry>;
};

/**
 * Reads the whole object, before anything else is read or changed.
 * @returns undefined when there is none
 * @throws BackupFault when it cannot be read
 */
export async function storedKeys(
  files: Pick<BackupFiles, 'read'>,
  keys: readonly Buffer[],
): Promise<StoredKeys | undefined> {
  const open = async (): Promise<Backup> => {
    const content = decrypted(files.read(ACCOUNT_KEYS_NAME), keys);
    const backup = await openBackup(readEntries(Readable.from(content)), keys, false);
    if (backup.kind === 'account-keys') return backup;
    throw new BackupFault('it has something else');
  };
  async function* entries() {
    yield* (await open()).entries;
  }
  try {
    const { created_at, entries: all } = await open();
    for await (const _ of all); // the last one proves that Inlet wrote them
    return { created_at, entries };
  } catch (cause) {
    if (cause instanceof BucketFault && cause.isMissing) return undefined;
    throw cause instanceof BackupFault ? unreadable(cause) : cause;
  }
}

const unreadable = (cause: BackupFault) =>
  new BackupFault(
    `${ACCOUNT_KEYS_NAME} in the bucket cannot be read: ${cause.message}. It has the keys of accounts, ` +
      'which old backups may need, so nothing was changed. Add the former key to SECRET_KEYS. If another ' +
      'installation wrote it, set another prefix in BACKUP_BUCKET. If it is damaged, or no backup in the bucket is ' +
      'needed, delete it: the next backup stores the keys that the database has',
    { cause },
  );

/** Replaces the object, if there are keys. */
export async function storeKeys(
  { mongo: { db }, env }: { mongo: Pick<Mongo, 'db'>; env: NodeJS.ProcessEnv },
  files: Pick<BackupFiles, 'read' | 'write'>,
): Promise<void> {
  const keys = backupKeys(env);
  const stored = await storedKeys(files, keys);
  if (stored === undefined && !(await hasKeyDocuments(db))) return;
  const contents: Contents = { documents: {}, messages: {} };
  const secrets = createSecretBox(keys);
  const records = unionOf(documentsOf(stored, secrets), readKeyDocuments(db, secrets));
  const entries = signedEntries(entriesOf(records, contents), contents, keys, 'account-keys');
  const { content, written } = encryptedOutput((output) => writeEntries(entries, output), keys);
  await Promise.all([files.write(ACCOUNT_KEYS_NAME, content), written]);
}

async function* documentsOf(
  stored: StoredKeys | undefined,
  secrets: SecretBox,
): AsyncGenerator<KeyDocument> {
  if (stored) for await (const { bytes } of stored.entries()) yield readKeyDocument(bytes, secrets);
}

async function* entriesOf(
  records: AsyncIterable<KeyDocument>,
  { documents }: Contents,
): AsyncGenerator<Entry> {
  for await (const record of records) {
    countDocument(documents, ACCOUNT_KEYS);
    yield { name: KEY_DOCUMENT, bytes: writtenKeyDocument(record) };
  }
}

/**
 * The backup with the keys of accounts from where they are.
 * @param stored undefined without a bucket, or when this has none
 * @param acceptsLostKeys also a backup whose keys are missing
 * @throws BackupFault
 */
export function withKeys(
  backup: Backup,
  stored: StoredKeys | undefined,
  acceptsLostKeys: boolean,
): Backup {
  if (backup.kind === 'account-keys')
    throw new BackupFault('this is no backup, only the keys of accounts that belong to backups');
  if (backup.kind === 'streams') return backup;
  const isWithoutKeys = backup.kind === 'database-without-keys';
  const source = keySource({ created_at: backup.created_at, isWithoutKeys }, stored);
  if (source === 'missing' && !acceptsLostKeys)
    throw new BackupFault(
      `the backup lacks the keys of its accounts, which are in the bucket (${ACCOUNT_KEYS_NAME}). Use ` +
        '--from-bucket. If they are lost there, --accept-lost-keys restores everything else: nothing can ' +
        'read encrypted emails then',
    );
  return stored && source === 'bucket' ? exchanged(backup, stored) : backup;
}

/** Keys of the file are left out, those of the bucket follow. */
function exchanged(backup: Backup, stored: StoredKeys): Backup {
  const { documents } = backup.contents;
  async function* entries(): AsyncGenerator<Entry> {
    for await (const entry of backup.entries) if (entry.name !== KEY_DOCUMENT) yield entry;
    delete documents[ACCOUNT_KEYS];
    for await (const entry of stored.entries()) {
      countDocument(documents, ACCOUNT_KEYS);
      yield entry;
    }
  }
  return { ...backup, entries: entries() };
}
