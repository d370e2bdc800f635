/**
 * An installation whose parts can fail: a NATS and a MongoDB of its own, services as processes that
 * keep their metrics port, a receiver, and senders. It is a namespace of the monitoring.
 */
import { randomBytes } from 'node:crypto';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type Transporter } from 'nodemailer';

import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import { createTokens } from '../../../services/adapters/mongo/token/tokens.ts';
import { createAddresses } from '../../../services/adapters/mongo/address/addresses.ts';
import { connectMongo, type Mongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createSecretBox } from '../../../services/adapters/mongo/database/secrets.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import type { Address } from '../../../services/core/address/address.ts';
import {
  type ChildProcess,
  startProcess,
} from '../../../services/standalone/processes/child-process.ts';
import { freePort } from '../../../services/standalone/processes/ports.ts';
import { newAddress } from '../../support/new-address.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { startTestMongod, startTestNats, testDir, type TestServer } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import type { Monitoring, Target } from './monitoring.ts';
import { repeatedly } from './pulses.ts';

export type Component = 'gateway' | 'dispatcher' | 'api' | 'operator';
type Settings = Readonly<Record<string, string>>;

export type Service = {
  pid(): number;
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** On the same metrics port. */
  start(settings?: Settings): Promise<void>;
};

export type Bed = AsyncDisposable & {
  namespace: string;
  /** For the logs and settings of services, and the files of a test. */
  dir: string;
  monitoring: Monitoring;
  natsUrl: string;
  nats: TestServer;
  mongod: TestServer;
  mongo: Mongo;
  mongoUri: string;
  receiver: Receiver;
  services: Readonly<Partial<Record<Component, Service>>>;
  service(component: Component): Service;
  apiUrl: string;
  token: string;
  accountId: string;
  smtpPort: number;
  address(path: string, fields?: Partial<Address>): Promise<Address>;
  /** Sends an email, and says whether it was accepted. */
  send(
    to: string | readonly string[],
    mail?: { text?: string; attachmentBytes?: number },
  ): Promise<boolean>;
  /** Sends emails until it is disposed. */
  load(perSecond: number, to: string | (() => string)): AsyncDisposable;
  /** Another Prometheus scrapes the services, too, until this is disposed. */
  watchedBy(another: Monitoring): AsyncDisposable;
};

const STARTS_WITHIN_MS = 120_000;
const SENT_WITHIN_MS = 60_000;
const MOST_IN_FLIGHT = 100;
const log = createLog('silent');

/** The accounts of NATS, as in the chart: the one of Inlet has a limit, and `nats_system` works. */
export const natsAccounts = (maxFile = '4GB') => ({
  accounts:
    '{ SYS: { users: [{ user: system, password: system }] }, ' +
    `INLET: { jetstream: { max_file: ${maxFile} }, users: [{ user: inlet, password: inlet }] } }`,
  system_account: 'SYS',
  no_auth_user: 'inlet',
});

export type BedOptions = {
  monitoring: Monitoring;
  namespace: string;
  /** The services that run, with their settings. */
  run: Partial<Record<Component, Settings>>;
  /** Of all services. */
  settings?: Settings;
  /** How much the account of NATS may store. */
  natsMaxFile?: string;
  /** In place of a server of its own. */
  natsUrl?: string;
};

export async function startBed({
  monitoring,
  namespace,
  run,
  settings = {},
  natsMaxFile,
  natsUrl: givenUrl,
}: BedOptions): Promise<Bed> {
  await using parts = new AsyncDisposableStack();
  const { path: dir } = parts.use(await testDir());
  const nats = parts.use(await startTestNats({ server: natsAccounts(natsMaxFile) }));
  await symlink(nats.logFile, join(dir, 'nats.log'));
  const natsUrl = givenUrl ?? nats.url;
  const mongod = parts.use(await startTestMongod());
  const receiver = parts.use(await startReceiver(dir, { keepsContent: false }));
  const uri = new URL(mongod.url);
  uri.pathname = '/inlet';
  const mongo = parts.use(await connectMongo(uri.href, log));
  const key = randomBytes(32);
  const store = createAddresses(mongo.db, createSecretBox([key]));
  const accounts = createAccounts(mongo.db);
  const { id: accountId } = await accounts.create({ email: 'a@a.example', name: namespace });
  const issued = { accountId, name: namespace, environment: 'live' } as const;
  const { token } = await createTokens(mongo.db).issue(issued);
  const [smtpPort, apiPort] = [await freePort(), await freePort()];
  const { NODE_COMPILE_CACHE } = process.env;
  const shared = {
    PATH: String(process.env.PATH),
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
    NATS_URL: natsUrl,
    MONGODB_URI: uri.href,
    SECRET_KEYS: key.toString('base64'),
    LINK_KEYS: key.toString('base64'),
    PUBLIC_API_URL: `http://127.0.0.1:${apiPort}/v1`,
    METRICS_HOST: '127.0.0.1',
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(smtpPort),
    SMTP_STOP_GRACE: '100ms',
    API_HOST: '127.0.0.1',
    API_PORT: String(apiPort),
    INBOUND_DOMAIN: 'in.example',
    MAIL_AUTH: 'false',
    PARTITIONS: '1',
    STREAM_MAX_BYTES: String(512 * 1024 * 1024),
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    WEBHOOK_CA_FILE: receiver.caFile,
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_PER_HOUR: '1000000',
    SOURCE_MESSAGES_PER_MINUTE: '1000000',
    SOURCE_CONNECTIONS_PER_MINUTE: '1000000',
    ...settings,
  };

  const targets: Target[] = [];
  async function createService(component: Component, own: Settings): Promise<Service> {
    const metricsPort = await freePort();
    const main = new URL(`../../../services/${component}/main.ts`, import.meta.url).pathname;
    let child: ChildProcess | undefined;
    const service: Service = {
      pid: () => {
        if (child === undefined || child.hasExited()) throw new Error(`${component} does not run`);
        return child.pid; // never 0, which would signal this process
      },
      kill: async () => child?.kill(),
      stop: async () => child?.stop(),
      start: async (more = {}) => {
        const env = { ...shared, ...own, ...more, METRICS_PORT: String(metricsPort) };
        await writeFile(join(dir, `${component}.env`), JSON.stringify(env));
        child = await startProcess({
          name: component,
          command: process.execPath,
          args: [main],
          env,
          logFile: join(dir, `${component}.log`),
        });
        await child.announced(
          (line) => line.includes(`"${component}.listening"`) || undefined,
          STARTS_WITHIN_MS,
        );
      },
    };
    parts.defer(() => service.kill());
    await service.start();
    const host = `127.0.0.1:${metricsPort}`;
    const target = { host, job: component, namespace, pod: `${component}-0` };
    targets.push(target);
    parts.defer(monitoring.scrape(target));
    return service;
  }
  const services: Partial<Record<Component, Service>> = {};
  for (const [component, own] of Object.entries(run) as [Component, Settings][])
    services[component] = await createService(component, own);

  const mailer: Transporter = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    ignoreTLS: true,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: SENT_WITHIN_MS,
  });
  parts.defer(() => mailer.close());
  const send: Bed['send'] = (to, { text = 'provoked', attachmentBytes = 0 } = {}) =>
    mailer
      .sendMail({
        from: 'ann@sender.example',
        to: [...(typeof to === 'string' ? [to] : to)],
        subject: `provoked ${randomBytes(8).toString('hex')}`,
        text,
        ...(attachmentBytes > 0 && {
          attachments: [{ filename: 'a.bin', content: randomBytes(attachmentBytes) }],
        }),
      })
      .then(
        () => true,
        () => false,
      );
  const load: Bed['load'] = (perSecond, to) => {
    const sending = new Set<Promise<unknown>>();
    return repeatedly(1_000 / perSecond, () => {
      if (sending.size >= MOST_IN_FLIGHT) return;
      const one = send(typeof to === 'string' ? to : to()).finally(() => sending.delete(one));
      sending.add(one);
    });
  };
  const up = `sum(up{namespace="${namespace}"})`;
  await until(
    'Prometheus to see all services',
    async () =>
      Number((await monitoring.prometheus.query(up))[0]?.value[1]) === Object.keys(run).length,
  );
  const running = parts.move();
  return {
    namespace,
    dir,
    monitoring,
    natsUrl,
    nats,
    mongod,
    mongo,
    mongoUri: uri.href,
    receiver,
    services,
    service: (component) => {
      const found = services[component];
      if (found === undefined) throw new Error(`${namespace} has no ${component}`);
      return found;
    },
    apiUrl: `http://127.0.0.1:${apiPort}/v1`,
    token,
    accountId,
    smtpPort,
    address: async (path, fields = {}) => {
      const address = newAddress(receiver.url(path), { account_id: accountId, ...fields });
      await store.insert(address);
      return address;
    },
    send,
    load,
    watchedBy: (another) => {
      const watched = new AsyncDisposableStack();
      for (const target of targets) watched.defer(another.scrape(target));
      return watched;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
