/**
 * A Kubernetes API in memory, over HTTP, for what services/adapters/kube asks of one: lists in
 * pages, watches, server-side apply, conflicts, finalizers, owners, and the faults of faults.ts. It
 * has no RBAC and no admission. test/adapters/kube/client.test.ts describes what it does.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

import { createLifetime, type Lifetime } from '../lifetime.ts';
import { testDir } from '../servers.ts';
import { ApiError, notModelled, statusOf } from './api-error.ts';
import { createFaults, type Faults, refusalOf } from './faults.ts';
import { createObjects, type Objects, type Sent } from './objects.ts';
import { type Call, callOf, createPages, watchingOf } from './routes.ts';
import { createVerbs, type Verbs } from './verbs.ts';
import { createWatches, type Watches } from './watching.ts';

export type KubeApi = AsyncDisposable & {
  objects: Objects;
  /** What users do, without HTTP. */
  verbs: Verbs;
  faults: Pick<Faults, 'order' | 'heal'>;
  watches: Pick<Watches, 'end'>;
  /** All calls over HTTP so far, such as `create secrets`. */
  calls: string[];
  /** Path of a kubeconfig for a process, which may end. */
  kubeconfig(lifetime?: Lifetime): Promise<string>;
};

type Answer = { status: number; body: object; retryAfterSeconds?: number | undefined };

export async function startKubeApi(): Promise<KubeApi> {
  await using parts = new AsyncDisposableStack();
  const dir = parts.use(await testDir());
  const objects = createObjects();
  const verbs = createVerbs(objects);
  const faults = createFaults();
  const watches = parts.use(createWatches(objects));
  const page = createPages(objects);
  const calls: string[] = [];

  function execute(call: Call, type: string | undefined, sent: Sent): Answer {
    const { method, title, query, subresource, name } = call;
    const isDryRun = query.get('dryRun') === 'All';
    if (method === 'GET')
      return { status: 200, body: name === '' ? page(call) : objects.get(call) };
    if (method === 'POST')
      return {
        status: 201,
        body: verbs.create({ ...call, name: sent.metadata.name ?? '' }, sent, isDryRun),
      };
    if (method === 'PUT' && subresource === undefined)
      return { status: 200, body: verbs.update(call, sent, isDryRun) };
    if (method === 'DELETE') return { status: 200, body: objects.remove(call) };
    if (type === 'application/merge-patch+json')
      return { status: 200, body: verbs.merge(call, sent, subresource) };
    const manager = query.get('fieldManager');
    if (type !== 'application/apply-patch+yaml' || manager === null || !query.has('force'))
      throw notModelled(`${title} of type ${type}`);
    return { status: 200, body: verbs.apply(call, sent, manager, subresource) };
  }

  async function handle(
    { method = '', url = '', headers }: IncomingMessage,
    response: ServerResponse,
    sent: Sent,
    lifetime: Lifetime,
  ): Promise<void> {
    const call = callOf(method, url);
    const fate = lifetime.next(method !== 'GET');
    if (fate === 'never') return void response.destroy();
    calls.push(call.title);
    const fault = faults.next(call.title, call.namespace);
    const { status, drops, retryAfterSeconds } = fault;
    await fault.after?.();
    if (drops === 'request') return void response.destroy();
    const isRefused = status !== undefined;
    if (call.query.get('watch') === 'true' && !isRefused && drops === undefined)
      return watches.open(response, watchingOf(call));
    const answer = attempt(() => {
      if (isRefused) throw refusalOf(status, fault);
      return execute(call, headers['content-type'], sent);
    });
    if (drops === 'response' || fate === 'last') response.destroy();
    else respond(response, { ...answer, retryAfterSeconds });
    if (fate === 'last') lifetime.end();
  }

  const running = parts.move();
  let processes = 0;
  return {
    objects,
    verbs,
    faults,
    watches,
    calls,
    kubeconfig: async (lifetime = createLifetime()) => {
      // never ends a connection that is idle: a client may be sending its next request just then
      const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
        readSent(request)
          .then((sent) => handle(request, response, sent, lifetime))
          .catch((error: unknown) => {
            if (error instanceof ApiError) respond(response, answerOf(error));
            else response.destroy(error as Error);
          });
      });
      running.defer(() => close(server));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const path = join(dir.path, `kubeconfig-${processes++}`);
      await writeFile(path, JSON.stringify(kubeconfigOf(`http://127.0.0.1:${port}`)));
      return path;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const readSent = async (request: IncomingMessage) =>
  (['GET', 'DELETE'].includes(request.method ?? '') ? {} : await json(request)) as Sent;

function attempt(work: () => Answer): Answer {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return answerOf(error);
  }
}

const answerOf = (error: ApiError): Answer => ({ status: error.status, body: statusOf(error) });

function respond(response: ServerResponse, { status, body, retryAfterSeconds }: Answer): void {
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', retryAfterSeconds);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

const kubeconfigOf = (server: string) => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'test',
  clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
  users: [{ name: 'test', user: {} }],
  contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'inlet' } }],
});
