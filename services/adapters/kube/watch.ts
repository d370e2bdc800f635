/**
 * A cache of all objects of one kind: listed, then watched. A watch can die without an error.
 * Therefore a watch that outlives its timeout counts as dead, and all objects are listed again at
 * an interval.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { backoffMs } from '../../core/time/backoff.ts';
import { type Kube, KubeError, type KubeObject, type Resource } from './client.ts';
import type { Log } from '../process/log.ts';

export type Watched = {
  resource: Resource;
  /** undefined for all namespaces. */
  namespace: string | undefined;
  labelSelector?: string;
  fieldSelector?: string | undefined;
  /** Duration of one watch, which the server ends. */
  watchMs: number;
  /** Interval at which everything is listed again. */
  relistMs: number;
};

/** What happened to an object. `resync`: listed again, changed or not. */
export type Change<T> = { object: T; before: T | undefined; how: 'changed' | 'removed' | 'resync' };

export type ObjectCache<T> = AsyncDisposable & {
  get(namespace: string, name: string): T | undefined;
  values(): IterableIterator<T>;
  /** Stores the object that a write of this process returned, before the watch reports it. */
  put(object: T): void;
  isSynced(): boolean;
  /**
   * When the loop last ran or received anything, on the clock of `performance.now`. It stops moving
   * only when the loop is stuck.
   */
  lastRunMs(): number;
};

const PAGE = 500;
/** A watch that sent nothing for this long after its timeout is dead. */
const SILENCE_GRACE_MS = 5_000;
const BACKOFF = { firstMs: 500, longestMs: 15_000 };
/** Pause before the next watch when the server ends watches immediately. */
const SHORTEST_WATCH_MS = 200;
const GONE = 410;

export function startObjectCache<T extends KubeObject>(
  kube: Pick<Kube, 'list' | 'watch'>,
  { resource, namespace, labelSelector, fieldSelector, watchMs, relistMs }: Watched,
  onChange: (change: Change<T>) => void,
  log: Log,
): ObjectCache<T> {
  const selectors = { labelSelector, fieldSelector };
  const objects = new Map<string, T>();
  const stop = new AbortController();
  let resourceVersion: string | undefined;
  let listedMs = -Infinity;
  let ranMs = performance.now();

  const store = (object: T, how: 'changed' | 'resync') => {
    const key = keyOf(object);
    const before = objects.get(key);
    if (before && isOlder(object, before)) return;
    objects.set(key, object);
    if (how === 'resync' || before?.metadata.resourceVersion !== object.metadata.resourceVersion)
      onChange({ object, before, how });
  };
  const drop = (object: T) => {
    if (objects.delete(keyOf(object))) onChange({ object, before: object, how: 'removed' });
  };

  async function listAll(): Promise<void> {
    const listed = new Map<string, T>();
    let next: string | undefined;
    let version: string;
    do {
      const page = await kube.list(resource, namespace, {
        limit: PAGE,
        continue: next,
        ...selectors,
      });
      ranMs = performance.now();
      for (const item of page.items as T[]) listed.set(keyOf(item), item);
      next = page.metadata.continue || undefined;
      version = page.metadata.resourceVersion;
    } while (next !== undefined);
    for (const [key, object] of objects) if (!listed.has(key)) drop(object);
    for (const object of listed.values()) store(object, 'resync');
    resourceVersion = version;
    listedMs = performance.now();
  }

  async function watch(): Promise<void> {
    const query = { resourceVersion, ...selectors, timeoutSeconds: Math.ceil(watchMs / 1_000) };
    for await (const { type, object } of kube.watch(
      resource,
      namespace,
      query,
      watchMs + SILENCE_GRACE_MS,
      stop.signal,
    )) {
      ranMs = performance.now();
      if (type === 'ERROR')
        throw new KubeError(object.message ?? 'the watch failed', object.code ?? 0, undefined);
      resourceVersion = object.metadata.resourceVersion;
      if (type === 'DELETED') drop(object as KubeObject as T);
      else if (type !== 'BOOKMARK') store(object as KubeObject as T, 'changed');
    }
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!stop.signal.aborted) {
      ranMs = performance.now();
      try {
        if (resourceVersion === undefined || ranMs - listedMs >= relistMs) await listAll();
        const startedMs = performance.now();
        await watch();
        failures = 0;
        if (performance.now() - startedMs < SHORTEST_WATCH_MS)
          await sleep(SHORTEST_WATCH_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      } catch (error) {
        if (stop.signal.aborted) return;
        if (error instanceof KubeError && error.status === GONE)
          resourceVersion = undefined; // expired: the server has dropped the changes since then
        else log.warn('watch.broken', { resource: resource.plural, namespace, error });
        await sleep(backoffMs(++failures, BACKOFF, Math.random()), undefined, {
          signal: stop.signal,
        }).catch(() => undefined);
      }
    }
  }
  const running = run();

  return {
    get: (inNamespace, name) => objects.get(`${inNamespace}/${name}`),
    values: () => objects.values(),
    put: (object) => store(object, 'changed'),
    isSynced: () => listedMs > -Infinity,
    lastRunMs: () => ranMs,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

const keyOf = ({ metadata: { namespace, name } }: KubeObject): string => `${namespace}/${name}`;

/**
 * Resource versions of one kind increase, also from a deleted object to a later one of its name
 * (guaranteed since Kubernetes 1.35).
 */
function isOlder(one: KubeObject, other: KubeObject): boolean {
  return BigInt(one.metadata.resourceVersion) < BigInt(other.metadata.resourceVersion);
}
