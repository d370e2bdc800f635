/**
 * Starts mongod on the loopback interface as a replica set of one member, so that transactions and
 * majority writes work as in production. The replica set's configuration names the port, so it is
 * updated when the port has changed.
 */
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Db, Document } from 'mongodb';

import { createLog } from '../../adapters/process/log.ts';
import { connectMongo } from '../../adapters/mongo/database/connection.ts';
import { startProcess, type ChildProcess, type OnSpawn } from './child-process.ts';
import { freePort } from './ports.ts';

const HOST = '127.0.0.1';
const REPLICA_SET = 'inlet';
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 30;
const NOT_YET_INITIALIZED = 94; // server error code NotYetInitialized
const WAITING_FOR_CONNECTIONS = 23016; // id of mongod's log line

export type MongodOptions = {
  binary: string;
  /** Only the same major version can open the data: put the version into the folder's name. */
  dataDir: string;
  /** Absent: its log is part of the output of this process. */
  logFile?: string | undefined;
  /** 0 or absent for any free port. */
  port?: number;
  onSpawn?: OnSpawn;
  /** Further server parameters, such as `{ ttlMonitorSleepSecs: 1 }`. */
  parameters?: Readonly<Record<string, string | number>>;
};

export type Mongod = ChildProcess & { url: string; port: number };

export async function startMongod(options: MongodOptions): Promise<Mongod> {
  const port = options.port || (await freePort());
  await mkdir(options.dataDir, { recursive: true });
  const { binary, logFile, onSpawn } = options;
  const child = await startProcess({
    name: 'mongod',
    command: binary,
    args: flags(options, port),
    env: {},
    logFile,
    onSpawn,
  });
  try {
    await child.announced(
      (line) => (line.includes(`"id":${WAITING_FOR_CONNECTIONS},`) ? true : undefined),
      START_TIMEOUT_MS,
    );
    await becomePrimary(port);
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { ...child, port, url: `mongodb://${HOST}:${port}/?replicaSet=${REPLICA_SET}` };
}

/** A transaction whose process was killed locks its documents until this limit. */
const DEFAULTS = {
  diagnosticDataCollectionEnabled: 'false',
  transactionLifetimeLimitSeconds: '5',
};

function flags({ dataDir, parameters }: MongodOptions, port: number): string[] {
  const settings = Object.entries({ ...DEFAULTS, ...parameters });
  const location = [
    '--dbpath',
    dataDir,
    '--bind_ip',
    HOST,
    '--port',
    String(port),
    '--replSet',
    REPLICA_SET,
    '--nounixsocket',
    '--quiet', // no line for each connection
  ];
  // small, for a single machine
  const footprint = ['--oplogSize', '64', '--wiredTigerCacheSizeGB', '0.25'];
  return [
    ...location,
    ...footprint,
    ...settings.flatMap(([name, value]) => ['--setParameter', `${name}=${value}`]),
  ];
}

async function becomePrimary(port: number): Promise<void> {
  try {
    await using mongo = await connectMongo(
      `mongodb://${HOST}:${port}/admin?directConnection=true`,
      createLog('silent'),
    );
    const admin = mongo.db;
    const member = `${HOST}:${port}`;
    const config = await replicaSetConfig(admin);
    if (config === undefined)
      await admin.command({
        replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host: member }] },
      });
    else if (config.members[0]?.host !== member) {
      const moved = {
        ...config,
        version: config.version + 1,
        members: [{ ...config.members[0], host: member }],
      };
      // force: under its old name the member cannot elect itself
      await admin.command({ replSetReconfig: moved, force: true });
    }
    await writable(admin);
  } catch (cause) {
    throw new Error('mongod did not become the primary of its replica set', { cause });
  }
}

async function writable(admin: Db): Promise<void> {
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  while (!(await admin.command({ hello: 1 })).isWritablePrimary) {
    if (Date.now() > deadlineMs)
      throw new Error(`it was not writable within ${START_TIMEOUT_MS / 1000} s`);
    await sleep(POLL_MS);
  }
}

type ReplicaSetConfig = Document & { version: number; members: { host: string }[] };

/** Undefined for a new data folder. */
async function replicaSetConfig(admin: Db): Promise<ReplicaSetConfig | undefined> {
  try {
    return (await admin.command({ replSetGetConfig: 1 })).config;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NOT_YET_INITIALIZED)
      return undefined;
    throw error;
  }
}
