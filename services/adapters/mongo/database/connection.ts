/** The MongoDB connection of a process, and the indexes of its collections. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CreateIndexesOptions, type Db, type IndexDescription, MongoClient } from 'mongodb';
import { z } from 'zod';

import { MONGODB } from '../../../core/network/deadlines.ts';
import { connectOptions } from '../../dns/sockets.ts';
import { causeChain, type Log } from '../../process/log.ts';
import { isTemporary, unlessNoIndex } from './errors.ts';

export const MongoConfig = {
  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://')
    .default('mongodb://127.0.0.1:27017/inlet')
    .describe('URI of the MongoDB replica set; the default database is `inlet`'),
  MONGODB_CA_FILE: z
    .string()
    .optional()
    .describe('PEM file with the certificate authority of the servers, which then must use TLS'),
};

/** A connection to MongoDB. Disposing it closes it. */
export type Mongo = AsyncDisposable & {
  client: MongoClient;
  db: Db;
  /** Rejects when no primary responds within about two seconds. */
  ping(): Promise<void>;
  /** The clock of the server. */
  time(): Promise<Date>;
  /** The version of the server that answers. */
  version(): Promise<string>;
  /** Whether the last heartbeat (every two seconds) found a server that accepts writes. */
  isConnected: () => boolean;
};

/**
 * The indexes of one collection. `former` names indexes of earlier releases that must be dropped.
 */
export type CollectionIndexes = {
  collection: string;
  indexes: IndexDescription[];
  former?: readonly string[];
};

const DEFAULT_DATABASE = 'inlet';
const FIRST_CONNECT_MS = 60_000;
const AWAY_PAUSE_MS = 500;
/** A large collection takes minutes. Meanwhile, a service is alive, but not ready. */
const INDEXES_WITHIN_MS = 3_600_000;
const SLOW_INDEXES_MS = 5_000;

/** Connects with the settings of a process. */
export const openMongo = (
  { MONGODB_URI, MONGODB_CA_FILE }: { MONGODB_URI: string; MONGODB_CA_FILE?: string | undefined },
  log: Log,
): Promise<Mongo> => connectMongo(MONGODB_URI, log, { caFile: MONGODB_CA_FILE });

/**
 * Connects, with retries for a minute: the server and its users may be created at the same time.
 * With `withinMs: 0` there is one attempt, which takes about two seconds when it fails.
 */
export async function connectMongo(
  uri: string,
  log: Log,
  { withinMs = FIRST_CONNECT_MS, caFile }: { withinMs?: number; caFile?: string | undefined } = {},
): Promise<Mongo> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    // After a failed first connect, a client reports only "Topology is closed". Each try uses a new
    // client.
    const client = new MongoClient(uri, {
      appName: 'inlet',
      // What a failover could take back is neither read nor taken for written (D288).
      readConcernLevel: 'majority',
      w: 'majority',
      ...MONGODB,
      ...connectOptions(MONGODB.connectTimeoutMS),
      ...(caFile !== undefined && { tls: true, tlsCAFile: caFile }),
    });
    let connected = false;
    client.on('topologyDescriptionChanged', ({ newDescription }) => {
      connected = [...newDescription.servers.values()].some(({ isWritable }) => isWritable);
    });
    try {
      await client.connect();
      const db = client.db(databaseOf(uri));
      const ping = async () => void (await db.command({ ping: 1 }));
      await ping();
      return {
        client,
        db,
        ping,
        time: async () => (await db.command({ hello: 1 })).localTime as Date,
        version: async () => (await db.command({ buildInfo: 1 })).version as string,
        isConnected: () => connected,
        [Symbol.asyncDispose]: () => client.close(),
      };
    } catch (cause) {
      await client.close();
      if (!isTemporary(cause) || performance.now() > deadline)
        throw new Error('connect to MongoDB', { cause });
      log.warn('mongodb.awaited', { reason: causeChain(cause) });
      await sleep(AWAY_PAUSE_MS);
    }
  }
}

/**
 * Creates missing indexes, then drops former ones; others are not touched. Several processes may do
 * this at the same time: MongoDB builds an index once. A build continues in MongoDB when this
 * process or the primary stops, and the next call waits for its end.
 * @param withinMs how long to wait for builds, and for a MongoDB that is away
 */
export async function ensureIndexes(
  db: Db,
  collections: readonly CollectionIndexes[],
  {
    withinMs = INDEXES_WITHIN_MS,
    log,
  }: { withinMs?: number; log?: Pick<Log, 'info' | 'warn'> } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (const wanted of collections) {
    const { collection } = wanted;
    const report = () => log?.info('indexes.awaited', { collection });
    const slow = setTimeout(report, SLOW_INDEXES_MS).unref();
    try {
      await repeatWhileAway(() => ensureIndexesOf(db, wanted, deadline), deadline, log);
    } catch (cause) {
      throw new Error(`create the indexes of ${collection}`, { cause });
    } finally {
      clearTimeout(slow);
    }
  }
}

async function ensureIndexesOf(
  db: Db,
  { collection, indexes, former = [] }: CollectionIndexes,
  deadline: number,
): Promise<void> {
  // The driver's `timeoutMS` has no effect. Its types lack this option, which replaces the limit of
  // the connection for one command. When the server is lost, the heartbeat ends the command.
  const options: CreateIndexesOptions & { socketTimeoutMS: number } = {
    socketTimeoutMS: Math.max(1, Math.round(deadline - performance.now())),
  };
  await db.collection(collection).createIndexes(indexes, options);
  for (const name of former) await db.collection(collection).dropIndex(name).catch(unlessNoIndex);
}

async function repeatWhileAway(
  work: () => Promise<void>,
  deadline: number,
  log?: Pick<Log, 'warn'>,
): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTemporary(error) || performance.now() > deadline) throw error;
      log?.warn('mongodb.awaited', { reason: causeChain(error) });
      await sleep(AWAY_PAUSE_MS);
    }
  }
}

export function databaseOf(uri: string): string {
  const named = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(uri)?.[1];
  return named === undefined ? DEFAULT_DATABASE : decodeURIComponent(named);
}
