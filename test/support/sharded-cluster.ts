/**
 * A sharded MongoDB without mongos, which no package registry has: a config server and two shards.
 * mongod 6.0 has the routing code of mongos, because a shard can route too. Its commands
 * `clusterFind` and so on are the router's, and `testInternalTransactions` runs a transaction
 * across shards, with the two-phase commit.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, type Document, MongoClient } from 'mongodb';
import { inject } from 'vitest';

import { startProcess } from '../../services/standalone/processes/child-process.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { testDir } from './servers.ts';
import { until } from './until.ts';
import { atMost } from './slowdown.ts';

export type ShardedCluster = AsyncDisposable & {
  /** The primary shard, which holds the collections that are not sharded. */
  primary: Db;
  other: Db;
  shard(collection: string, key: Document): Promise<void>;
  /** Runs a command as mongos would, such as `{ find: 'deliveries', filter }`. */
  route(command: Document): Promise<Document>;
  /** How mongos would find the documents: `SINGLE_SHARD` or `SHARD_MERGE`. */
  routing(collection: string, filter: Document): Promise<string>;
  /** Runs commands in one transaction. Rejects, and writes nothing, if one of them fails. */
  transact(commands: readonly Document[]): Promise<void>;
  /** Transactions that wrote to both shards so far. */
  acrossShards(): Promise<number>;
};

const READY = 23016; // id of mongod's log line
const MAJORITY = { writeConcern: { w: 'majority' } };

export async function startShardedCluster(database = 'inlet'): Promise<ShardedCluster> {
  await using parts = new AsyncDisposableStack();
  const dir = parts.use(await testDir());

  const start = async (name: string, role: '--configsvr' | '--shardsvr') => {
    const port = await freePort();
    const dataDir = join(dir.path, name);
    await mkdir(dataDir);
    const place = ['--dbpath', dataDir, '--bind_ip', '127.0.0.1', '--port', String(port)];
    const set = ['--replSet', name, role, '--nounixsocket'];
    const footprint = ['--oplogSize', '64', '--wiredTigerCacheSizeGB', '0.25'];
    const parameters = ['diagnosticDataCollectionEnabled=false', 'enableTestCommands=1'];
    const child = await startProcess({
      name,
      command: inject('mongodBinary'),
      args: [
        ...place,
        ...set,
        ...footprint,
        ...parameters.flatMap((one) => ['--setParameter', one]),
      ],
      env: {},
      logFile: join(dir.path, `${name}.log`),
    });
    parts.defer(() => child.kill());
    await child.announced(
      (line) => (line.includes(`"id":${READY},`) ? true : undefined),
      atMost(60_000),
    );
    const host = `127.0.0.1:${port}`;
    const client = await new MongoClient(`mongodb://${host}/?directConnection=true`).connect();
    parts.defer(() => client.close());
    const admin = client.db('admin');
    const config = { _id: name, ...(role === '--configsvr' && { configsvr: true }) };
    await admin.command({ replSetInitiate: { ...config, members: [{ _id: 0, host }] } });
    await until(`${name} is primary`, async () => {
      const { isWritablePrimary } = await admin.command({ hello: 1 });
      return isWritablePrimary === true || undefined;
    });
    return { name, host, admin, db: client.db(database) };
  };

  const [config, one, two] = await Promise.all([
    start('config', '--configsvr'),
    start('one', '--shardsvr'),
    start('two', '--shardsvr'),
  ]);
  for (const { name, host } of [one, two])
    await config.admin.command({ _configsvrAddShard: `${name}/${host}`, name, ...MAJORITY });
  const { databaseVersion } = await config.admin.command({
    _configsvrCreateDatabase: database,
    primaryShardId: one.name,
    ...MAJORITY,
  });

  const route = (command: Document) => one.db.command(asRouter(command));
  const running = parts.move();
  return {
    primary: one.db,
    other: two.db,
    route,
    shard: async (collection, shardKey) => {
      const settings = { shardKey, databaseVersion, ...MAJORITY };
      await one.db.command({ _shardsvrCreateCollection: collection, ...settings });
    },
    routing: async (collection, filter) => {
      const { queryPlanner } = await one.db.command({
        explain: { clusterFind: collection, filter },
        verbosity: 'queryPlanner',
      });
      return String((queryPlanner as { winningPlan: Document }).winningPlan.stage);
    },
    transact: async (commands) => {
      const { responses } = await one.admin.command({
        testInternalTransactions: 1,
        useClusterClient: true,
        commandInfos: commands.map((command) => ({ dbName: database, command })),
      });
      for (const { writeErrors } of responses as { writeErrors?: unknown }[])
        if (writeErrors !== undefined) throw new Error(JSON.stringify(writeErrors));
    },
    acrossShards: async () => {
      const { twoPhaseCommitCoordinator } = await one.admin.command({ serverStatus: 1 });
      const { totalCommittedTwoPhaseCommit } = twoPhaseCommitCoordinator as Document;
      return Number(totalCommittedTwoPhaseCommit);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** `find` becomes `clusterFind`. */
function asRouter(command: Document): Document {
  const name = Object.keys(command)[0] ?? '';
  const { [name]: value, ...others } = command;
  return {
    [`cluster${name.charAt(0).toUpperCase()}${name.slice(1)}`]: value,
    ...others,
  };
}
