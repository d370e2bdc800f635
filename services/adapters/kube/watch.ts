/**
 * All objects of one kind, kept as they are in the cluster: listed, then watched. Watches die without a sign, so one that outlives its time is
 * taken for dead, and everything is listed anew every so often whether or not anything seems wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { backoffMs } from '../../core/backoff.ts';
import { type Kube, KubeError, type KubeObject, type Resource } from './client.ts';
import type { Log } from '../process/log.ts';

export type Watched = {
  resource: Resource;
  /** One, or all when absent. */
  namespace: string | undefined;
  labelSelector?: string;
  /** How long the server lets one watch go on. */
  watchMs: number;
  /** How often everything is listed anew. */
  relistMs: number;
};

/** What happened to an object. `resync` when it was listed anew, changed or not. */
export type Change<T> = { object: T; before: T | undefined; how: 'changed' | 'removed' | 'resync' };

export type ObjectCache<T> = AsyncDisposable & {
  get(namespace: string, name: string): T | undefined;
  values(): IterableIterator<T>;
  /** Takes in what a write of this process answered, ahead of the watch. */
  put(object: T): void;
  isSynced(): boolean;
  /** When the loop last turned or heard anything, on the clock of `performance.now`. It stands still only when it is stuck. */
  lastTurnMs(): number;
};

const PAGE = 500;
/** Beyond its time, a watch that neither ended nor spoke is dead. */
const SILENCE_GRACE_MS = 5_000;
const BACKOFF = { firstMs: 500, longestMs: 15_000 };
/** A server that ends watches at once is not asked again at once. */
const SHORTEST_WATCH_MS = 200;
const GONE = 410;

export function startObjectCache<T extends KubeObject>(
  kube: Kube,
  { resource, namespace, labelSelector, watchMs, relistMs }: Watched,
  onChange: (change: Change<T>) => void,
  log: Log,
): ObjectCache<T> {
  const objects = new Map<string, T>();
  const stop = new AbortController();
  let resourceVersion: string | undefined;
  let listedMs = -Infinity;
  let turnMs = performance.now();

  const take = (object: T, how: 'changed' | 'resync') => {
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
        labelSelector,
      });
      turnMs = performance.now();
      for (const item of page.items as T[]) listed.set(keyOf(item), item);
      next = page.metadata.continue || undefined;
      version = page.metadata.resourceVersion;
    } while (next !== undefined);
    for (const [key, object] of objects) if (!listed.has(key)) drop(object);
    for (const object of listed.values()) take(object, 'resync');
    resourceVersion = version;
    listedMs = performance.now();
  }

  async function watch(): Promise<void> {
    const query = { resourceVersion, labelSelector, timeoutSeconds: Math.ceil(watchMs / 1_000) };
    for await (const { type, object } of kube.watch(
      resource,
      namespace,
      query,
      watchMs + SILENCE_GRACE_MS,
      stop.signal,
    )) {
      turnMs = performance.now();
      if (type === 'ERROR')
        throw new KubeError(object.message ?? 'the watch failed', object.code ?? 0, undefined);
      resourceVersion = object.metadata.resourceVersion;
      if (type === 'DELETED') drop(object as KubeObject as T);
      else if (type !== 'BOOKMARK') take(object as KubeObject as T, 'changed');
    }
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!stop.signal.aborted) {
      turnMs = performance.now();
      try {
        if (resourceVersion === undefined || turnMs - listedMs >= relistMs) await listAll();
        const startedMs = performance.now();
        await watch();
        failures = 0;
        if (performance.now() - startedMs < SHORTEST_WATCH_MS)
          await sleep(SHORTEST_WATCH_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      } catch (error) {
        if (stop.signal.aborted) return;
        if (error instanceof KubeError && error.status === GONE)
          resourceVersion = undefined; // the server no longer knows what came after
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
    put: (object) => take(object, 'changed'),
    isSynced: () => listedMs > -Infinity,
    lastTurnMs: () => turnMs,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

export const keyOf = ({ metadata: { namespace, name } }: KubeObject): string =>
  `${namespace}/${name}`;

/** Resource versions of one kind count upwards, from an object to a later one of its name too (Kubernetes 1.35 says so; before, every storage did it). */
function isOlder(one: KubeObject, other: KubeObject): boolean {
  return BigInt(one.metadata.resourceVersion) < BigInt(other.metadata.resourceVersion);
}
