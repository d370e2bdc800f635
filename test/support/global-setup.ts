/**
 * Runs once per test run: finds or downloads the server binaries, starts one mongod in memory, and
 * gives test files their paths.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { MongoClient } from 'mongodb';
import type { TestProject } from 'vitest/node';

import {
  findBinary,
  MONGOD,
  NATS_SERVER,
  type Finder,
} from '../../services/standalone/fetch/binaries.ts';
import { startMongod } from '../../services/standalone/processes/mongod.ts';
import { createRunRecord } from '../../services/standalone/run-record.ts';
import { clearKilledRuns, makeScratchDir } from './scratch.ts';
import { makeThreadBundles } from './make-thread-bundles.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URI of this run's mongod, without a database. */
    mongoUri: string;
    /** Prefix of this run's database names. */
    databasePrefix: string;
    mongodBinary: string;
    natsServerBinary: string;
    /** A folder for this run's data, in memory if possible. */
    scratchDir: string;
  }
}

/** vitest ends the run while the servers of the last files stop, and write. An error would fail it. */
const WHILE_OTHERS_STOP = { maxRetries: 10, retryDelay: 100 };

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const checkout = join(import.meta.dirname, '..', '..');
  const finder: Finder = {
    env: process.env,
    cacheDir: process.env.INLET_CACHE || join(checkout, '.inlet', 'cache'),
    report: (line) => process.stderr.write(`${line}\n`),
  };
  await using parts = new AsyncDisposableStack();
  await clearKilledRuns(finder.report);
  const scratchDir = await makeScratchDir();
  parts.defer(() => rm(scratchDir, { recursive: true, force: true, ...WHILE_OTHERS_STOP }));
  const mongod = await findBinary(MONGOD, finder);
  const nats = await findBinary(NATS_SERVER, finder);
  finder.report(
    `tests run with nats-server ${nats.version.text} and mongod ${mongod.version.text}`,
  );
  const mongoUri =
    process.env.MONGODB_URI || parts.use(await startTestMongod(mongod.path, scratchDir)).url;
  const databasePrefix = `inlet_test_${process.pid}_`;
  if (process.env.MONGODB_URI) parts.defer(() => dropDatabases(mongoUri, databasePrefix));

  const threadBundles = join(scratchDir, 'threads');
  await makeThreadBundles(threadBundles);

  provide('mongoUri', mongoUri);
  provide('databasePrefix', databasePrefix);
  provide('mongodBinary', mongod.path);
  provide('natsServerBinary', nats.path);
  provide('scratchDir', scratchDir);
  provide('threadBundles', threadBundles);
  const started = parts.move();
  return () => started.disposeAsync();
}

function startTestMongod(binary: string, scratchDir: string) {
  return startMongod({
    binary,
    dataDir: join(scratchDir, 'mongod'),
    logFile: join(scratchDir, 'mongod.log'),
    parameters: { ttlMonitorSleepSecs: 1 },
    onSpawn: createRunRecord(scratchDir).add,
  });
}

/** Removes this run's databases from a server that the user provided. */
async function dropDatabases(uri: string, prefix: string): Promise<void> {
  await using client = new MongoClient(uri);
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  for (const { name } of databases)
    if (name.startsWith(prefix)) await client.db(name).dropDatabase();
}
