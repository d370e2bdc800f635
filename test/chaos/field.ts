/**
 * The system under test: three NATS nodes with three replicas of each stream, a gateway, two
 * dispatchers, and a receiver.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createTransport, type Transporter } from 'nodemailer';

import { createAddresses } from '../../services/adapters/mongo/addresses/addresses.ts';
import { causeChain, createLog } from '../../services/adapters/process/log.ts';
import { connectMongo, type Mongo } from '../../services/adapters/mongo/connection.ts';
import { connectNats, type Nats } from '../../services/adapters/stream/connection.ts';
import { createSecretBox } from '../../services/adapters/mongo/secrets.ts';
import type { Address } from '../../services/core/address/address.ts';
import {
  type ServiceChild,
  startServiceChild,
} from '../../services/standalone/processes/service-child.ts';
import { type NatsCluster, startNatsCluster } from '../support/nats-cluster.ts';
import { newAddress } from '../support/new-address.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { addressOf, type Mood, MOOD_NAMES, pathOf } from './moods.ts';

export type Place = {
  natsServerBinary: string;
  /** With an empty database. */
  mongoUri: string;
  /** For data and logs; the caller removes it. */
  dir: string;
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

export type Field = AsyncDisposable & {
  cluster: NatsCluster;
  dispatchers: readonly Dispatcher[];
  receiver: Receiver;
  mailer: Transporter;
  addresses: ReadonlyMap<Mood, Address>;
  nats: Nats;
  mongo: Mongo;
};

const RUNS_WITHIN_MS = 60_000;
const log = createLog('silent');

/** @param report gets each start that fails, when it fails */
export async function startField(
  { natsServerBinary, mongoUri, dir, logsAttempts = false }: Place,
  report: (line: string) => void,
): Promise<Field> {
  await using parts = new AsyncDisposableStack();
  const cluster = parts.use(
    await startNatsCluster({ binary: natsServerBinary, dir: join(dir, 'nats') }),
  );
  const receiver = parts.use(await startReceiver(dir, { keepsContent: false }));
  const key = randomBytes(32);
  const mongo = parts.use(await connectMongo(mongoUri, log));
  const addresses = new Map(
    MOOD_NAMES.map((mood) => [mood, newAddress(receiver.url(pathOf(mood)), addressOf(mood))]),
  );
  const store = createAddresses(mongo.db, createSecretBox([key]));
  for (const address of addresses.values()) await store.insert(address);

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
    ACK_WAIT: '3s',
  };
  const gateway = parts.use(await startServiceChild('gateway', env, join(dir, 'gateway.log')));
  const nats = parts.use(await connectNats({ url: cluster.url, name: 'chaos' }, log));
  const dispatchers = ['dispatcher-1', 'dispatcher-2'].map((name) =>
    createDispatcher(
      name,
      () => startServiceChild('dispatcher', env, join(dir, `${name}.log`)),
      report,
    ),
  );
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
  const running = parts.move();
  return {
    cluster,
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
