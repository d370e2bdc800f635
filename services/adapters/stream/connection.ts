/** The connection to NATS that each process keeps: it reconnects for ever and says so when it is away. */
import { readFile } from 'node:fs/promises';

import {
  connect,
  type ConnectionOptions,
  credsAuthenticator,
  type NatsConnection,
} from '@nats-io/transport-node';
import { z } from 'zod';

import type { Log } from '../process/log.ts';

export const NatsConfig = {
  NATS_URL: z
    .string()
    .default('nats://127.0.0.1:4222')
    .describe('NATS servers, separated by commas; JetStream must be enabled'),
  NATS_USER: z.string().optional().describe('user to log in to NATS as, with NATS_PASSWORD'),
  NATS_PASSWORD: z.string().optional().describe('password of NATS_USER'),
  NATS_CREDS_FILE: z
    .string()
    .optional()
    .describe(
      'credentials file (JWT and NKey seed) to log in to NATS with, instead of a user and password',
    ),
  NATS_CA_FILE: z
    .string()
    .optional()
    .describe(
      'PEM file of the certificate authorities that NATS servers are checked against; it also makes TLS required',
    ),
};
export type NatsConfig = z.output<z.ZodObject<typeof NatsConfig>>;

/** What one process logs in with. */
export const natsOptions = (config: NatsConfig, name: string): NatsOptions => ({
  url: config.NATS_URL,
  name,
  user: config.NATS_USER,
  password: config.NATS_PASSWORD,
  credsFile: config.NATS_CREDS_FILE,
  caFile: config.NATS_CA_FILE,
});

export type NatsOptions = { url: string; name: string } & Partial<
  Record<'user' | 'password' | 'credsFile' | 'caFile', string | undefined>
>;

/** A connection to NATS. Disposing it sends what is buffered, then closes. */
export type Nats = AsyncDisposable & {
  connection: NatsConnection;
  isConnected: () => boolean;
  /** Calls back after every reconnect: messages may have been missed. */
  onReconnect(listener: () => void): void;
};

const RECONNECT_WAIT_MS = 250;
/** A server whose machine is gone does not even refuse: the next one is tried. */
const DIAL_TIMEOUT_MS = 3_000;

/** Connects, trying until the server is there. */
export async function connectNats(options: NatsOptions, log: Log): Promise<Nats> {
  const { url, name } = options;
  const connection = await connect({
    ...(await loginOf(options)),
    servers: url.split(',').map((server) => server.trim()),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    timeout: DIAL_TIMEOUT_MS,
    waitOnFirstConnect: true,
    pingInterval: 3_000, // a connection that dies without a sign is given up after the second ping without an answer
    maxPingOut: 2,
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true, // a stack trace for each publish costs 6 % of a gateway
  });
  let connected = true;
  const listeners: (() => void)[] = [];
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        connected = false;
        log.warn('nats.disconnected');
      } else if (status.type === 'reconnect') {
        connected = true;
        log.info('nats.reconnected');
        for (const listener of listeners) listener();
      }
    }
  })();
  return {
    connection,
    isConnected: () => connected && !connection.isClosed(),
    onReconnect: (listener) => void listeners.push(listener),
    [Symbol.asyncDispose]: async () => {
      if (!connection.isClosed()) await (connected ? connection.drain() : connection.close());
    },
  };
}

async function loginOf({
  user,
  password,
  credsFile,
  caFile,
}: NatsOptions): Promise<ConnectionOptions> {
  return {
    ...(user !== undefined && { user, pass: password ?? '' }),
    ...(credsFile !== undefined && {
      authenticator: credsAuthenticator(await readFile(credsFile)),
    }),
    ...(caFile !== undefined && { tls: { caFile } }),
  };
}
