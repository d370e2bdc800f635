/** The connection of a process to NATS. It reconnects forever and reports its state. */
import { readFile } from 'node:fs/promises';

import {
  connect,
  type ConnectionOptions,
  credsAuthenticator,
  type NatsConnection,
} from '@nats-io/transport-node';
import { z } from 'zod';

import { NATS } from '../../../core/network/deadlines.ts';
import type { Log } from '../../process/log.ts';
import { optional } from '../../../core/resource/described.ts';

export const NatsConfig = {
  NATS_URL: z
    .string()
    .default('nats://127.0.0.1:4222')
    .describe('NATS servers, separated by commas; JetStream must be enabled'),
  NATS_USER: z.string().optional().describe('NATS user, with NATS_PASSWORD'),
  NATS_PASSWORD: z.string().optional().describe('password of NATS_USER'),
  NATS_CREDS_FILE: z
    .string()
    .optional()
    .describe('NATS credentials file (JWT and NKey seed), instead of a user and password'),
  NATS_CA_FILE: optional(
    z.string(),
    'PEM file with the certificate authorities of the NATS servers; setting it makes TLS mandatory',
  ),
  REGION: optional(
    z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be 1 to 32 of a-z, 0-9 and -'),
    'name of the region of these NATS servers, when releases of several regions share one MongoDB; ' +
      'must not change',
  ),
};
export type NatsConfig = z.output<z.ZodObject<typeof NatsConfig>>;

/** How one process connects and logs in; `name` is shown in the reports of nats-server. */
export const natsOptions = (config: NatsConfig, name: string): NatsOptions => ({
  url: config.NATS_URL,
  name,
  user: config.NATS_USER,
  password: config.NATS_PASSWORD,
  credsFile: config.NATS_CREDS_FILE,
  caFile: config.NATS_CA_FILE,
  region: config.REGION,
});

export type NatsOptions = { url: string; name: string } & Partial<
  Record<'user' | 'password' | 'credsFile' | 'caFile' | 'region', string | undefined>
>;

/** A connection to NATS. Disposing it sends what is buffered, then closes. */
export type Nats = AsyncDisposable & {
  connection: NatsConnection;
  /** The region of these servers; undefined in an installation of one region. */
  region: string | undefined;
  isConnected: () => boolean;
  /** The clock of the server that leads the first partition; undefined when there is none. */
  time(): Promise<Date | undefined>;
  /** Calls back after every reconnect: messages may have been lost in between. */
  onReconnect(listener: () => void): void;
};

const RECONNECT_WAIT_MS = 250;
const TIME_WITHIN_MS = 2_000;
const AWAITED_MS = 10_000;

/** Connects, and retries until a server answers. */
export async function connectNats(options: NatsOptions, log: Log): Promise<Nats> {
  const { url, name } = options;
  const awaited = setInterval(() => log.warn('nats.awaited'), AWAITED_MS);
  const connection = await connect({
    ...(await loginOf(options)),
    servers: url.split(',').map((server) => server.trim()),
    name,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: reconnectDelay(),
    ...NATS,
    waitOnFirstConnect: true,
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true, // a stack trace for each publish costs 6 % of a gateway's CPU
  }).finally(() => clearInterval(awaited));
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
    region: options.region,
    isConnected: () => connected && !connection.isClosed(),
    time: async () => {
      const reply = await connection.request('$JS.API.STREAM.INFO.MAIL-0', undefined, {
        timeout: TIME_WITHIN_MS,
      });
      const { ts } = reply.json<{ ts?: string }>();
      return ts === undefined ? undefined : new Date(ts);
    },
    onReconnect: (listener) => void listeners.push(listener),
    [Symbol.asyncDispose]: async () => {
      if (!connection.isClosed()) await (connected ? connection.drain() : connection.close());
    },
  };
}

/**
 * The client waits until the time of the last attempt plus this delay, by the clock of the machine. A
 * clock that was a day ahead and is corrected would keep it away for that day, so once it has waited,
 * by a clock that cannot jump, the delay is none.
 */
function reconnectDelay(): () => number {
  let askedMs = performance.now();
  return function nextDelayMs() {
    const now = performance.now();
    const hasWaited = now - askedMs >= RECONNECT_WAIT_MS / 2; // timers may be early
    askedMs = now;
    return hasWaited ? -Infinity : RECONNECT_WAIT_MS;
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
