/**
 * Operators on this machine, with the permissions of the chart's service account, the servers of a
 * test and a separate namespace.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readConfig } from '../../services/adapters/process/config.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { OperatorConfig } from '../../services/operator/process/config.ts';
import {
  OPERATOR_CONSTANTS,
  type OperatorConstants,
} from '../../services/operator/process/constants.ts';
import { startOperator } from '../../services/operator/operator.ts';
import { startTestApi, type TestApi } from '../support/start-api.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { startTestDns, type TestDns } from '../support/dns-server.ts';
import { testDir } from '../support/servers.ts';
import { createNamespace, establishDefinitions, type Namespace } from './kubectl.ts';
import {
  type Clusters,
  currentCluster,
  kubeconfigOfServiceAccount,
  roleOf,
} from './operator-credentials.ts';
import { type Operator, watched } from './operator-process.ts';

export type OperatorBed = AsyncDisposable & {
  namespace: Namespace;
  pipeline: Pipeline;
  api: TestApi;
  /** Requests that operators send. */
  dns: TestDns;
  /** Settings of an operator. */
  env: Record<string, string>;
  /** Lets operators manage another namespace too. */
  grant(namespace: Namespace): Promise<void>;
  /** In this process. */
  start(env?: Record<string, string>, constants?: Partial<OperatorConstants>): Promise<Operator>;
};

const log = createLog(process.env.TEST_LOG === 'info' ? 'debug' : 'silent');

export async function startOperatorBed(): Promise<OperatorBed> {
  await using parts = new AsyncDisposableStack();
  await establishDefinitions();
  const dir = parts.use(await testDir());
  const dns = parts.use(await startTestDns());
  const pipeline = parts.use(await startPipeline());
  const {
    SECRET_KEYS = '',
    MONGODB_URI = '',
    NATS_URL = '',
    WEBHOOK_ALLOWED_NETWORKS = '',
  } = pipeline.settings;
  const api = parts.use(
    await startTestApi({
      mongoUri: MONGODB_URI,
      natsServer: pipeline.natsServer,
      env: { SECRET_KEYS, WEBHOOK_ALLOWED_NETWORKS },
    }),
  );
  const namespace = parts.use(await createNamespace());
  const kubeconfig = join(dir.path, 'kubeconfig');
  await writeFile(kubeconfig, await kubeconfigOfServiceAccount(namespace));
  const env = {
    SECRET_KEYS,
    MONGODB_URI,
    NATS_URL,
    WEBHOOK_ALLOWED_NETWORKS,
    INBOUND_DOMAIN: 'in.example',
    MX_HOSTS: 'mx.in.example',
    DNS_SERVERS: dns.address,
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: '0',
    KUBECONFIG: kubeconfig,
    WATCH_NAMESPACES: namespace.name,
  };
  const running = parts.move();
  return {
    namespace,
    pipeline,
    api,
    dns,
    env,
    grant: async (other) => void (await other.apply(...roleOf(namespace.name))),
    start: async (more = {}, constants = {}) => {
      const operator = await startOperator(
        readConfig(OperatorConfig, { ...env, ...more }),
        log.child({ service: 'operator' }),
        { ...OPERATOR_CONSTANTS, resyncMs: 2_000, watchMs: 2_000, leaseMs: 3_000, ...constants },
      );
      const url = `http://127.0.0.1:${operator.announce.metrics_port}`;
      return { ...watched(url), [Symbol.asyncDispose]: () => operator[Symbol.asyncDispose]() };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The same kubeconfig, through another port of this machine. */
export async function throughPort(bed: OperatorBed, port: number): Promise<string> {
  const config = JSON.parse(await readFile(bed.env.KUBECONFIG ?? '', 'utf8')) as {
    clusters: Clusters;
  };
  config.clusters[0].cluster = {
    ...config.clusters[0].cluster,
    server: `https://127.0.0.1:${port}`,
    'tls-server-name': 'kubernetes.default',
  };
  const file = `${bed.env.KUBECONFIG}-${port}`;
  await writeFile(file, JSON.stringify(config));
  return file;
}

/** Host and port of the API server in the kubeconfig. */
export const apiServer = async () => new URL((await currentCluster())[0].cluster.server);
