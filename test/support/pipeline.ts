/**
 * Gateway and dispatcher in this process, with real servers. Addresses are inserted into MongoDB
 * directly, without the API.
 */
import { randomBytes } from 'node:crypto';
import { createTransport, type Transporter } from 'nodemailer';

import { createAddresses } from '../../services/adapters/mongo/address/addresses.ts';
import { createAddressAnnouncer } from '../../services/platform/address-directory.ts';
import { readConfig } from '../../services/adapters/process/config.ts';
import { createLog, type Log } from '../../services/adapters/process/log.ts';
import { connectMongo, type Mongo } from '../../services/adapters/mongo/database/connection.ts';
import { connectNats, type Nats } from '../../services/adapters/stream/connection/connection.ts';
import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import type { Address } from '../../services/core/address/address.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { startDispatcher } from '../../services/dispatcher/dispatcher.ts';
import { GatewayConfig } from '../../services/gateway/process/config.ts';
import {
  GATEWAY_CONSTANTS,
  type GatewayConstants,
} from '../../services/gateway/process/constants.ts';
import { startGateway } from '../../services/gateway/gateway.ts';
import { newAddress } from './new-address.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { startTestNats, testDir, testMongo, type TestServer } from './servers.ts';

export const log = createLog(process.env.TEST_LOG === 'info' ? 'info' : 'silent');

export type Pipeline = AsyncDisposable & {
  nats: Nats;
  natsServer: TestServer;
  mongo: Mongo;
  receiver: Receiver;
  smtpPort: number;
  /** NaN without LMTP_PORT. */
  lmtpPort: number;
  metricsUrls: { gateway: string; dispatcher: string };
  mailer: Transporter;
  /** Creates an address whose webhooks are sent to this path of the receiver. */
  address(path: string, fields?: Partial<Address>): Promise<Address>;
  announce: ReturnType<typeof createAddressAnnouncer>;
  /** Settings of the services. A test can start another dispatcher with them. */
  settings: Readonly<Record<string, string>>;
};

/**
 * Far more time than a slow machine needs: tests of these limits have their own. Tests change DNS
 * records, which no cache may hide.
 */
const PATIENT = {
  mailAuthMs: 120_000,
  rspamdMs: 120_000,
  clamdMs: 60_000,
  dnsCacheMs: 0,
};

export type PipelineOptions = {
  env?: Record<string, string>;
  /** Of the gateway, instead of its own. */
  constants?: Partial<GatewayConstants>;
  natsServer?: Parameters<typeof startTestNats>[0];
  withDispatcher?: boolean;
  /** Else a database in the mongod of the run. */
  mongoUri?: string;
  /** Of both services. */
  log?: Log;
};

export async function startPipeline({
  env = {},
  constants = {},
  natsServer: natsSettings,
  withDispatcher = true,
  mongoUri,
  log: ofServices = log,
}: PipelineOptions = {}): Promise<Pipeline> {
  await using parts = new AsyncDisposableStack();
  const dir = parts.use(await testDir());
  const natsServer = parts.use(await startTestNats(natsSettings));
  const uri = mongoUri ?? parts.use(await testMongo()).uri;
  const receiver = parts.use(await startReceiver(dir.path));
  const key = randomBytes(32).toString('base64');
  const settings: Record<string, string> = {
    NATS_URL: natsServer.url,
    MONGODB_URI: uri,
    SECRET_KEYS: key,
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: '0',
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: '0',
    SMTP_STOP_GRACE: '100ms',
    PARTITIONS: '2',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    WEBHOOK_CA_FILE: receiver.caFile,
    RETRY_SCHEDULE: '20ms,50ms,50ms',
    MAIL_AUTH: 'false', // its tests have their own DNS server
    PARSE_TIMEOUT: '5m', // far more than a slow machine needs
    ...env,
  };
  const mongo = parts.use(await connectMongo(uri, log));
  const nats = parts.use(await connectNats({ url: natsServer.url, name: 'test' }, log));
  const gateway = parts.use(
    await startGateway(
      readConfig(GatewayConfig, settings),
      ofServices.child({ service: 'gateway' }),
      { ...GATEWAY_CONSTANTS, ...PATIENT, ...constants },
    ),
  );
  const dispatcher = withDispatcher
    ? parts.use(
        await startDispatcher(
          readConfig(DispatcherConfig, settings),
          ofServices.child({ service: 'dispatcher' }),
        ),
      )
    : undefined;
  const addresses = createAddresses(mongo.db, createSecretBox([Buffer.from(key, 'base64')]));
  const smtpPort = Number(gateway.announce.smtp_port);
  const mailer = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    pool: true,
    maxConnections: 20,
    maxMessages: Infinity,
    tls: { rejectUnauthorized: false },
  });
  parts.defer(() => mailer.close());

  const running = parts.move();
  return {
    nats,
    natsServer,
    mongo,
    receiver,
    smtpPort,
    lmtpPort: Number(gateway.announce.lmtp_port),
    mailer,
    settings,
    metricsUrls: {
      gateway: `http://127.0.0.1:${gateway.announce.metrics_port}/metrics`,
      dispatcher: `http://127.0.0.1:${dispatcher?.announce.metrics_port}/metrics`,
    },
    announce: createAddressAnnouncer(nats),
    address: async (path, fields) => {
      const address = newAddress(receiver.url(path), fields);
      await addresses.insert(address);
      return address;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
