/**
 * Real servers for test files: a nats-server of its own for each file (it starts in some 30 ms), a database of its own in the run's mongod, and
 * for crash tests servers that can be killed and started again on the same port and data.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { MongoClient } from 'mongodb';
import { inject } from 'vitest';

import { startMongod } from '../../services/standalone/processes/mongod.ts';
import {
  startNatsServer,
  type NatsServerOptions,
} from '../../services/standalone/processes/nats-server.ts';

/** A server under a test's hand. Disposing it stops it and removes its data. */
export type TestServer = AsyncDisposable & {
  /** The same over restarts. */
  url: string;
  port: number;
  pid(): number;
  /** SIGKILL; resolves when the process is gone. Clients see a server that does not answer until `restart`. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data, after a graceful stop if it still runs. */
  restart(): Promise<void>;
  /** A graceful stop; `restart` brings it back. */
  stop(): Promise<void>;
  logFile: string;
};

/** A nats-server with JetStream, every write synced. `jetstream: { max_file_store: '1MB' }` makes one that fills up. */
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

/** A mongod of its own, for tests that kill it; others share the run's mongod through `testMongo`. */
export function startTestMongod(): Promise<TestServer> {
  return startTestServer('mongod', (dir, port) =>
    startMongod({
      binary: inject('mongodBinary'),
      dataDir: join(dir, 'data'),
      logFile: join(dir, 'server.log'),
      port,
      parameters: { ttlMonitorSleepSecs: 1 },
    }),
  );
}

/** A new, empty database in the run's mongod. Its URI names it; disposing drops it. */
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

/** A folder that is gone after the test, in memory where that can be had. */
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
    await server.kill(); // its data goes with it: nothing to close in order
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
