/**
 * The system under test: three NATS nodes with three replicas of each stream, a gateway, two
 * dispatchers, an API, and a receiver.
 */
import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type Transporter } from 'nodemailer';

import { createAccounts } from '../../services/adapters/mongo/account/accounts.ts';
import { createTokens } from '../../services/adapters/mongo/token/tokens.ts';
import { createAddresses } from '../../services/adapters/mongo/address/addresses.ts';
import { causeChain, createLog } from '../../services/adapters/process/log.ts';
import { connectMongo, type Mongo } from '../../services/adapters/mongo/database/connection.ts';
import { connectNats, type Nats } from '../../services/adapters/stream/connection/connection.ts';
import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import type { Address } from '../../services/core/address/address.ts';
import {
  type ServiceChild,
  startServiceChild,
} from '../../services/standalone/processes/service-child.ts';
import { type NatsCluster, startNatsCluster } from '../support/nats-cluster.ts';
import { newAddress } from '../support/new-address.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import type { Chance } from './chance.ts';
import { startConsumer } from './consumer.ts';
import { type Disk, mountDisk } from './disk.ts';
import { addressOf, type Mood, MOOD_NAMES, pathOf, PULLED } from './moods.ts';

export type Place = {
  natsServerBinary: string;
  /** With an empty database. */
  mongoUri: string;
  /** For data and logs; the caller removes it. */
  dir: string;
  /** Of the mongod, if it may be frozen. */
  mongodPid?: number;
  /** Whether the logs have a line for each email and attempt. */
  logsAttempts?: boolean;
};

export type Dispatcher = {
  name: string;
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** Retries until it runs, as Kubernetes does with a pod. */
  start(): Promise<void>;
  /** Starts that crashed. */
  failedStarts(): number;
};

/** The clock of one process, which can jump. */
export type ProcessClock = { name: string; shift: (ms: number) => Promise<void> };

export type Field = AsyncDisposable & {
  cluster: NatsCluster;
  /** Of the last node; undefined without the right to mount one. */
  disk: Disk | undefined;
  /** Removes all that nodes have stored, while they are down. */
  wipe: (nodes: NatsCluster['nodes']) => Promise<void>;
  mongodPid: number | undefined;
  dispatchers: readonly Dispatcher[];
  clocks: readonly ProcessClock[];
  /** Asks the API to erase an email. Resolves with the status; 0 when it does not answer. */
  erase: (accountId: string, eventId: string) => Promise<number>;
  /** Of the receiver whose emails are pulled. */
  startConsumer: (chance: Chance) => AsyncDisposable;
  receiver: Receiver;
  mailer: Transporter;
  addresses: ReadonlyMap<Mood, Address>;
  nats: Nats;
  mongo: Mongo;
};

const RUNS_WITHIN_MS = 180_000;
const ERASED_WITHIN_MS = 30_000;
const NODES = 3;
const SHIFTED_CLOCK = new URL('../support/shifted-clock.mjs', import.meta.url).href;
const log = createLog('silent');

/** @param report gets each start that fails, when it fails */
export async function startField(
  { natsServerBinary, mongoUri, mongodPid, dir, logsAttempts = false }: Place,
  report: (line: string) => void,
): Promise<Field> {
  await using parts = new AsyncDisposableStack();
  const dataOf = (node: string) => join(dir, 'nats', node);
  const disk = await mountDisk(dataOf(`n${NODES}`));
  if (disk) parts.use(disk);
  const cluster = parts.use(
    await startNatsCluster({ binary: natsServerBinary, dir: join(dir, 'nats') }),
  );
  const receiver = parts.use(await startReceiver(dir, { keepsContent: false }));
  const key = randomBytes(32);
  const mongo = parts.use(await connectMongo(mongoUri, log));
  const store = createAddresses(mongo.db, createSecretBox([key]));
  const accounts = createAccounts(mongo.db);
  const addresses = new Map<Mood, Address>();
  const tokens = new Map<string, string>();
  for (const mood of MOOD_NAMES) {
    const { id: account_id } = await accounts.create({ email: `${mood}@a.example`, name: mood });
    const issued = { accountId: account_id, name: mood, environment: 'live' } as const;
    tokens.set(account_id, (await createTokens(mongo.db).issue(issued)).token);
    const address = newAddress(receiver.url(pathOf(mood)), { ...addressOf(mood), account_id });
    await store.insert(address);
    addresses.set(mood, address);
  }

  const { NODE_COMPILE_CACHE } = process.env; // as `npm start` passes it on
  const env = {
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
    NATS_URL: cluster.url,
    MONGODB_URI: mongoUri,
    SECRET_KEYS: key.toString('base64'),
    LINK_KEYS: key.toString('base64'),
    PUBLIC_API_URL: 'https://api.example/v1',
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: '0',
    LOG_LEVEL: logsAttempts ? 'info' : 'warn',
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: '0',
    SMTP_STOP_GRACE: '100ms',
    PARTITIONS: '2',
    STREAM_REPLICAS: '3',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    WEBHOOK_CA_FILE: receiver.caFile,
    WEBHOOK_TIMEOUT: '1s',
    RETRY_SCHEDULE: '100ms,200ms,500ms,1s,1s,2s,2s',
    API_HOST: '127.0.0.1',
    API_PORT: '0',
    ENCRYPT_CONTENT: 'true',
    INBOUND_DOMAIN: 'in.example',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_PER_HOUR: '1000000',
  };
  const clocks: ProcessClock[] = [];
  /** Of a process whose clock can jump. */
  const envOf = async (name: string): Promise<NodeJS.ProcessEnv> => {
    const CLOCK_SHIFT_FILE = join(dir, `${name}.clock`);
    const shift = (ms: number) => writeFile(CLOCK_SHIFT_FILE, String(ms));
    await shift(0);
    clocks.push({ name, shift });
    return { ...env, CLOCK_SHIFT_FILE, NODE_OPTIONS: `--import ${SHIFTED_CLOCK}` };
  };
  const gateway = parts.use(
    await startServiceChild('gateway', await envOf('gateway'), join(dir, 'gateway.log')),
  );
  const api = parts.use(await startServiceChild('api', await envOf('api'), join(dir, 'api.log')));
  const nats = parts.use(await connectNats({ url: cluster.url, name: 'chaos' }, log));
  const dispatchers: Dispatcher[] = [];
  for (const name of ['dispatcher-1', 'dispatcher-2']) {
    const own = await envOf(name);
    const start = () => startServiceChild('dispatcher', own, join(dir, `${name}.log`));
    dispatchers.push(createDispatcher(name, start, report));
  }
  for (const dispatcher of dispatchers) {
    parts.defer(() => dispatcher.kill());
    await dispatcher.start();
  }
  await cluster.healthy();
  const mailer = createTransport({
    host: '127.0.0.1',
    port: gateway.ports.smtp_port,
    pool: true,
    maxConnections: 20,
    maxMessages: Infinity,
    ignoreTLS: true,
  });
  parts.defer(() => mailer.close());
  const apiUrl = `http://127.0.0.1:${api.ports.api_port}/v1`;
  const erase = (accountId: string, eventId: string): Promise<number> =>
    fetch(`${apiUrl}/deliveries/${eventId}/content`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${tokens.get(accountId)}` },
      signal: AbortSignal.timeout(ERASED_WITHIN_MS),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
  const ca = await readFile(receiver.caFile, 'utf8');
  const { id = '', account_id = '' } = addresses.get(PULLED) ?? {};
  const pulled = {
    apiUrl,
    token: tokens.get(account_id) ?? '',
    receiverPath: `/addresses/${id}/receivers/${id}`,
  };
  const running = parts.move();
  return {
    cluster,
    disk,
    wipe: async (nodes) => {
      for (const { name } of nodes)
        await rm(join(dataOf(name), 'jetstream'), { recursive: true, force: true });
    },
    mongodPid,
    clocks,
    erase,
    startConsumer: (chance) =>
      startConsumer(pulled, { url: receiver.url(pathOf(PULLED)), ca }, chance),
    dispatchers,
    receiver,
    mailer,
    addresses,
    nats,
    mongo,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** @param report gets each start that fails, when it fails */
export function createDispatcher(
  name: string,
  startChild: () => Promise<Pick<ServiceChild, 'kill' | 'stop'>>,
  report: (line: string) => void,
): Dispatcher {
  let child: Pick<ServiceChild, 'kill' | 'stop'> | undefined;
  let failedStarts = 0;
  return {
    name,
    kill: async () => child?.kill(),
    stop: async () => child?.stop(),
    start: async () => {
      await until(
        `${name} to run`,
        async () => {
          child = await startChild().catch((error: unknown) => {
            failedStarts++;
            report(`FAULT: ${name} did not start: ${causeChain(error)}`);
            return undefined;
          });
          return child !== undefined;
        },
        RUNS_WITHIN_MS,
      );
    },
    failedStarts: () => failedStarts,
  };
}
