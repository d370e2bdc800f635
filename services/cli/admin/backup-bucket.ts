/** Backups in the operator's bucket: store, list, read, and try one (docs/backup-and-restore.md). */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';

import type { BackupFiles } from '../../adapters/bucket/backup-files.ts';
import { BucketFault } from '../../adapters/bucket/bucket-client.ts';
import { readConfig } from '../../adapters/process/config.ts';
import {
  backupName,
  backupNamed,
  expired,
  type StoredBackup,
  withBackup,
  withDrill,
} from '../../core/backup/backup-index.ts';
import { BackupConfig, openBackups } from '../../platform/settings/backups.ts';
import { Failure, notFoundFault, usageFault } from '../terminal/failure.ts';
import { type BackupOptions, writeBackup } from './backup.ts';
import { storedKeys, type StoredKeys, storeKeys } from '../../platform/backup/account-keys.ts';
import { backupKeys } from '../../platform/backup/backup-file.ts';
import type { Database } from './database.ts';
import { encryptedOutput } from '../../platform/backup/encrypted-file.ts';

export async function storeBackup(
  database: Database,
  { keep, ...options }: BackupOptions & { keep: number },
): Promise<StoredBackup & { removed: string[] }> {
  const keys = backupKeys(database.env);
  return inBucket(database.env, async (files) => {
    await storedKeys(files, keys); // a backup whose keys cannot be stored is not begun
    const begun = new Date();
    const backup: StoredBackup = {
      name: backupName(begun),
      created_at: begun.toISOString(),
      state: 'storing',
      size_bytes: 0,
      sha256: '',
      duration_seconds: 0,
      contents: { documents: {}, messages: {} },
      restored_at: null,
    };
    // a file is in the list before it is in the bucket, so that one that is cut off is removed later
    await files.writeIndex(withBackup(await files.readIndex(true), backup));
    const { content, written } = encryptedOutput(
      (output) => writeBackup(database, output, options, true),
      keys,
    );
    const [file, contents] = await Promise.all([files.write(backup.name, content), written]);
    await storeKeys(database, files); // after the file, so that they are those of all its accounts
    const duration_seconds = (Date.now() - begun.getTime()) / 1_000;
    const done: StoredBackup = { ...backup, ...file, state: 'stored', duration_seconds, contents };
    const { index, removed } = expired(withBackup(await files.readIndex(), done), keep, new Date());
    for (const { name } of removed) await files.remove(name);
    await files.writeIndex(index);
    return { ...done, removed: removed.map(({ name }) => name) };
  });
}

export const listBackups = ({ env }: Pick<Database, 'env'>): Promise<StoredBackup[]> =>
  inBucket(env, async (files) => (await files.readIndex()).backups);

/**
 * Calls `use` with the bytes of a stored backup, and the keys of accounts that the bucket has.
 * @param name of the list, or `latest`
 * @param isDrill notes in the list that this backup has been restored
 */
export const withStoredBackup = <T>(
  { env }: Pick<Database, 'env'>,
  name: string,
  isDrill: boolean,
  use: (input: Readable, stored: StoredKeys | undefined) => Promise<T>,
): Promise<T & { name: string }> =>
  inBucket(env, async (files) => {
    const backup = backupNamed(await files.readIndex(), name);
    if (backup === undefined) throw notFoundFault(`backup in the bucket: ${name}`);
    const stored = await storedKeys(files, backupKeys(env));
    const input = Readable.from(unchanged(files.read(backup.name), backup), { objectMode: false });
    const result = await use(input, stored);
    if (isDrill)
      await files.writeIndex(withDrill(await files.readIndex(), backup.name, new Date()));
    return { name: backup.name, ...result };
  });

/** The bytes, as long as they are those that the list has: another backup is also signed. @throws Failure */
async function* unchanged(
  content: AsyncIterable<Uint8Array>,
  { name, sha256 }: StoredBackup,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
  if (hash.digest('hex') !== sha256)
    throw new Failure(`${name} was changed: its SHA-256 is not that of the list`);
}

/** @throws Failure */
async function inBucket<T>(
  env: NodeJS.ProcessEnv,
  use: (files: BackupFiles) => Promise<T>,
): Promise<T> {
  await using files = await openBackups(readConfig(z.object(BackupConfig), env), backupKeys(env));
  if (files === undefined)
    throw usageFault('set BACKUP_BUCKET, BACKUP_ACCESS_KEY_ID and BACKUP_SECRET_ACCESS_KEY');
  try {
    return await use(files);
  } catch (cause) {
    // its message says its causes
    throw cause instanceof BucketFault ? new Failure(`the bucket: ${cause.message}`) : cause;
  }
}
