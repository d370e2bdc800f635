/**
 * A restore in MongoDB. Documents go to staged collections first, then names are exchanged. Until the
 * end, the former collections exist, and `undoRestore` brings them back, whenever a restore was killed.
 */
import { Binary, BSON, type Document } from 'mongodb';

import type { StoredDocument } from './backup.ts';
import { BACKED_UP, COLLECTIONS } from './collections.ts';
import type { Mongo } from './connection.ts';

type Database = Pick<Mongo, 'db'>;

const STAGED = 'restoring_';
export const stagedName = (collection: string): string => STAGED + collection;
const REPLACED = 'replaced_';

const STATE = 'restore_state';
type State = {
  _id: 'restore';
  /** `switching`: names and streams are being exchanged. `done`: what was replaced is not needed. */
  phase: 'switching' | 'done';
  /** Collections that existed before. */
  former: string[];
  /** Whether the streams are replaced, too. */
  withStreams: boolean;
};

async function collectionNames({ db }: Database): Promise<string[]> {
  const found = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  return found.map(({ name }) => name).toSorted();
}

/** A collection that a restore would write to, although it has documents. */
export async function occupiedCollection({ db }: Database): Promise<string | undefined> {
  for (const name of BACKED_UP)
    if ((await db.collection(name).findOne({}, { projection: { _id: 1 } })) !== null) return name;
  return undefined;
}

async function dropAll(mongo: Database, prefix: string): Promise<void> {
  for (const name of await collectionNames(mongo))
    if (name.startsWith(prefix)) await mongo.db.collection(name).drop();
}

/** Entries of streams in their order, next to the collections. */
export type StagedEntries = {
  add(name: string, bytes: Uint8Array): Promise<void>;
  read(): AsyncGenerator<{ name: string; bytes: Uint8Array }>;
};

function entriesIn({ db }: Database, collection: string): StagedEntries {
  const entries = db.collection<{ _id: number; name: string; bytes: Binary }>(collection);
  let next = 0;
  return {
    add: async (name, bytes) =>
      void (await entries.insertOne({ _id: next++, name, bytes: new Binary(bytes) })),
    read: async function* read() {
      for await (const { name, bytes } of entries.find({}, { sort: { _id: 1 } }))
        yield { name, bytes: bytes.buffer };
    },
  };
}

/** Streams of the backup, and those that they replace. */
export const stagedStreams = (mongo: Database): StagedEntries =>
  entriesIn(mongo, `${STAGED}streams`);
export const replacedStreams = (mongo: Database): StagedEntries =>
  entriesIn(mongo, `${REPLACED}streams`);

/**
 * Gives the staged collections their names.
 * @param switchStreams runs when all collections are those of the backup
 */
export async function switchCollections(
  mongo: Database,
  withStreams: boolean,
  switchStreams: () => Promise<void>,
): Promise<void> {
  const { db } = mongo;
  const names = await collectionNames(mongo);
  const former = COLLECTIONS.filter((name) => names.includes(name));
  const state = db.collection<State>(STATE);
  await state.insertOne({ _id: 'restore', phase: 'switching', former, withStreams });
  for (const name of former) await db.collection(name).rename(`${REPLACED}${name}`);
  for (const name of BACKED_UP)
    if (names.includes(`${STAGED}${name}`)) await db.collection(`${STAGED}${name}`).rename(name);
  await switchStreams();
  await finishSwitch(mongo);
}

/** The same for a restore of the streams, which leaves the collections as they are. */
export async function switchStreamsOnly(
  mongo: Database,
  switchStreams: () => Promise<void>,
): Promise<void> {
  await mongo.db.collection<State>(STATE).insertOne({
    _id: 'restore',
    phase: 'switching',
    former: [...COLLECTIONS], // so that undoing it drops none
    withStreams: true,
  });
  await switchStreams();
  await finishSwitch(mongo);
}

async function finishSwitch(mongo: Database): Promise<void> {
  const state = mongo.db.collection<State>(STATE);
  await state.updateOne({ _id: 'restore' }, { $set: { phase: 'done' } });
  await undoRestore(mongo, () => Promise.resolve());
}

/**
 * Brings back what a restore that was killed has replaced, and removes what it left. Without one it
 * does nothing.
 * @param restoreStreams brings back the former streams; called before their copy is deleted
 */
export async function undoRestore(
  mongo: Database,
  restoreStreams: () => Promise<void>,
): Promise<void> {
  const { db } = mongo;
  const state = await db.collection<State>(STATE).findOne();
  if (state?.phase === 'switching') {
    const names = await collectionNames(mongo);
    for (const name of COLLECTIONS) {
      const wasReplaced = names.includes(`${REPLACED}${name}`);
      if (wasReplaced) await db.collection(`${REPLACED}${name}`).rename(name, { dropTarget: true });
      else if (!state.former.includes(name) && names.includes(name))
        await db.collection(name).drop();
    }
    if (state.withStreams) await restoreStreams();
  }
  if (state?.phase === 'switching')
    await db.collection<State>(STATE).updateOne({ _id: 'restore' }, { $set: { phase: 'done' } });
  await dropAll(mongo, STAGED);
  await dropAll(mongo, REPLACED);
  await dropAll(mongo, STATE);
}

/** Prefix of a drill's collections: a restore neither sees nor removes them. */
const DRILL = 'drill_';

/** Writes documents for a drill, first removing those of one that was killed. */
export async function createDrillWriter(mongo: Database): Promise<DocumentWriter> {
  await endDrill(mongo);
  return createDocumentWriter(mongo, new Map(), DRILL);
}

/** Number of documents that a drill has written, of each collection. */
export async function drilledDocuments(mongo: Database): Promise<Record<string, number>> {
  const names = await collectionNames(mongo);
  const counts: Record<string, number> = {};
  for (const name of BACKED_UP)
    if (names.includes(DRILL + name))
      counts[name] = await mongo.db.collection(DRILL + name).countDocuments();
  return counts;
}

export const endDrill = (mongo: Database): Promise<void> => dropAll(mongo, DRILL);

export type DocumentWriter = {
  add(document: StoredDocument): Promise<void>;
  /** Writes what is left. */
  end(): Promise<void>;
};

const BATCH = { documents: 500, bytes: 2 * 1024 * 1024 };

/**
 * Writes to the staged collections.
 * @param namespaces Kubernetes namespaces of resources and the ones that replace them in records
 */
export function createDocumentWriter(
  { db }: Pick<Mongo, 'db'>,
  namespaces: ReadonlyMap<string, string>,
  prefix = STAGED,
): DocumentWriter {
  let batch: Document[] = [];
  let bytes = 0;
  let target = '';

  async function flush(): Promise<void> {
    if (batch.length > 0)
      await db.collection(`${prefix}${target}`).insertMany(batch, { ordered: false });
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
