/**
 * A small stand-in for prometheus-adapter or KEDA: serves the gauges of a namespace's pods to the
 * HorizontalPodAutoscaler. An external metric is the maximum over all pods, as docs/sizing.md says;
 * a custom metric is that of each pod.
 */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { makeCertificate } from '../../services/adapters/tls/certificates.ts';
import { kubectl, type Namespace } from './kubectl.ts';

const EXTERNAL = 'external.metrics.k8s.io/v1beta1';
const CUSTOM = 'custom.metrics.k8s.io/v1beta2';

type Gauge = { pod: string; value: number };

/** @param host an address of this machine that the API server can reach */
export async function startMetricsStandIn(
  namespace: Namespace,
  host: string,
): Promise<AsyncDisposable> {
  const server = createServer(
    await makeCertificate(['metrics-adapter']),
    (request, response) =>
      void answer(namespace, new URL(request.url ?? '', 'https://adapter')).then(
        (body) =>
          response
            .writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
            .end(JSON.stringify(body ?? {})),
        (error: unknown) => response.writeHead(500).end(String(error)),
      ),
  );
  await new Promise<void>((resolve) => void server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const registration = await registerAdapter(namespace, { host, port });
  return {
    [Symbol.asyncDispose]: async () => {
      await registration[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
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

async function answer(namespace: Namespace, { pathname, searchParams }: URL): Promise<unknown> {
  const [, , group, version, , ofNamespace, ...rest] = pathname.split('/');
  const groupVersion = `${group}/${version}`;
  if (ofNamespace === undefined) return resourceList(groupVersion);
  if (ofNamespace !== namespace.name) return { ...listOf(groupVersion, 'Metric'), items: [] };
  const timestamp = new Date().toISOString();
  if (groupVersion === EXTERNAL) {
    const [name = ''] = rest;
    const gauges = await gaugesOf(namespace, name, 'app.kubernetes.io/component');
    const items = gauges.length === 0 ? [] : [Math.max(...gauges.map(({ value }) => value))];
    return {
      ...listOf(EXTERNAL, 'ExternalMetricValue'),
      items: items.map((value) => ({
        metricName: name,
        metricLabels: {},
        timestamp,
        value: String(value),
      })),
    };
  }
  const [, , name = ''] = rest; // pods/*/NAME
  const gauges = await gaugesOf(namespace, name, searchParams.get('labelSelector') ?? '');
  return {
    ...listOf(CUSTOM, 'MetricValue'),
    items: gauges.map(({ pod, value }) => ({
      describedObject: { kind: 'Pod', namespace: namespace.name, name: pod, apiVersion: '/v1' },
      metric: { name },
      timestamp,
      value: String(value),
    })),
  };
}

const listOf = (apiVersion: string, kind: string) => ({
  kind: `${kind}List`,
  apiVersion,
  metadata: {},
});

const resourceList = (groupVersion: string) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion,
  resources: [
    {
      name:
        groupVersion === EXTERNAL
          ? 'inlet_dispatcher_backlog_mails'
          : 'pods/inlet_smtp_connections',
      singularName: '',
      namespaced: true,
      kind: groupVersion === EXTERNAL ? 'ExternalMetricValueList' : 'MetricValueList',
      verbs: ['get'],
    },
  ],
});

/**
 * Of the pods that run and report it: the sum of its series.
 * @param label part of a series, such as `lane="retry"`
 */
export async function gaugesOf(
  namespace: Namespace,
  metric: string,
  selector: string,
  label = '',
): Promise<Gauge[]> {
  const query = ['get', 'pods', '-l', selector, '--field-selector=status.phase=Running'];
  const names = (await namespace.run(...query, '-o', 'jsonpath={.items[*].metadata.name}'))
    .split(' ')
    .filter((name) => name !== '');
  const pages = await Promise.all(
    names.map(async (pod) => ({ pod, page: await metricsOf(namespace, pod) })),
  );
  return pages.flatMap(({ pod, page }) => {
    const values = page
      .split('\n')
      .filter((line) => /^\w+/.exec(line)?.[0] === metric && line.includes(label))
      .map((line) => Number(line.split(' ').at(-1)));
    return values.length === 0 ? [] : [{ pod, value: values.reduce((sum, one) => sum + one, 0) }];
  });
}

/** Empty for a pod that has no such page, or not yet, or no longer. */
const metricsOf = (namespace: Namespace, pod: string): Promise<string> =>
  namespace
    .run('get', '--raw', `/api/v1/namespaces/${namespace.name}/pods/${pod}:9090/proxy/metrics`)
    .catch(() => '');
