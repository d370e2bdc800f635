/**
 * All of Inlet on one machine, for `npm start`, the container of docs/one-container.md and the tests of
 * the whole system: nats-server and mongod, then api, dispatcher and gateway. Each service is a process
 * with its settings in the environment, like a pod. A program that exits is restarted.
 */
import { rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { Duration } from '../core/time/duration.ts';
import { createApiClient } from './round-trip/api-client.ts';
import {
  secondsSince,
  startMongoBackend,
  startNatsBackend,
  type Backend,
} from './processes/backends.ts';
import type { Report } from './fetch/binaries.ts';
import type { ChildProcess } from './processes/child-process.ts';
import type { StandaloneConfig } from './settings/config.ts';
import { ensureFirstAccount } from './first-account.ts';
import { ensureKey, ensureTls, type Tls } from './keys.ts';
import { freePort, requireFreePorts } from './processes/ports.ts';
import type { Webhook } from './round-trip/receiver.ts';
import { createRunRecord, takeOver } from './run-record.ts';
import {
  startServiceChild,
  type ServiceChild,
  type ServiceName,
} from './processes/service-child.ts';
import { removeState, writeState, type StandaloneState } from './state/state.ts';
import { supervise, type Supervised } from './processes/supervise.ts';
import { checkSettings, joinedKeys, settingsIn } from './settings/user-settings.ts';
import { startTrial } from './trial.ts';

const HOST = '127.0.0.1';
const LOOPBACK_NETWORKS = '127.0.0.0/8,::1/128';
const CHECKOUT = resolve(import.meta.dirname, '..', '..');
/** In the order of their metrics ports. */
const SERVICES: readonly ServiceName[] = ['gateway', 'dispatcher', 'api'];
/** A service that is stopped ends this long after its connections. */
const STOP_MARGIN_MS = 500;

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
  /** Without what trial.ts adds; logs go to the output of this process. */
  isProduction?: boolean;
};

export type Standalone = AsyncDisposable & {
  /** How to reach everything, with the present pids. */
  state(): StandaloneState;
  /**
   * A certificate for localhost, 127.0.0.1 and ::1. The dispatcher trusts receivers that use it.
   */
  tls: Tls;
  dataDir: string;
  /** Whether this start made the account. */
  isFirst: boolean;
};

export async function startStandalone(
  config: StandaloneConfig,
  options: StandaloneOptions,
): Promise<Standalone> {
  const { env, serviceEnv = {}, report, onWebhook = () => undefined, isProduction } = options;
  const dataDir = resolve(CHECKOUT, config.INLET_DIR);
  const logFile = (name: string) =>
    isProduction ? undefined : join(dataDir, 'logs', `${name}.log`);
  const finder = {
    env: { ...env, ...definedOf(config) },
    cacheDir: resolve(CHECKOUT, config.INLET_CACHE),
    report,
  };

  const given = settingsIn(env);
  checkSettings(given, report, isProduction);
  await takeOver(dataDir, report);
  await removeState(dataDir);
  await requireFreePorts(
    [
      { port: config.SMTP_PORT, what: 'SMTP', setting: 'SMTP_PORT' },
      { port: config.API_PORT, what: 'the API', setting: 'API_PORT' },
      ...(isProduction
        ? []
        : [{ port: config.RECEIVER_PORT, what: 'the demo receiver', setting: 'RECEIVER_PORT' }]),
    ],
    HOST,
  );
  const [tls, secretKey, linkKey, replyKey] = await Promise.all([
    ensureTls(dataDir),
    ensureKey(dataDir, 'secret-key'),
    ensureKey(dataDir, 'link-key'),
    ensureKey(dataDir, 'reply-key'),
  ]);

  await using parts = new AsyncDisposableStack();
  const record = createRunRecord(dataDir);
  parts.defer(() => record.forget());
  const children: Supervised<ChildProcess>[] = [];
  let isReady = false;
  const setup = { dataDir, finder, logFile, isProduction, onSpawn: record.add, onRestart };
  await Promise.all(
    ['nats-server', 'mongod', ...SERVICES].map((name) => keepPreviousLog(logFile(name))),
  );

  let api = createApiClient('', '');
  const trial = isProduction
    ? undefined
    : parts.use(
        await startTrial({
          host: HOST,
          receiverPort: config.RECEIVER_PORT,
          networks: LOOPBACK_NETWORKS,
          dataDir,
          tls,
          env,
          report,
          onWebhook,
          api: () => api,
        }),
      );
  const mongoStart = startMongoBackend(config, setup);
  const [nats, mongo] = await allStarted(
    [startNatsBackend(config, setup, mongoStart), mongoStart],
    keepBackend,
  );

  const common = { ...trial?.trust, NATS_URL: nats.url, MONGODB_URI: mongo.url };
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
  const outside = { PUBLIC_API_URL: apiUrl, ...(await trial?.defaults()) };
  const startedMs = Date.now();
  const [apiService, dispatcher, gateway] = await allStarted(
    [
      service(
        'api',
        { API_PORT: String(apiPort), ...encryption, ...linkKeys },
        { API_HOST: HOST, INTAKE_LMTP: `lmtp://${HOST}:${lmtpPort}`, ...outside },
      ),
      service('dispatcher', encryption),
      service(
        'gateway',
        { SMTP_PORT: String(smtpPort), ...encryption, ...linkKeys },
        {
          SMTP_HOST: HOST,
          ...lmtp,
          ...(hasOwnCertificate && { TLS_CERT_FILE: tls.certFile, TLS_KEY_FILE: tls.keyFile }),
          ...outside,
        },
      ),
    ],
    keepChild,
  );
  report(`api, dispatcher and gateway are ready (${secondsSince(startedMs)})`);

  const account = await ensureFirstAccount({
    dataDir,
    apiUrl,
    mongo: { MONGODB_URI: mongo.url, MONGODB_CA_FILE: given.MONGODB_CA_FILE },
    receiverUrl: trial?.receiverUrl,
    token: isProduction ? given.INLET_TOKEN : undefined,
  });
  api = createApiClient(apiUrl, account.token);

  isReady = true;
  parts.defer(() => removeState(dataDir));
  await writeState(dataDir, state());
  const started = parts.move();
  const { isFirst } = account;
  return { state, tls, dataDir, isFirst, [Symbol.asyncDispose]: () => started.disposeAsync() };

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
      ca_file: tls.caFile,
      ...(hasOwnCertificate && { smtp_ca_file: tls.caFile }),
      ...trial?.state,
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
    const metricsPort = Number(given.METRICS_PORT ?? 0);
    const own = {
      ...DEFAULTS,
      ...defaults,
      ...given,
      ...common,
      METRICS_PORT: String(metricsPort ? metricsPort + SERVICES.indexOf(name) : await freePort()),
      ...required,
      ...serviceEnv,
    };
    const grace = Duration.safeParse(own.SMTP_STOP_GRACE).data ?? 0; // the gateway refuses others
    const killAfterMs = isProduction ? grace + STOP_MARGIN_MS : undefined;
    return supervise({
      start: () => startServiceChild(name, own, logFile(name), record.add, killAfterMs),
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
async function keepPreviousLog(path: string | undefined): Promise<void> {
  if (path === undefined) return;
  await rename(path, `${path}.1`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

const definedOf = ({ NATS_SERVER_BIN, MONGOD_BIN }: StandaloneConfig) => ({
  NATS_SERVER_BIN,
  MONGOD_BIN,
});
