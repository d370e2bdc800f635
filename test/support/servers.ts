/**
 * Servers for test files. Each file gets its own nats-server, which starts in about 30 ms, and its
 * own database in the mongod of the run. Crash tests get servers that can be killed and restarted
 * on the same port and data.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { MongoClient } from 'mongodb';
import { inject } from 'vitest';

import { type MongodOptions, startMongod } from '../../services/standalone/processes/mongod.ts';
import {
  startNatsServer,
  type NatsServerOptions,
} from '../../services/standalone/processes/nats-server.ts';

/** A server that a test controls. Disposing it stops it and removes its data. */
export type TestServer = AsyncDisposable & {
  /** Stays the same after a restart. */
  url: string;
  port: number;
  pid(): number;
  /** SIGKILL; resolves when the process has ended. Clients cannot connect until `restart`. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data, after a graceful stop if it is still running. */
  restart(): Promise<void>;
  /** Stops it gracefully; `restart` starts it again. */
  stop(): Promise<void>;
  logFile: string;
};

/**
 * A nats-server with JetStream that syncs every write. `jetstream: { max_file_store: '1MB' }`
 * limits its storage.
 */
export function startTestNats(
  settings: Pick<NatsServerOptions, 'jetstream' | 'server'> = {},
): Promise<TestServer> {
  return startTestServer('nats', (dir, port) =>
    startNatsServer({
      binary: inject('natsServerBinary'),
      dataDir: join(dir, 'data'),
      logFile: join(dir, 'server.log'),
      port,
      ...settings,
    }),
  );
}

/**
 * A separate mongod, for tests that kill it. Other tests share the mongod of the run, see
 * `testMongo`.
 * @param parameters such as `{ enableTestCommands: 1 }`, for fail points
 */
export function startTestMongod(
  parameters: NonNullable<MongodOptions['parameters']> = {},
): Promise<TestServer> {
  return startTestServer('mongod', (dir, port) =>
    startMongod({
      binary: inject('mongodBinary'),
      dataDir: join(dir, 'data'),
      logFile: join(dir, 'server.log'),
      port,
      parameters: { ttlMonitorSleepSecs: 1, ...parameters },
    }),
  );
}

/** A new database in the mongod of the run. Its URI contains its name. Disposing drops it. */
export async function testMongo(): Promise<
  AsyncDisposable & { uri: string; databaseName: string }
> {
  const databaseName = `${inject('databasePrefix')}${randomBytes(6).toString('hex')}`;
  const uri = new URL(inject('mongoUri'));
  uri.pathname = `/${databaseName}`;

  async function dropDatabase(): Promise<void> {
    await using client = new MongoClient(uri.href);
    await client.db().dropDatabase();
  }
  return { uri: uri.href, databaseName, [Symbol.asyncDispose]: dropDatabase };
}

/** A temporary folder, in memory if possible. Disposing removes it. */
export async function testDir(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(inject('scratchDir'), 'dir-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

type Running = {
  url: string;
  port: number;
  pid: number;
  kill(): Promise<void>;
  stop(): Promise<void>;
};

async function startTestServer(
  name: string,
  start: (dir: string, port: number) => Promise<Running>,
): Promise<TestServer> {
  const dir = await mkdtemp(join(inject('scratchDir'), `${name}-`));
  let server = await start(dir, 0);
  const { url, port } = server;

  async function restart(): Promise<void> {
    await server.stop();
    server = await start(dir, port);
  }
  async function dispose(): Promise<void> {
    await server.kill(); // its data is discarded, so there is no need to stop it gracefully
    await rm(dir, { recursive: true, force: true });
  }
  return {
    url,
    port,
    pid: () => server.pid,
    kill: () => server.kill(),
    restart,
    stop: () => server.stop(),
    logFile: join(dir, 'server.log'),
    [Symbol.asyncDispose]: dispose,
  };
}
