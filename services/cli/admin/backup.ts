/**
 * `inlet admin backup` and `inlet admin restore`: MongoDB and the streams as one file, which is
 * written to standard output and read from standard input (docs/backup-and-restore.md).
 */
import { z } from 'zod';

import { withDeadline } from '../../adapters/async/deadline.ts';
import {
  createDocumentWriter,
  emptyDatabase,
  occupiedCollection,
  readDocuments,
  SnapshotTooOldError,
} from '../../adapters/mongo/backup.ts';
import { createSecretBox, type SecretBox, SecretsConfig } from '../../adapters/mongo/secrets.ts';
import { readConfig } from '../../adapters/process/config.ts';
import { createLog } from '../../adapters/process/log.ts';
import {
  connectNats,
  type Nats,
  NatsConfig,
  natsOptions,
} from '../../adapters/stream/connection.ts';
import {
  deleteStreams,
  existingStreamNames,
  restoreSnapshot,
  type SnapshotHead,
  type SnapshotWriter,
  takeSnapshot,
} from '../../adapters/stream/snapshots.ts';
import { ExitCode, Failure, usageFault } from '../failure.ts';
import type { Terminal } from '../terminal.ts';
import { type Entry, readArchive, writeArchive } from './archive.ts';
import type { Database } from './database.ts';

/** The file begins with `HEAD` and ends with `END`. A `STREAM` is followed by its chunks. */
const HEAD = 'inlet-backup';
const DOCUMENT = 'document/';
const STREAM = 'stream';
const CHUNK = 'chunk';
const END = 'end';
const FORMAT = 1;
const KEY_CHECK = 'inlet backup';
const CONNECT_WITHIN_MS = 4_000;

type Head = { format: number; created_at: string; key_check: string };
/** How much a backup has, by collection and by stream. */
type Contents = { documents: Record<string, number>; messages: Record<string, number> };
export type BackupOptions = { withoutMail?: boolean };
export type RestoreOptions = BackupOptions & { replace?: boolean; moveNamespace?: string[] };

export async function backUp(
  database: Database,
  terminal: Terminal,
  { withoutMail = false }: BackupOptions,
): Promise<Contents> {
  if (terminal.isInteractive)
    throw usageFault('the backup is not text: redirect standard output to a file');
  const contents: Contents = { documents: {}, messages: {} };
  await using nats = withoutMail ? undefined : await connected(database);
  try {
    await writeArchive(entriesOf(database, nats, contents), terminal.byteOutput());
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

async function* entriesOf(
  { mongo, env }: Database,
  nats: Nats | undefined,
  { documents, messages }: Contents,
): AsyncGenerator<Entry> {
  const created_at = new Date().toISOString();
  const key_check = secretBoxOf(env).seal(KEY_CHECK, HEAD);
  yield json(HEAD, { format: FORMAT, created_at, key_check } satisfies Head);
  for await (const { collection, bson } of readDocuments(mongo)) {
    documents[collection] = (documents[collection] ?? 0) + 1;
    yield { name: `${DOCUMENT}${collection}`, bytes: bson };
  }
  // After MongoDB: an email that is in both is delivered again with the same event_id, and one that
  // arrives in between is in the streams at least.
  for (const stream of nats ? await existingStreamNames(nats) : []) {
    if (nats === undefined) break;
    const { head, chunks } = await takeSnapshot(nats, stream);
    messages[stream] = head.state.messages;
    yield json(STREAM, head);
    for await (const bytes of chunks) yield { name: CHUNK, bytes };
  }
  yield json(END, { documents, messages });
}

export async function restore(
  database: Database,
  terminal: Terminal,
  { withoutMail = false, replace = false, moveNamespace = [] }: RestoreOptions,
): Promise<{ created_at: string } & Contents> {
  if (terminal.isInputInteractive) throw usageFault('give the backup on standard input');
  const namespaces = new Map(moveNamespace.map(namespacePair));
  const { mongo, env } = database;
  await using nats = withoutMail ? undefined : await connected(database);
  const entries = readArchive(terminal.byteInput());
  const { created_at } = headOf(
    (await entries.next()).value as Entry | undefined,
    secretBoxOf(env),
  );
  await requireRoom(database, nats, replace);
  const contents: Contents = { documents: {}, messages: {} };
  const documents = createDocumentWriter(mongo, namespaces);
  let stream: SnapshotWriter | undefined;
  let isComplete = false;
  for await (const { name, bytes } of entries) {
    if (name !== CHUNK) {
      await stream?.end();
      stream = undefined;
    }
    if (name.startsWith(DOCUMENT)) {
      const collection = name.slice(DOCUMENT.length);
      contents.documents[collection] = (contents.documents[collection] ?? 0) + 1;
      await documents.add({ collection, bson: bytes });
    } else if (name === STREAM && nats !== undefined) {
      const head = parsed(bytes) as SnapshotHead;
      contents.messages[head.config.name] = head.state.messages;
      stream = await restoreSnapshot(nats, head);
    } else if (name === CHUNK) await stream?.add(bytes);
    else if (name === END) isComplete = true;
  }
  await documents.end();
  if (!isComplete)
    throw new Failure('the backup is cut off. What it has was restored; repeat with --replace');
  return { created_at, ...contents };
}

/** @throws Failure when there is something that a restore would mix with */
async function requireRoom(
  { mongo }: Database,
  nats: Nats | undefined,
  replace: boolean,
): Promise<void> {
  if (replace) {
    await emptyDatabase(mongo);
    if (nats) await deleteStreams(nats);
    return;
  }
  const collection = await occupiedCollection(mongo);
  const [stream] = nats ? await existingStreamNames(nats) : [];
  const occupied = collection ? `the collection ${collection}` : stream && `the stream ${stream}`;
  if (occupied)
    throw new Failure(
      `${occupied} exists. Restore into an empty installation, or use --replace to delete ` +
        'everything that Inlet has stored',
    );
}

function headOf(entry: Entry | undefined, secrets: SecretBox): Head {
  if (entry?.name !== HEAD) throw new Failure('the input is no backup of Inlet');
  const head = parsed(entry.bytes) as Head;
  if (head.format !== FORMAT)
    throw new Failure(`this version of Inlet cannot read format ${head.format} of a backup`);
  try {
    secrets.open(head.key_check, HEAD);
  } catch (cause) {
    throw new Failure(
      'SECRET_KEYS lacks the key of this backup, without which no webhook secret can be read. ' +
        'Restore the Secret with the keys first',
      ExitCode.failed,
      { cause },
    );
  }
  return head;
}

function namespacePair(text: string): [string, string] {
  const [from, to, ...more] = text.split('=');
  if (from && to && more.length === 0) return [from, to];
  throw usageFault(`"${text}" is not FORMER=NEW, two namespaces`);
}

const secretBoxOf = (env: NodeJS.ProcessEnv) =>
  createSecretBox(readConfig(z.object(SecretsConfig), env).SECRET_KEYS);

async function connected({ env }: Database): Promise<Nats> {
  const options = natsOptions(readConfig(z.object(NatsConfig), env), 'admin');
  const connecting = connectNats(options, createLog('silent'));
  return withDeadline(CONNECT_WITHIN_MS, connecting, 'no answer').catch((cause: unknown) => {
    throw new Failure(
      `NATS at ${options.url.replaceAll(/\/\/[^@/,]*@/g, '//')} is not available. ` +
        '--without-mail leaves its streams out',
      ExitCode.unreachable,
      { cause },
    );
  });
}

const json = (name: string, value: object): Entry => ({
  name,
  bytes: Buffer.from(JSON.stringify(value)),
});
const parsed = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString());
