/**
 * `inlet admin backup`: MongoDB and the streams as one file, which is written to standard output
 * (docs/backup-and-restore.md).
 */
import { createReadStream } from 'node:fs';
import { Readable, type Writable } from 'node:stream';
import { z } from 'zod';

import { withDeadline } from '../../adapters/async/deadline.ts';
import { ACCOUNT_KEYS } from '../../adapters/mongo/account/account-keys.ts';
import { hasKeyDocuments } from '../../adapters/mongo/account/key-documents.ts';
import { readDocuments, SnapshotTooOldError } from '../../adapters/mongo/database/backup.ts';
import { readConfig } from '../../adapters/process/config.ts';
import { createLog } from '../../adapters/process/log.ts';
import {
  connectNats,
  type Nats,
  NatsConfig,
  natsOptions,
} from '../../adapters/stream/connection/connection.ts';
import { existingStreamNames, takeSnapshot } from '../../adapters/stream/snapshots.ts';
import { ExitCode, Failure, usageFault } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Entry, readEntries, writeEntries } from '../../platform/backup/entry-file.ts';
import {
  backupKeys,
  type BackupKind,
  CHUNK,
  type Contents,
  countDocument,
  DOCUMENT,
  json,
  openBackup,
  signedEntries,
  STREAM,
} from '../../platform/backup/backup-file.ts';
import type { Database } from './database.ts';
import { decrypted } from '../../platform/backup/encrypted-file.ts';

export type BackupOptions = {
  withoutMail?: boolean;
  /** The streams without the database: they move to other NATS servers (docs/upgrade.md). */
  onlyMail?: boolean;
};

export async function backUp(
  database: Database,
  terminal: Terminal,
  options: BackupOptions,
): Promise<Contents> {
  if (terminal.isInteractive)
    throw usageFault('the backup is not text: redirect standard output to a file');
  return writeBackup(database, terminal.byteOutput(), options);
}

/**
 * @param output stays open
 * @param isInBucket the keys of accounts are not in the file, but next to it
 * @returns what the backup has
 */
export async function writeBackup(
  database: Database,
  output: Writable,
  { withoutMail = false, onlyMail = false }: BackupOptions,
  isInBucket = false,
): Promise<Contents> {
  if (withoutMail && onlyMail)
    throw usageFault('--without-mail and --only-mail leave nothing to back up');
  const contents: Contents = { documents: {}, messages: {} };
  await using nats = withoutMail ? undefined : await connected(database);
  const entries =
    onlyMail && nats
      ? streamEntries(nats, contents.messages)
      : entriesOf(database, nats, contents, isInBucket ? ACCOUNT_KEYS : undefined);
  const kind = onlyMail ? 'streams' : await databaseKind(database, isInBucket);
  try {
    await writeEntries(signedEntries(entries, contents, backupKeys(database.env), kind), output);
  } catch (cause) {
    if (!(cause instanceof SnapshotTooOldError)) throw cause;
    throw new Failure(
      `${cause.message}. Raise its parameter minSnapshotHistoryWindowInSeconds (default 300), or ` +
        'take snapshots of your MongoDB instead',
      ExitCode.failed,
      { cause },
    );
  }
  return contents;
}

/** Without keys of accounts, earlier releases can restore the file of a bucket. */
const databaseKind = async ({ mongo }: Database, isInBucket: boolean): Promise<BackupKind> =>
  isInBucket && (await hasKeyDocuments(mongo.db)) ? 'database-without-keys' : 'database';

async function* entriesOf(
  { mongo }: Database,
  nats: Nats | undefined,
  { documents, messages }: Contents,
  without: string | undefined,
): AsyncGenerator<Entry> {
  for await (const { collection, bson } of readDocuments(mongo, without)) {
    countDocument(documents, collection);
    yield { name: `${DOCUMENT}${collection}`, bytes: bson };
  }
  // After MongoDB: an email that is in both is delivered again with the same event_id, and one that
  // arrives in between is in the streams at least.
  if (nats) yield* streamEntries(nats, messages);
}

/** @param messages is filled with their numbers */
export async function* streamEntries(
  nats: Pick<Nats, 'connection'>,
  messages: Record<string, number> = {},
): AsyncGenerator<Entry> {
  for (const stream of await existingStreamNames(nats)) {
    const { head, chunks } = await takeSnapshot(nats, stream);
    messages[stream] = head.state.messages;
    yield json(STREAM, head);
    for await (const bytes of chunks) yield { name: CHUNK, bytes };
  }
}

/** Reads a file without restoring it. @throws Failure when it could not be restored */
export async function verifyBackup(
  { env }: Pick<Terminal, 'env'>,
  file: string,
  isTrusted: boolean,
): Promise<{ created_at: string } & Contents> {
  const keys = backupKeys(env);
  const stored = readEntries(Readable.from(decrypted(createReadStream(file), keys)));
  const { created_at, contents, entries } = await openBackup(stored, keys, isTrusted);
  for await (const _ of entries); // the last one proves all
  return { created_at, ...contents };
}

export async function connected({
  env,
  withinMs,
}: Pick<Database, 'env' | 'withinMs'>): Promise<Nats> {
  const options = natsOptions(readConfig(z.object(NatsConfig), env), 'admin');
  const connecting = connectNats(options, createLog('silent'));
  return withDeadline(withinMs, connecting, 'no answer').catch((cause: unknown) => {
    throw new Failure(
      `NATS at ${options.url.replaceAll(/\/\/[^@/,]*@/g, '//')} is not available. ` +
        '--without-mail leaves its streams out',
      ExitCode.unreachable,
      { cause },
    );
  });
}
