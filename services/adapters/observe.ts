/** What watches a process from outside: /metrics for Prometheus, /healthz and /readyz for the kubelet, on a port of their own. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';

import type { Log } from './log.ts';

/** A registry that already holds Node's own metrics. */
export function createRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

export type Observability = AsyncDisposable & { port: number };

type Options = {
  host: string;
  /** 0 for any free port. */
  port: number;
  registry: Registry;
  /** Whether the process can do its work now; false turns /readyz into 503. */
  isReady: () => boolean | Promise<boolean>;
};

export async function serveObservability({ host, port, registry, isReady }: Options, log: Log): Promise<Observability> {
  const pages: Record<string, () => Promise<[status: number, contentType: string, body: string]>> = {
    '/metrics': async () => [200, registry.contentType, await registry.metrics()],
    '/healthz': async () => [200, 'text/plain', 'ok\n'],
    '/readyz': async () => ((await isReady()) ? [200, 'text/plain', 'ready\n'] : [503, 'text/plain', 'not ready\n']),
  };
  const server = createServer((request, response) => {
    const page = pages[request.url?.split('?')[0] ?? ''];
    const answer = page?.() ?? Promise.resolve([404, 'text/plain', 'not found\n'] as const);
    answer.then(
      ([status, contentType, body]) => response.writeHead(status, { 'content-type': contentType }).end(body),
      (error: unknown) => {
        log.error('observability.failed', { path: request.url, error });
        response.writeHead(500).end();
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(`serve metrics on ${host}:${port}`, { cause })));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
