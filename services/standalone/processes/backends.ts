/**
 * The two servers that Inlet uses, NATS and MongoDB: running ones if their URLs are given.
 * Otherwise they are started, with their data in the data folder, and restarted if they exit.
 */
import { join } from 'node:path';

import { findBinary, MONGOD, NATS_SERVER, type Finder } from '../fetch/binaries.ts';
import type { ChildProcess, OnSpawn } from './child-process.ts';
import type { StandaloneConfig } from '../settings/config.ts';
import { startMongod } from './mongod.ts';
import { startNatsServer } from './nats-server.ts';
import { supervise, type Supervised } from './supervise.ts';

export type Backend = {
  url: string;
  /** Absent if a running server was given. */
  supervised?: Supervised<ChildProcess>;
};

type BackendSetup = {
  dataDir: string;
  finder: Finder;
  logFile: (name: string) => string | undefined;
  isProduction: boolean | undefined;
  onSpawn: OnSpawn;
  onRestart: () => Promise<void>;
};

/** @param mongoStart its mongod locks the data folder, so it starts first where it is not downloaded */
export async function startNatsBackend(
  config: StandaloneConfig,
  { dataDir, finder, logFile, isProduction, onSpawn, onRestart }: BackendSetup,
  mongoStart: Promise<Backend>,
): Promise<Backend> {
  if (config.NATS_URL) return { url: config.NATS_URL };
  const { path: binary, version } = await findBinary(NATS_SERVER, finder);
  if (isProduction) await mongoStart;
  const startedMs = Date.now();
  const options = {
    binary,
    dataDir: join(dataDir, 'nats'),
    logFile: logFile('nats-server'),
    onSpawn,
  };
  const supervised = await supervise({
    start: (previous?: { port: number }) => startNatsServer({ ...options, port: previous?.port }),
    report: finder.report,
    onRestart,
  });
  const { url, port } = supervised.current();
  finder.report(`nats-server ${version.text} listens on port ${port} (${secondsSince(startedMs)})`);
  return { url, supervised };
}

export async function startMongoBackend(
  config: StandaloneConfig,
  { dataDir, finder, logFile, isProduction, onSpawn, onRestart }: BackendSetup,
): Promise<Backend> {
  if (config.MONGODB_URI) return { url: config.MONGODB_URI };
  const { path: binary, version } = await findBinary(MONGOD, finder);
  const startedMs = Date.now();
  // Another major version cannot open this data. In production it says so, and starts no empty database.
  const folder = isProduction ? 'mongod' : `mongod-${version.major}.${version.minor}`;
  const options = {
    binary,
    dataDir: join(dataDir, folder),
    logFile: logFile('mongod'),
    onSpawn,
  };
  const supervised = await supervise({
    start: (previous?: { port: number }) => startMongod({ ...options, port: previous?.port }),
    report: finder.report,
    onRestart,
  });
  const { url, port } = supervised.current();
  finder.report(`mongod ${version.text} listens on port ${port} (${secondsSince(startedMs)})`);
  return { url, supervised };
}

export const secondsSince = (startedMs: number) =>
  `${((Date.now() - startedMs) / 1000).toFixed(1)} s`;
