/** The Kubernetes API: its six verbs on whatever resource, with the credentials of the pod or of a kubeconfig. HTTP/1.1, so that one dead connection stops one watch and no more. */
import { once } from 'node:events';
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import { KubeConfig } from '@kubernetes/client-node';

/** What a path is made of; `group` is empty for the core API. */
export type Resource = { group: string; version: string; plural: string };

export type Metadata = {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  finalizers?: string[];
  labels?: Record<string, string>;
  ownerReferences?: OwnerReference[];
};
export type OwnerReference = {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
};
export type KubeObject = { apiVersion?: string; kind?: string; metadata: Metadata };
/** An object that is on its way there. */
export type NewObject = {
  apiVersion: string;
  kind: string;
  metadata: Partial<Metadata>;
  [field: string]: unknown;
};

export type ObjectList = {
  metadata: { resourceVersion: string; continue?: string };
  items: KubeObject[];
};
export type WatchEvent = {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: KubeObject & { code?: number; message?: string };
};

export const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch'] as const;
export type Verb = (typeof VERBS)[number];

/** The API server refused. `reason` is its word for it: `NotFound`, `Conflict`, `AlreadyExists`, `Expired`. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly status: number;
  readonly reason: string | undefined;

  constructor(message: string, status: number, reason: string | undefined) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

type Query = Record<string, string | number | boolean | undefined>;

export type Kube = Disposable & {
  /** Where this process lives, or what the kubeconfig's context says. */
  namespace: string;
  get<T extends KubeObject>(resource: Resource, namespace: string, name: string): Promise<T>;
  list(resource: Resource, namespace: string | undefined, query: Query): Promise<ObjectList>;
  /** Ends when the server ends it; throws when it is silent for longer than `silenceMs`. */
  watch(
    resource: Resource,
    namespace: string | undefined,
    query: Query,
    silenceMs: number,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent>;
  create<T extends KubeObject>(resource: Resource, object: NewObject): Promise<T>;
  update<T extends KubeObject>(resource: Resource, object: NewObject): Promise<T>;
  /** Server-side apply: what this manager said before and says no more is gone. With a uid it makes nothing anew. */
  apply<T extends KubeObject>(
    resource: Resource,
    object: NewObject,
    options: { manager: string; subresource?: 'status' },
  ): Promise<T>;
  /** Changes these fields, whoever set them. With a resource version it is refused when anything changed since. */
  merge<T extends KubeObject>(resource: Resource, object: NewObject): Promise<T>;
};

type Options = {
  /** A file; the pod's service account when absent. */
  kubeconfig: string | undefined;
  timeoutMs: number;
  /** Resolves when the next request may go. */
  turn?: () => Promise<void>;
  /** Called for each request; `resource` as roles name it: `secrets`, `accounts/status`. */
  onRequest?: (verb: Verb, resource: string) => void;
};

export function connectKube({ kubeconfig, timeoutMs, turn, onRequest }: Options): Kube {
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromCluster();
  else config.loadFromFile(kubeconfig);
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error('the kubeconfig names no cluster');
  const send = createSend(config, server);

  async function call<T>(
    verb: Verb,
    method: string,
    resource: Resource,
    where: {
      namespace?: string | undefined;
      name?: string | undefined;
      subresource?: string | undefined;
    },
    sent: { query?: Query; body?: unknown; contentType?: string } = {},
  ): Promise<T> {
    await turn?.();
    onRequest?.(verb, [resource.plural, where.subresource].filter(Boolean).join('/'));
    const response = await send(method, pathOf(resource, where) + queryOf(sent.query), {
      body: sent.body,
      contentType: sent.contentType,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body = await text(response);
    if (response.statusCode === undefined || response.statusCode >= 300)
      throw refusal(response.statusCode, body);
    return JSON.parse(body) as T;
  }

  return {
    namespace: config.getContextObject(config.currentContext)?.namespace ?? 'default',
    get: (resource, namespace, name) => call('get', 'GET', resource, { namespace, name }),
    list: (resource, namespace, query) => call('list', 'GET', resource, { namespace }, { query }),
    watch: async function* watch(resource, namespace, query, silenceMs, signal) {
      onRequest?.('watch', resource.plural);
      const path =
        pathOf(resource, { namespace }) +
        queryOf({ ...query, watch: true, allowWatchBookmarks: true });
      const response = await send('GET', path, { signal, silenceMs });
      if (response.statusCode !== 200) throw refusal(response.statusCode, await text(response));
      for await (const line of linesOf(response)) yield JSON.parse(line) as WatchEvent;
    },
    create: (resource, object) =>
      call('create', 'POST', resource, { namespace: object.metadata.namespace }, { body: object }),
    update: (resource, object) =>
      call('update', 'PUT', resource, placeOf(object), { body: object }),
    apply: (resource, object, { manager, subresource }) =>
      call(
        'patch',
        'PATCH',
        resource,
        { ...placeOf(object), subresource },
        {
          query: { fieldManager: manager, force: true },
          body: object,
          contentType: 'application/apply-patch+yaml',
        },
      ),
    merge: (resource, object) =>
      call('patch', 'PATCH', resource, placeOf(object), {
        body: object,
        contentType: 'application/merge-patch+json',
      }),
    [Symbol.dispose]: () => send.close(),
  };
}

/** Whole lines; what stands after the last one is lost with the connection. */
async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

const placeOf = ({ metadata: { namespace, name } }: NewObject) => ({ namespace, name });

type Sent = {
  body?: unknown;
  contentType?: string | undefined;
  signal: AbortSignal;
  silenceMs?: number;
};
type Send = ((method: string, path: string, sent: Sent) => Promise<IncomingMessage>) & {
  close(): void;
};

/** Credentials are asked for at each request, since tokens change; the client's own HTTP makes new connections each time. */
function createSend(config: KubeConfig, server: string): Send {
  const { protocol, hostname, port, pathname } = new URL(server);
  let agent: Agent | HttpAgent | undefined;
  let madeFor: string | undefined;

  const agentFor = (tls: RequestOptions) => {
    const { ca, cert, key, rejectUnauthorized, servername } = tls;
    const now = JSON.stringify([
      String(ca),
      String(cert),
      String(key),
      rejectUnauthorized,
      servername,
    ]);
    if (agent && madeFor === now) return agent;
    madeFor = now;
    agent =
      protocol === 'https:'
        ? new Agent({ keepAlive: true, ca, cert, key, rejectUnauthorized, servername })
        : new HttpAgent({ keepAlive: true });
    return agent;
  };

  async function sendRequest(
    method: string,
    path: string,
    { body, contentType = 'application/json', signal, silenceMs }: Sent,
  ): Promise<IncomingMessage> {
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const request = (protocol === 'https:' ? httpsRequest : httpRequest)({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      method,
      path: pathname.replace(/\/$/, '') + path,
      signal,
      agent: agentFor(options),
      ...(options.auth !== undefined && options.auth !== null && { auth: options.auth }),
      headers: {
        accept: 'application/json',
        ...(options.headers as Record<string, string> | undefined),
        ...(payload !== undefined && {
          'content-type': contentType,
          'content-length': Buffer.byteLength(payload),
        }),
      },
    });
    if (silenceMs !== undefined)
      request.setTimeout(silenceMs, () =>
        request.destroy(new Error(`the API server was silent for ${silenceMs} ms`)),
      );
    request.end(payload);
    try {
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return response;
    } catch (cause) {
      throw new Error(`${method} ${path.split('?')[0]}`, { cause });
    }
  }
  return Object.assign(sendRequest, { close: () => agent?.destroy() });
}

const pathOf = (
  { group, version, plural }: Resource,
  {
    namespace,
    name,
    subresource,
  }: {
    namespace?: string | undefined;
    name?: string | undefined;
    subresource?: string | undefined;
  },
): string =>
  [
    group === '' ? `/api/${version}` : `/apis/${group}/${version}`,
    ...(namespace === undefined ? [] : ['namespaces', namespace]),
    plural,
    name,
    subresource,
  ]
    .filter((part) => part !== undefined)
    .join('/');

function queryOf(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()}`;
}

function refusal(status: number | undefined, body: string): KubeError {
  try {
    const { message, reason } = JSON.parse(body) as { message?: string; reason?: string };
    return new KubeError(message ?? `status ${status}`, status ?? 0, reason);
  } catch {
    return new KubeError(`status ${status}`, status ?? 0, undefined);
  }
}
