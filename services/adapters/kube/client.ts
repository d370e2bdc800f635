/**
 * The Kubernetes API: its verbs on any resource, with the credentials of the pod or of a
 * kubeconfig.
 */
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { KubeConfig } from '@kubernetes/client-node';

import type { ManagedFields } from '../../core/kube/dropped-fields.ts';
import { createSend } from './transport.ts';

/** `group` is empty for the core API. */
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
  /** Who has set which fields. */
  managedFields?: ManagedFields[];
};
export type OwnerReference = {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
};
export type KubeObject = { apiVersion?: string; kind?: string; metadata: Metadata };
/** An object to write. */
export type NewObject = {
  apiVersion: string;
  kind: string;
  metadata: Partial<Metadata>;
  [field: string]: unknown;
};

type ObjectList = {
  metadata: { resourceVersion: string; continue?: string };
  items: KubeObject[];
};
export type WatchEvent = {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: KubeObject & { code?: number; message?: string };
};

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;
export type Verb = (typeof VERBS)[number];

/**
 * The API server refused a request. `reason` is one of its own: `NotFound`, `Conflict`,
 * `AlreadyExists`, `Expired`.
 */
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

type Write = {
  /** Whether the server only says if it would accept the write. */
  isDryRun?: boolean;
};

export type Kube = Disposable & {
  /** The namespace of this pod, or of the kubeconfig's context. */
  namespace: string;
  get<T extends KubeObject>(resource: Resource, namespace: string, name: string): Promise<T>;
  list(resource: Resource, namespace: string | undefined, query: Query): Promise<ObjectList>;
  /** Ends when the server ends it. @throws when the server sends nothing for `silenceMs` */
  watch(
    resource: Resource,
    namespace: string | undefined,
    query: Query,
    silenceMs: number,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent>;
  create<T extends KubeObject>(resource: Resource, object: NewObject, how?: Write): Promise<T>;
  update<T extends KubeObject>(resource: Resource, object: NewObject, how?: Write): Promise<T>;
  /**
   * Server-side apply: removes fields that this manager set before and no longer sends. With a uid
   * it never creates.
   */
  apply<T extends KubeObject>(
    resource: Resource,
    object: NewObject,
    options: { manager: string; subresource?: 'status' },
  ): Promise<T>;
  /**
   * JSON merge patch of fields of any manager. With a resource version, a later change of the
   * object is a conflict.
   */
  merge<T extends KubeObject>(resource: Resource, object: NewObject): Promise<T>;
  /** Succeeds also when there is no such object. Its finalizers may still delay the end. */
  delete(resource: Resource, namespace: string, name: string): Promise<void>;
};

type Options = {
  /** Path of a file; undefined for the pod's service account. */
  kubeconfig: string | undefined;
  timeoutMs: number;
  /** Called before each request. `resource` as in a Role: `secrets`, `accounts/status`. */
  onRequest?: (verb: Verb, resource: string) => void;
};

export function connectKube({ kubeconfig, timeoutMs, onRequest }: Options): Kube {
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
    create: (resource, object, how) => {
      const { namespace } = object.metadata;
      return call(
        'create',
        'POST',
        resource,
        { namespace },
        { body: object, query: queryFor(how) },
      );
    },
    update: (resource, object, how) =>
      call('update', 'PUT', resource, placeOf(object), { body: object, query: queryFor(how) }),
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
    delete: async (resource, namespace, name) => {
      try {
        await call('delete', 'DELETE', resource, { namespace, name });
      } catch (error) {
        if (!(error instanceof KubeError && error.status === 404)) throw error;
      }
    },
    [Symbol.dispose]: () => send.close(),
  };
}

/**
 * Complete lines. Text after the last line end is dropped: the connection broke in the middle of a
 * line.
 */
async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

const queryFor = ({ isDryRun }: Write = {}): Query => ({ dryRun: isDryRun ? 'All' : undefined });

const placeOf = ({ metadata: { namespace, name } }: NewObject) => ({ namespace, name });

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
