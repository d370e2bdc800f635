/**
 * All of Inlet on one machine, for `npm start` and the tests of the whole system: nats-server and
 * mongod, then api, dispatcher and gateway, and a demo receiver. Each service is a process with its
 * settings in the environment, like a pod. A program that exits is restarted.
 */
import { rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { createApiClient } from './round-trip/api-client.ts';
import {
  secondsSince,
  startMongoBackend,
  startNatsBackend,
  type Backend,
} from './processes/backends.ts';
import type { Report } from './fetch/binaries.ts';
import type { ChildProcess } from './processes/child-process.ts';
import { bundleDashboard } from './processes/dashboard-bundle.ts';
import type { StandaloneConfig } from './settings/config.ts';
import { demoAnswer } from './demo/demo.ts';
import { startLocalNameServer } from '../adapters/dns/local-zone.ts';
import { challengeOf, createSecretLookup, ensureDemoAccount } from './demo-account.ts';
import { ensureKey, ensureTls, type Tls } from './keys.ts';
import { freePort, requireFreePorts } from './processes/ports.ts';
import { startReceiver, type Webhook } from './round-trip/receiver.ts';
import { createRunRecord, takeOver } from './run-record.ts';
import {
  startServiceChild,
  type ServiceChild,
  type ServiceName,
} from './processes/service-child.ts';
import { removeState, writeState, type StandaloneState } from './state/state.ts';
import { supervise, type Supervised } from './processes/supervise.ts';
import { ensureSigningKey, proofOf, testDomains } from './demo/test-domains.ts';
import { checkSettings, joinedKeys, settingsIn } from './settings/user-settings.ts';
import { webhookTrust } from './webhook-trust.ts';

const HOST = '127.0.0.1';
const LOOPBACK_NETWORKS = '127.0.0.0/8,::1/128';
const CHECKOUT = resolve(import.meta.dirname, '..', '..');

type StandaloneOptions = {
  /** The environment that the services inherit: PATH, and the user's settings for them. */
  env: NodeJS.ProcessEnv;
  /**
   * Settings of the services that override all others, such as `{ RETRY_SCHEDULE: '20ms,50ms' }`.
   */
  serviceEnv?: NodeJS.ProcessEnv;
  report: Report;
  /** Called for each webhook that the demo receiver accepted. */
  onWebhook?: (webhook: Webhook) => void;
};

export type Standalone = AsyncDisposable & {
  /** How to reach everything, with the present pids. */
  state(): StandaloneState;
  /**
   * A certificate for localhost, 127.0.0.1 and ::1. The dispatcher trusts receivers that use it.
   */
  tls: Tls;
  dataDir: string;
};

export async function startStandalone(
  config: StandaloneConfig,
  options: StandaloneOptions,
): Promise<Standalone> {
  const { env, serviceEnv = {}, report, onWebhook = () => undefined } = options;
  const dataDir = resolve(CHECKOUT, config.INLET_DIR);
  const logFile = (name: string) => join(dataDir, 'logs', `${name}.log`);
  const finder = {
    env: { ...env, ...definedOf(config) },
    cacheDir: resolve(CHECKOUT, config.INLET_CACHE),
    report,
  };

  const given = settingsIn(env);
  checkSettings(given, report);
  await takeOver(dataDir, report);
  await removeState(dataDir);
  await requireFreePorts(
    [
      { port: config.SMTP_PORT, what: 'SMTP', setting: 'SMTP_PORT' },
      { port: config.API_PORT, what: 'the API', setting: 'API_PORT' },
      { port: config.RECEIVER_PORT, what: 'the demo receiver', setting: 'RECEIVER_PORT' },
    ],
    HOST,
  );
  const [tls, secretKey, linkKey, replyKey, signingKey] = await Promise.all([
    ensureTls(dataDir),
    ensureKey(dataDir, 'secret-key'),
    ensureKey(dataDir, 'link-key'),
    ensureKey(dataDir, 'reply-key'),
    ensureSigningKey(dataDir),
  ]);

  await using parts = new AsyncDisposableStack();
  const record = createRunRecord(dataDir);
  parts.defer(() => record.forget());
  const children: Supervised<ChildProcess>[] = [];
  let isReady = false;
  const setup = { dataDir, finder, onSpawn: record.add, onRestart };
  await Promise.all(
    ['nats-server', 'mongod', 'api', 'dispatcher', 'gateway'].map((name) =>
      keepPreviousLog(logFile(name)),
    ),
  );

  let api = createApiClient('', '');
  const zone = testDomains(signingKey.pem, (domain) => challengeOf(api, domain));
  const names =
    given.DNS_SERVERS === undefined
      ? parts.use(await startLocalNameServer(zone, await freePort()))
      : undefined;
  const bundling = given.DASHBOARD_DIR === undefined && bundleDashboard(dataDir, env, report);
  const [nats, mongo] = await allStarted(
    [startNatsBackend(config, setup), startMongoBackend(config, setup)],
    keepBackend,
  );

  const receiver = parts.use(
    await startReceiver({
      host: HOST,
      port: config.RECEIVER_PORT,
      certFile: tls.certFile,
      keyFile: tls.keyFile,
      onWebhook,
      answerAt: demoAnswer,
      secretOf: createSecretLookup(() => api),
      onRefused: (reason) => report(`the demo receiver rejected a webhook: ${reason}`),
    }),
  );

  const trust = webhookTrust(env, { networks: LOOPBACK_NETWORKS, caFile: tls.caFile });
  const common = { ...trust, NATS_URL: nats.url, MONGODB_URI: mongo.url };
  const encryption = { SECRET_KEYS: joinedKeys(given.SECRET_KEYS, secretKey) };
  const linkKeys = {
    LINK_KEYS: joinedKeys(given.LINK_KEYS, linkKey),
    REPLY_KEYS: joinedKeys(given.REPLY_KEYS, replyKey),
  };
  const hasOwnCertificate = given.TLS_CERT_FILE === undefined && given.TLS_KEY_FILE === undefined;
  const [smtpPort, apiPort, lmtpPort] = await Promise.all([
    config.SMTP_PORT || freePort(),
    config.API_PORT || freePort(),
    freePort(),
  ]);
  const lmtp = { LMTP_PORT: String(lmtpPort), LMTP_NETWORKS: LOOPBACK_NETWORKS };
  const apiUrl = `http://${HOST}:${apiPort}/v1`;
  const outside = { PUBLIC_API_URL: apiUrl, ...(names && { DNS_SERVERS: names.address }) };
  const dashboard = await bundling;
  const startedMs = Date.now();
  const [apiService, dispatcher, gateway] = await allStarted(
    [
      service(
        'api',
        { API_PORT: String(apiPort), ...encryption, ...linkKeys },
        { API_HOST: HOST, INTAKE_LMTP: `lmtp://${HOST}:${lmtpPort}`, ...dashboard, ...outside },
      ),
      service('dispatcher', encryption),
      service(
        'gateway',
        { SMTP_PORT: String(smtpPort), ...encryption, ...linkKeys },
        {
          SMTP_HOST: HOST,
          SMTP_HOSTNAME: 'localhost',
          ...lmtp,
          ...(hasOwnCertificate && { TLS_CERT_FILE: tls.certFile, TLS_KEY_FILE: tls.keyFile }),
          ...outside,
        },
      ),
    ],
    keepChild,
  );
  report(`api, dispatcher and gateway are ready (${secondsSince(startedMs)})`);

  const account = await ensureDemoAccount({
    dataDir,
    apiUrl,
    mongoUri: mongo.url,
    receiverUrl: receiver.url,
  });
  api = createApiClient(apiUrl, account.token);

  isReady = true;
  parts.defer(() => removeState(dataDir));
  await writeState(dataDir, state());
  const started = parts.move();
  return { state, tls, dataDir, [Symbol.asyncDispose]: () => started.disposeAsync() };

  function state(): StandaloneState {
    const services = { api: apiService, dispatcher, gateway };
    const metricsUrl = (of: Supervised<ServiceChild>) =>
      `http://${HOST}:${of.current().ports.metrics_port}/metrics`;
    return {
      api_url: apiUrl,
      token: account.token,
      smtp_host: HOST,
      smtp_port: smtpPort,
      address: account.address,
      receiver_url: receiver.url,
      ca_file: tls.caFile,
      ...(hasOwnCertificate && { smtp_ca_file: tls.caFile }),
      ...(names && { test_domains: proofOf(signingKey.file) }),
      webhook_ca_file: trust.WEBHOOK_CA_FILE,
      nats_url: nats.url,
      mongodb_uri: mongo.url,
      metrics_urls: Object.fromEntries(
        Object.entries(services).map(([name, of]) => [name, metricsUrl(of)]),
      ),
      pids: Object.fromEntries([
        ['standalone', process.pid],
        ...children.map((child) => [child.current().name, child.current().pid]),
      ]),
    };
  }

  /**
   * Chooses the ports here, so that they stay the same after a restart.
   * @param required settings that the user's cannot replace
   * @param defaults settings that the user's replace
   */
  async function service(
    name: ServiceName,
    required: NodeJS.ProcessEnv,
    defaults: NodeJS.ProcessEnv = {},
  ): Promise<Supervised<ServiceChild>> {
    const own = {
      ...DEFAULTS,
      ...defaults,
      ...given,
      ...common,
      METRICS_PORT: String(await freePort()),
      ...required,
      ...serviceEnv,
    };
    return supervise({
      start: () => startServiceChild(name, own, logFile(name), record.add),
      report,
      onRestart,
    });
  }

  /** A restart changes the pid. */
  async function onRestart(): Promise<void> {
    if (isReady) await writeState(dataDir, state());
  }

  function keepBackend({ supervised }: Backend): void {
    if (supervised) keepChild(supervised);
  }

  function keepChild(child: Supervised<ChildProcess>): void {
    children.push(parts.use(child));
  }
}

/** Defaults for a single machine. The user's settings replace them. */
const DEFAULTS = {
  INBOUND_DOMAIN: 'inlet.localhost',
  SEARCH_BODIES: '7d',
  SMTP_STOP_GRACE: '2s',
  METRICS_HOST: HOST,
};

/**
 * Waits for all starts and keeps those that succeeded before it throws for one that failed, so that
 * all are stopped.
 */
async function allStarted<T extends readonly unknown[]>(
  starts: { [K in keyof T]: Promise<T[K]> },
  keep: (started: T[number]) => void,
): Promise<T> {
  const outcomes = await Promise.allSettled(starts);
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') keep(outcome.value);
  return Promise.all(starts);
}

/** Keeps the log of the previous run, as `<name>.log.1`. */
async function keepPreviousLog(path: string): Promise<void> {
  await rename(path, `${path}.1`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

const definedOf = ({ NATS_SERVER_BIN, MONGOD_BIN }: StandaloneConfig) => ({
  NATS_SERVER_BIN,
  MONGOD_BIN,
});
