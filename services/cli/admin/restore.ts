/**
 * `inlet admin restore`: reads the whole backup into staged collections, and exchanges everything when
 * it has proved to be authentic. A restore that was killed can be undone (docs/backup-and-restore.md).
 */
import {
  createDocumentWriter,
  occupiedCollection,
  replacedStreams,
  type StagedEntries,
  stagedStreams,
  switchCollections,
  undoRestore,
} from '../../adapters/mongo/restore.ts';
import type { Nats } from '../../adapters/stream/connection.ts';
import {
  deleteStreams,
  existingStreamNames,
  restoreSnapshot,
  type SnapshotHead,
  type SnapshotWriter,
} from '../../adapters/stream/snapshots.ts';
import { Failure, usageFault } from '../failure.ts';
import type { Terminal } from '../terminal.ts';
import { readArchive } from './archive.ts';
import { connected, streamEntries } from './backup.ts';
import {
  type Backup,
  backupKeys,
  type Contents,
  DOCUMENT,
  openBackup,
  parsed,
  STREAM,
} from './backup-file.ts';
import type { Database } from './database.ts';

export type RestoreOptions = {
  withoutMail?: boolean;
  replace?: boolean;
  moveNamespace?: string[];
  unsigned?: boolean;
  undo?: boolean;
};

/** What a restore changes. Without `nats`, streams stay as they are. */
export type Installation = {
  mongo: Pick<Database['mongo'], 'db'>;
  nats: Pick<Nats, 'connection'> | undefined;
};

export async function restore(
  database: Database,
  terminal: Terminal,
  options: RestoreOptions,
): Promise<({ created_at: string } & Contents) | { undone: true }> {
  const { withoutMail = false, replace = false, moveNamespace = [], unsigned = false } = options;
  await using nats = withoutMail ? undefined : await connected(database);
  const installation = { mongo: database.mongo, nats };
  if (options.undo) {
    await undo(installation);
    return { undone: true };
  }
  if (terminal.isInputInteractive) throw usageFault('give the backup on standard input');
  const namespaces = new Map(moveNamespace.map(namespacePair));
  const archive = readArchive(terminal.byteInput());
  const backup = await openBackup(archive, backupKeys(database.env), unsigned);
  await undo(installation); // of an earlier restore that was killed
  if (!replace) await requireEmpty(installation);
  await replaceInstallation(installation, backup, namespaces);
  return { created_at: backup.created_at, ...backup.contents };
}

/** All of the installation is that of the backup afterwards, or, if it fails, what it was. */
export async function replaceInstallation(
  { mongo, nats }: Installation,
  { entries }: Pick<Backup, 'entries'>,
  namespaces: ReadonlyMap<string, string>,
): Promise<void> {
  const [coming, former] = [stagedStreams(mongo), replacedStreams(mongo)];
  try {
    const documents = createDocumentWriter(mongo, namespaces);
    for await (const { name, bytes } of entries)
      if (name.startsWith(DOCUMENT))
        await documents.add({ collection: name.slice(DOCUMENT.length), bson: bytes });
      else if (nats) await coming.add(name, bytes);
    await documents.end();
    if (nats)
      for await (const { name, bytes } of streamEntries(nats)) await former.add(name, bytes);
    await switchCollections(mongo, nats !== undefined, async () => {
      if (nats) await replaceStreams(nats, coming);
    });
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
async function requireEmpty({ mongo, nats }: Installation): Promise<void> {
  const collection = await occupiedCollection(mongo);
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
