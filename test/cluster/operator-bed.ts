/** Operators on this machine, as the service account that the chart would give them, over the servers of a test and a namespace of its own. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readConfig } from '../../services/adapters/config.ts';
import { createLog } from '../../services/adapters/log.ts';
import { OperatorConfig } from '../../services/operator/config.ts';
import { startOperator } from '../../services/operator/operator.ts';
import { LEASE_RULES, RULES } from '../../services/operator/permissions.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { startTestDns, type TestDns } from '../support/dns-server.ts';
import { testDir } from '../support/servers.ts';
import { createNamespace, CRDS, kubectl, type Namespace } from './kubectl.ts';

export type OperatorBed = AsyncDisposable & {
  namespace: Namespace;
  pipeline: Pipeline;
  api: TestApi;
  /** What operators ask. */
  dns: TestDns;
  /** Settings of an operator. */
  env: Record<string, string>;
  /** Lets operators tend another namespace too. */
  grant(namespace: Namespace): Promise<void>;
  /** In this process. */
  start(env?: Record<string, string>): Promise<Operator>;
};

export type Operator = AsyncDisposable & {
  /** The sum of a metric over all series whose labels hold this text. */
  metric(name: string, labels?: string): Promise<number>;
  /** What it asked of the Kubernetes API, as `list secrets`. */
  requests(): Promise<Map<string, number>>;
  /** Host and port of its metrics. */
  metricsHost: string;
  /** Status of its /healthz or /readyz. */
  health(page: 'healthz' | 'readyz'): Promise<number>;
};

const log = createLog(process.env.TEST_LOG === 'info' ? 'debug' : 'silent');

export async function startOperatorBed(): Promise<OperatorBed> {
  await using parts = new AsyncDisposableStack();
  await kubectl(['apply', '--server-side', '--force-conflicts', '-f', CRDS]);
  await kubectl(['wait', '--for=condition=Established', '-f', CRDS]);
  const dir = parts.use(await testDir());
  const dns = parts.use(await startTestDns());
  const pipeline = parts.use(await startPipeline());
  const { SECRET_KEYS = '', MONGODB_URI = '', NATS_URL = '', WEBHOOK_ALLOWED_NETWORKS = '' } = pipeline.settings;
  const api = parts.use(await startTestApi({ mongoUri: MONGODB_URI, natsServer: pipeline.natsServer, env: { SECRET_KEYS, WEBHOOK_ALLOWED_NETWORKS } }));
  const namespace = parts.use(await createNamespace());
  const kubeconfig = join(dir.path, 'kubeconfig');
  await writeFile(kubeconfig, await kubeconfigOfServiceAccount(namespace));
  const env = {
    SECRET_KEYS, MONGODB_URI, NATS_URL, WEBHOOK_ALLOWED_NETWORKS, INBOUND_DOMAIN: 'in.example', MX_HOSTS: 'mx.in.example', DNS_SERVERS: dns.address, METRICS_HOST: '127.0.0.1', METRICS_PORT: '0',
    KUBECONFIG: kubeconfig, WATCH_NAMESPACES: namespace.name, LEASE_NAMESPACE: namespace.name, LEASE_DURATION: '3s', RESYNC_INTERVAL: '2s', WATCH_TIMEOUT: '2s',
  };
  const running = parts.move();
  return {
    namespace, pipeline, api, dns, env,
    grant: async (other) => void (await other.apply(...roleOf(namespace.name))),
    start: async (more = {}) => {
      const operator = await startOperator(readConfig(OperatorConfig, { ...env, ...more }), log.child({ service: 'operator' }));
      const url = `http://127.0.0.1:${operator.announce.metrics_port}`;
      return { ...watched(url), [Symbol.asyncDispose]: () => operator[Symbol.asyncDispose]() };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** An operator as it is seen from outside. */
export function watched(url: string): Omit<Operator, typeof Symbol.asyncDispose> {
  const series = async (name: string) => {
    const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n').filter((line) => line.startsWith(`${name}{`));
    return lines.map((line) => ({ labels: line.slice(0, line.lastIndexOf(' ')), value: Number(line.slice(line.lastIndexOf(' '))) }));
  };
  return {
    metricsHost: new URL(url).host,
    metric: async (name, labels = '') => (await series(name)).filter((one) => one.labels.includes(labels)).reduce((sum, { value }) => sum + value, 0),
    requests: async () =>
      new Map((await series('inlet_operator_requests_total')).map(({ labels, value }) => [`${/verb="(\w+)"/.exec(labels)?.[1]} ${/resource="([\w/]+)"/.exec(labels)?.[1]}`, value])),
    health: async (page) => (await fetch(`${url}/${page}`)).status,
  };
}

const NAME = 'inlet-operator';

/** What permissions.ts says, for the service account in this namespace. */
const roleOf = (namespace: string) => [
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: NAME }, rules: [...RULES, ...LEASE_RULES] },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: NAME },
    subjects: [{ kind: 'ServiceAccount', name: NAME, namespace }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: NAME },
  },
];

/** A service account that may do what permissions.ts says and nothing else. */
async function kubeconfigOfServiceAccount(namespace: Namespace): Promise<string> {
  const name = NAME;
  await namespace.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } }, ...roleOf(namespace.name));
  const token = (await namespace.run('create', 'token', name, '--duration=1h')).trim();
  const clusters = await currentCluster();
  return JSON.stringify({
    apiVersion: 'v1', kind: 'Config', clusters, users: [{ name, user: { token } }],
    contexts: [{ name: 'test', context: { cluster: clusters[0]?.name, user: name, namespace: namespace.name } }], 'current-context': 'test',
  });
}

type Clusters = [{ name: string; cluster: { server: string; 'tls-server-name'?: string } }];

async function currentCluster(): Promise<Clusters> {
  return (JSON.parse(await kubectl(['config', 'view', '--minify', '--raw', '-o', 'json'])) as { clusters: Clusters }).clusters;
}

/** The same kubeconfig, by way of another port of this machine. */
export async function throughPort(bed: OperatorBed, port: number): Promise<string> {
  const config = JSON.parse(await readFile(bed.env.KUBECONFIG ?? '', 'utf8')) as { clusters: Clusters };
  config.clusters[0].cluster = { ...config.clusters[0].cluster, server: `https://127.0.0.1:${port}`, 'tls-server-name': 'kubernetes.default' };
  const file = `${bed.env.KUBECONFIG}-${port}`;
  await writeFile(file, JSON.stringify(config));
  return file;
}

/** Where the API server is, as the kubeconfig says. */
export const apiServer = async () => new URL((await currentCluster())[0].cluster.server);
