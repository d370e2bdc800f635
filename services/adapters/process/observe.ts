/**
 * A process's HTTP server for monitoring: /metrics for Prometheus, /healthz and /readyz for the
 * kubelet.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';

import { VERSION } from '../../core/version.ts';
import { REVISION } from './commit.ts';
import { limitConnections, type ConnectionLimits } from '../http/open-connections.ts';
import { hasOtherTransferCoding } from '../http/transfer-coding.ts';
import type { Log } from './log.ts';
import { ANY, createMeter } from './meter.ts';

/** The servers that a process depends on, and whether it is connected to them now. */
export type Connections = Partial<Record<'nats' | 'mongodb' | 'kubernetes', () => boolean>>;

/** A sample wakes the process. The usual 10 ms are most of what an idle service would cost. */
const LAG_SAMPLE_MS = 50;

/**
 * A registry with the metrics of every process: Node's own, the version and the connections. The
 * label `component` names the service, because Prometheus uses `service` for the Kubernetes
 * Service.
 */
export function createRegistry(component: string, connections: Connections = {}): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ component });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
  const { gauge } = createMeter(registry);
  gauge(
    'inlet_build_info',
    'always 1; labels show the running version of Inlet, the commit that it was built from, and the version of Node',
    { version: ANY, revision: ANY, node: ANY },
    (set) => set({ version: VERSION, revision: REVISION, node: process.version }, 1),
  );
  gauge(
    'inlet_backend_connected',
    '1 while connected to a backend, 0 while not',
    { backend: ANY },
    (set) => {
      for (const [backend, isConnected] of Object.entries(connections))
        set({ backend }, isConnected() ? 1 : 0);
    },
  );
  return registry;
}

type Observability = AsyncDisposable & { port: number };

type Options = {
  host: string;
  /** 0 for any free port. */
  port: number;
  registry: Registry;
  /** Whether the process can do its work now. If not, /readyz responds with 503. */
  isReady: () => boolean | Promise<boolean>;
  /** Why the process should be restarted; undefined while it is healthy. */
  illness?: () => string | undefined;
  /** Tests have shorter ones. */
  limits?: ObservabilityLimits;
};

type ObservabilityLimits = ConnectionLimits & { requestMs: number; checkMs: number };

/** For a few probes and scrapes, which are small. */
const LIMITS: ObservabilityLimits = {
  maxConnections: 128,
  lingerMs: 2_000,
  requestMs: 10_000,
  checkMs: 2_000,
};

export async function serveObservability(
  { host, port, registry, isReady, illness, limits = LIMITS }: Options,
  log: Log,
): Promise<Observability> {
  const build = `version ${VERSION}, revision ${REVISION}`;
  const pages: Record<string, () => Promise<[status: number, contentType: string, body: string]>> =
    {
      '/metrics': async () => [200, registry.contentType, await registry.metrics()],
      '/healthz': async () => {
        const ill = illness?.();
        return ill === undefined ? [200, 'text/plain', 'ok\n'] : [503, 'text/plain', `${ill}\n`];
      },
      '/readyz': async () =>
        (await isReady())
          ? [200, 'text/plain', `ready\n${build}\n`]
          : [503, 'text/plain', `not ready\n${build}\n`],
    };
  const settings = {
    headersTimeout: limits.requestMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkMs,
  };
  const server = createServer(settings, (request, response) => {
    if (hasOtherTransferCoding(request)) {
      response.writeHead(400, { connection: 'close' }).end();
      return;
    }
    const page = pages[request.url?.split('?')[0] ?? ''];
    const rendered = page?.() ?? Promise.resolve([404, 'text/plain', 'not found\n'] as const);
    rendered.then(
      ([status, contentType, body]) =>
        response.writeHead(status, { 'content-type': contentType }).end(body),
      (error: unknown) => {
        log.error('observability.failed', { path: request.url, error });
        response.writeHead(500).end();
      },
    );
  });
  const connections = limitConnections(server, limits);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new Error(`serve metrics on ${host}:${port}`, { cause })),
    );
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        connections.destroyAll();
      }),
  };
}
