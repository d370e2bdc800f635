/**
 * prometheus-adapter with the rules of docs/sizing.md. It serves the metrics of a namespace's pods
 * to the HorizontalPodAutoscaler. The adapter and its Prometheus run on this machine, not in pods.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { open, readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { freePort } from '../../services/standalone/processes/ports.ts';
import { findGoTool } from '../support/go-tool.ts';
import { findPrometheus, type RunningPrometheus, startPrometheus } from '../support/prometheus.ts';
import { testDir } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { kubectl, type Namespace } from './kubectl.ts';

const EXTERNAL = 'external.metrics.k8s.io/v1beta1';
const CUSTOM = 'custom.metrics.k8s.io/v1beta2';
const SIZING = join(import.meta.dirname, '..', '..', 'docs', 'sizing.md');
const ANSWERED_WITHIN_MS = 60_000;

type Programs = Awaited<ReturnType<typeof findPrograms>>;

/** @throws the names of the missing ones */
export async function findPrograms() {
  const prometheus = await findPrometheus();
  const adapter = await findGoTool({
    name: 'prometheus-adapter',
    given: process.env.PROMETHEUS_ADAPTER_BIN,
    versionArgs: ['--help'],
    versionStatus: 2,
    module: 'sigs.k8s.io/prometheus-adapter@v0.12.0',
    folder: './cmd/adapter',
  });
  if (prometheus === undefined)
    throw new Error('no prometheus: have prometheus and promtool on PATH, or apt');
  if (adapter === undefined)
    throw new Error('no prometheus-adapter: set PROMETHEUS_ADAPTER_BIN, or have it or go on PATH');
  return { prometheus, adapter };
}

/**
 * Resolves when the API server returns both metrics of the namespace.
 * @param host an address of this machine that the API server can reach
 */
export async function startMetricsAdapter(
  namespace: Namespace,
  { programs, host }: { programs: Programs; host: string },
): Promise<AsyncDisposable & Pick<RunningPrometheus, 'query'>> {
  await using parts = new AsyncDisposableStack();
  const { path: dir } = parts.use(await testDir());
  const pods = parts.use(await servePods(namespace));
  const prometheus = parts.use(
    await startPrometheus(programs.prometheus, {
      dir,
      jobs: { pods: pods.url },
      ruleFiles: [],
    }),
  );
  const { log, port } = parts.use(
    await startAdapter(programs.adapter, { dir, host, prometheusUrl: prometheus.url }),
  );
  parts.use(await registerAdapter(namespace, { host, port }));
  await untilAnswered(namespace).catch(async (cause: unknown) => {
    throw new Error((await readFile(log, 'utf8')).slice(-2_000), { cause });
  });
  const running = parts.move();
  return {
    query: (expr) => prometheus.query(expr),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/**
 * The pods with metrics, as targets with the labels that a PodMonitor sets. Debian's Prometheus
 * cannot find pods itself. NetworkPolicies allow all traffic from a pod's own node.
 */
async function servePods(namespace: Namespace): Promise<AsyncDisposable & { url: URL }> {
  const server = createServer(
    (_, response) =>
      void targets(namespace).then(
        (found) =>
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify(found)),
        (error: unknown) => response.writeHead(500).end(String(error)), // it keeps the last ones
      ),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

async function targets(namespace: Namespace) {
  const components = 'app.kubernetes.io/component in (gateway,dispatcher,api,operator)';
  const query = ['get', 'pods', '-l', components, '--field-selector=status.phase=Running'];
  const { items } = JSON.parse(await namespace.run(...query, '-o', 'json')) as {
    items: { metadata: { name: string }; status: { podIP?: string } }[];
  };
  return items.flatMap(({ metadata, status }) =>
    status.podIP === undefined
      ? []
      : {
          targets: [`${status.podIP}:9090`],
          labels: { namespace: namespace.name, pod: metadata.name },
        },
  );
}

/** Runs it with the rules of the document and the rights of the current context. */
async function startAdapter(
  program: string,
  { dir, host, prometheusUrl }: { dir: string; host: string; prometheusUrl: string },
): Promise<AsyncDisposable & { log: string; port: number }> {
  const port = await freePort();
  const rules = join(dir, 'rules.yaml');
  await writeFile(rules, await documentedRules());
  const kubeconfig = join(dir, 'kubeconfig.yaml');
  const context = await kubectl(['config', 'view', '--raw', '--minify', '--flatten']);
  await writeFile(kubeconfig, context, { mode: 0o600 });
  const log = join(dir, 'adapter.log');
  const output = await open(log, 'w');
  const child = spawn(
    program,
    [
      `--config=${rules}`,
      `--prometheus-url=${prometheusUrl}`,
      '--metrics-relist-interval=2s',
      '--metrics-max-age=1m',
      `--bind-address=${host}`,
      `--secure-port=${port}`,
      `--cert-dir=${dir}`,
      ...['lister', 'authentication', 'authorization'].map(
        (purpose) => `--${purpose}-kubeconfig=${kubeconfig}`,
      ),
    ],
    { stdio: ['ignore', output.fd, output.fd] },
  );
  const ended = once(child, 'exit');
  await output.close();
  return {
    log,
    port,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function documentedRules(): Promise<string> {
  const [, rules] =
    /```yaml\n(externalRules:\n[^`]+)```/.exec(await readFile(SIZING, 'utf8')) ?? [];
  if (rules === undefined) throw new Error('docs/sizing.md has no rules for prometheus-adapter');
  return rules;
}

async function untilAnswered(namespace: Namespace): Promise<void> {
  const paths = [
    `/apis/${EXTERNAL}/namespaces/${namespace.name}/inlet_dispatcher_backlog_mails`,
    `/apis/${CUSTOM}/namespaces/${namespace.name}/pods/*/inlet_smtp_connections`,
  ];
  for (const path of paths) {
    let answer = '';
    await until(
      path,
      async () => {
        answer = await kubectl(['get', '--raw', path]).catch(String);
        return answer.startsWith('{') && (JSON.parse(answer) as { items: [] }).items.length > 0;
      },
      ANSWERED_WITHIN_MS,
    ).catch((cause: unknown) => {
      throw new Error(answer, { cause });
    });
  }
}

/** Has the API server ask an HTTPS server of this machine for metrics. */
async function registerAdapter(
  namespace: Namespace,
  { host, port }: { host: string; port: number },
): Promise<AsyncDisposable> {
  const services = [EXTERNAL, CUSTOM].map((group) => apiService(group, namespace.name));
  await namespace.apply(...backend(host, port), ...services);
  return {
    [Symbol.asyncDispose]: async () => {
      for (const { metadata } of services)
        await kubectl(['delete', 'apiservice', metadata.name, '--ignore-not-found']);
    },
  };
}

function backend(ip: string, port: number) {
  const metadata = { name: 'metrics-adapter' };
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { ports: [{ name: 'https', port: 443, targetPort: port }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': metadata.name } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [ip], conditions: { ready: true } }],
      ports: [{ name: 'https', port }],
    },
  ];
}

function apiService(groupVersion: string, namespace: string) {
  const [group = '', version = ''] = groupVersion.split('/');
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { namespace, name: 'metrics-adapter', port: 443 },
    },
  };
}
