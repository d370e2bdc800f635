/**
 * `inlet admin restore`: reads the whole backup into staged collections, and exchanges everything when
 * it has proved to be authentic. A restore that was killed can be undone (docs/backup-and-restore.md).
 */
import { Readable } from 'node:stream';

import { ACCOUNT_KEYS } from '../../adapters/mongo/account/account-keys.ts';
import { keepKeys, replaceLostKeys } from '../../adapters/mongo/account/key-documents.ts';
import {
  createDocumentWriter,
  createDrillWriter,
  type DocumentWriter,
  drilledDocuments,
  endDrill,
  occupiedCollection,
  replacedStreams,
  type StagedEntries,
  stagedName,
  stagedStreams,
  switchCollections,
  switchStreamsOnly,
  undoRestore,
} from '../../adapters/mongo/database/restore.ts';
import { createSecretBox } from '../../adapters/mongo/database/secrets.ts';
import type { Nats } from '../../adapters/stream/connection/connection.ts';
import {
  deleteStreams,
  existingStreamNames,
  restoreSnapshot,
  type SnapshotHead,
  type SnapshotWriter,
} from '../../adapters/stream/snapshots.ts';
import { Failure, usageFault } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readEntries } from '../../platform/backup/entry-file.ts';
import { connected, streamEntries } from './backup.ts';
import { type StoredKeys, withKeys } from '../../platform/backup/account-keys.ts';
import {
  type Backup,
  backupKeys,
  type Contents,
  DOCUMENT,
  openBackup,
  parsed,
  STREAM,
} from '../../platform/backup/backup-file.ts';
import type { Database } from './database.ts';
import { decrypted } from '../../platform/backup/encrypted-file.ts';

export type RestoreOptions = {
  withoutMail?: boolean;
  replace?: boolean;
  moveNamespace?: string[];
  unsigned?: boolean;
  undo?: boolean;
  /** A backup of the bucket, instead of standard input. */
  fromBucket?: string;
  /** Changes nothing: restores into collections of other names, and removes them. */
  drill?: boolean;
  /** A backup of a bucket whose keys of accounts are missing. */
  acceptLostKeys?: boolean;
};

/** What a restore changes. Without `nats`, streams stay as they are. */
type Installation = {
  mongo: Pick<Database['mongo'], 'db'>;
  nats: Pick<Nats, 'connection'> | undefined;
};

type Restored = { created_at: string } & Contents;

export async function restore(
  database: Database,
  terminal: Terminal,
  options: RestoreOptions,
): Promise<(Restored & { name?: string }) | { undone: true }> {
  const { undo: isUndo = false, drill = false, fromBucket } = options;
  if (isUndo) {
    await using nats = await natsOf(database, options);
    await undo({ mongo: database.mongo, nats });
    return { undone: true };
  }
  const act = drill ? tryRestore : restoreFrom;
  if (fromBucket !== undefined) {
    const { withStoredBackup } = await import('./backup-bucket.ts');
    return withStoredBackup(database, fromBucket, drill, (input, stored) =>
      act(database, input, options, stored),
    );
  }
  if (terminal.isInputInteractive)
    throw usageFault('give the backup on standard input, or use --from-bucket');
  return act(database, terminal.byteInput(), options);
}

/** Without it, a restore leaves the database as it is. */
const hasDatabase = ({ kind }: Pick<Backup, 'kind'>): boolean => kind !== 'streams';

const natsOf = async (database: Database, { withoutMail = false }: RestoreOptions) =>
  withoutMail ? undefined : connected(database);

async function openInput(
  database: Database,
  input: Readable,
  { unsigned = false, acceptLostKeys = false }: RestoreOptions,
  stored?: StoredKeys,
): Promise<Backup> {
  const keys = backupKeys(database.env);
  const file = readEntries(Readable.from(decrypted(input, keys)));
  return withKeys(await openBackup(file, keys, unsigned), stored, acceptLostKeys);
}

async function restoreFrom(
  database: Database,
  input: Readable,
  options: RestoreOptions,
  stored?: StoredKeys,
): Promise<Restored> {
  await using nats = await natsOf(database, options);
  const { mongo } = database;
  const installation = { mongo, nats };
  const namespaces = new Map((options.moveNamespace ?? []).map(namespacePair));
  const backup = await openInput(database, input, options, stored);
  await undo(installation); // of an earlier restore that was killed
  if (!hasDatabase(backup) && nats === undefined)
    throw usageFault('the backup is of the streams only, which --without-mail leaves out');
  if (!options.replace) await requireEmpty(installation, hasDatabase(backup));
  const settleKeys = async () => {
    await keepKeys(mongo.db, stagedName(ACCOUNT_KEYS), createSecretBox(backupKeys(database.env)));
    if (options.acceptLostKeys) await replaceLostKeys(mongo.db, stagedName);
  };
  await replaceInstallation(installation, backup, namespaces, settleKeys);
  return { created_at: backup.created_at, ...backup.contents };
}

/**
 * Reads and verifies the whole file, writes its documents to collections of other names, counts them there, and
 * removes them. The services of the installation may run. Streams are read and verified only.
 */
async function tryRestore(
  database: Database,
  input: Readable,
  options: RestoreOptions,
  stored?: StoredKeys,
): Promise<Restored> {
  const { mongo } = database;
  const { created_at, contents, entries } = await openInput(database, input, options, stored);
  const documents = await createDrillWriter(mongo);
  try {
    await write(entries, documents);
    const written = await drilledDocuments(mongo);
    for (const [collection, number] of Object.entries(contents.documents))
      if (written[collection] !== number)
        throw new Failure(
          `${collection} has ${written[collection] ?? 0} documents after the drill, not ${number}`,
        );
    return { created_at, ...contents };
  } finally {
    await endDrill(mongo);
  }
}

/** Entries of streams are only read without `streams`. */
async function write(
  entries: Backup['entries'],
  documents: DocumentWriter,
  streams?: Pick<StagedEntries, 'add'>,
): Promise<void> {
  for await (const { name, bytes } of entries)
    if (name.startsWith(DOCUMENT))
      await documents.add({ collection: name.slice(DOCUMENT.length), bson: bytes });
    else await streams?.add(name, bytes);
  await documents.end();
}

/**
 * All of the installation is that of the backup afterwards, or, if it fails, what it was.
 * @param settleKeys runs when all collections are staged
 */
export async function replaceInstallation(
  { mongo, nats }: Installation,
  backup: Pick<Backup, 'entries' | 'kind'>,
  namespaces: ReadonlyMap<string, string>,
  settleKeys: () => Promise<void>,
): Promise<void> {
  const [coming, former] = [stagedStreams(mongo), replacedStreams(mongo)];
  try {
    const documents = createDocumentWriter(mongo, namespaces);
    await write(backup.entries, documents, nats && coming);
    if (nats)
      for await (const { name, bytes } of streamEntries(nats)) await former.add(name, bytes);
    const switchStreams = async () => {
      if (nats) await replaceStreams(nats, coming);
    };
    if (hasDatabase(backup)) {
      await settleKeys();
      await switchCollections(mongo, nats !== undefined, switchStreams);
    } else await switchStreamsOnly(mongo, switchStreams);
  } catch (error) {
    await undo({ mongo, nats });
    throw error;
  }
}

/** Without a restore that was killed it does nothing. */
export const undo = ({ mongo, nats }: Installation): Promise<void> =>
  undoRestore(mongo, async () => {
    if (nats === undefined)
      throw new Failure(
        'a restore was killed while it replaced the streams: leave out --without-mail',
      );
    await replaceStreams(nats, replacedStreams(mongo));
  });

async function replaceStreams(
  nats: Pick<Nats, 'connection'>,
  entries: Pick<StagedEntries, 'read'>,
): Promise<void> {
  await deleteStreams(nats);
  let stream: SnapshotWriter | undefined;
  for await (const { name, bytes } of entries.read()) {
    if (name !== STREAM) {
      await stream?.add(bytes);
      continue;
    }
    await stream?.end();
    stream = await restoreSnapshot(nats, parsed(bytes) as SnapshotHead);
  }
  await stream?.end();
}

/** @throws Failure when there is something that a restore would replace */
async function requireEmpty({ mongo, nats }: Installation, withDatabase: boolean): Promise<void> {
  const collection = withDatabase ? await occupiedCollection(mongo) : undefined;
  const [stream] = nats ? await existingStreamNames(nats) : [];
  const occupied = collection ? `the collection ${collection}` : stream && `the stream ${stream}`;
  if (occupied)
    throw new Failure(
      `${occupied} exists. Restore into an empty installation, or use --replace to replace ` +
        'everything that Inlet has stored',
    );
}

function namespacePair(text: string): [string, string] {
  const [from, to, ...more] = text.split('=');
  if (from && to && more.length === 0) return [from, to];
  throw usageFault(`"${text}" is not FORMER=NEW, two namespaces`);
}
