/**
 * The work of a leader: caches of the resources in the cluster, and a queue of resources to
 * reconcile.
 */
import type { Kube } from '../adapters/kube/client.ts';
import type { Change, ObjectCache } from '../adapters/kube/watch.ts';
import type { Log } from '../adapters/process/log.ts';
import {
  affectedBy,
  affectedBySecret,
  type ResourceFacts,
  type ResourceKey,
} from '../core/kube/cluster-rules.ts';
import { type KindName, KIND_NAMES } from '../core/kube/custom-resource.ts';
import type { ClusterFacts, OperatorMetrics } from './process/metrics.ts';
import {
  type NamespacedCache,
  watchedScopes,
  startNamespacedCache,
} from './cluster/namespaced-cache.ts';
import { RESOURCES } from './cluster/permissions.ts';
import type { Reconcile } from './reconcilers/reconcile.ts';
import { type CustomResource, factsOf } from './cluster/resource.ts';
import { type Secret, SECRET_SELECTOR } from './cluster/secret-keeper.ts';
import { startWorkQueue } from './cluster/work-queue.ts';

export type Cluster = {
  get(kind: KindName, namespace: string, name: string): CustomResource | undefined;
  /** Facts about every resource in the caches. */
  facts(): Iterable<ResourceFacts>;
  cache(kind: KindName): Pick<ObjectCache<CustomResource>, 'get' | 'put'>;
  secrets: Pick<ObjectCache<Secret>, 'get' | 'put'>;
};

export type Leadership = AsyncDisposable & {
  /** Whether every namespace has been listed. */
  isSynced(): boolean;
  /** The loop that is stuck: `watch of inboundaddresses`; undefined when none is. */
  stuck(): string | undefined;
  /** Facts about the namespaces that have been listed; undefined before the first one is. */
  facts(): ClusterFacts | undefined;
};

type Options = {
  namespaces: readonly string[];
  /** The only Secrets to watch. Empty for all that have the operator's label. */
  secretNames: readonly string[];
  watchMs: number;
  resyncMs: number;
  concurrency: number;
};
type LeadershipDependencies = {
  kube: Pick<Kube, 'list' | 'watch'>;
  metrics: OperatorMetrics;
  reconcilers: (cluster: Cluster) => Record<KindName, Reconcile>;
  log: Log;
};

/** After a long outage, every resource is retried within a minute. */
const BACKOFF = { firstMs: 500, longestMs: 60_000 };
/** A loop that exceeds its own limits by this much is stuck. */
const STUCK_MS = 60_000;
const SYNC_POLL_MS = 20;

export function startLeadership(
  { kube, metrics, reconcilers, log }: LeadershipDependencies,
  { namespaces, secretNames, watchMs, resyncMs, concurrency }: Options,
): Leadership {
  const watched = { namespaces, watchMs, relistMs: resyncMs };
  const scopes = watchedScopes(namespaces);
  /**
   * Places not listed yet. Nothing in them is reconciled: an Account that is not in the cache would
   * seem to be missing.
   */
  const unlisted = new Set(scopes);

  const enqueue = ({ kind, namespace, name }: ResourceKey) => {
    if (!unlisted.has(namespace) && !unlisted.has(undefined))
      queue.add(`${kind} ${namespace}/${name}`);
  };
  const facts = function* everyResource(): Generator<ResourceFacts> {
    for (const kind of KIND_NAMES)
      for (const object of caches[kind].values()) yield factsOf(kind, object);
  };

  const onResource =
    (kind: KindName) =>
    ({ object, before, how }: Change<CustomResource>) => {
      const change = {
        how,
        resource: factsOf(kind, object),
        before: before && factsOf(kind, before),
      };
      for (const key of affectedBy(change, { [Symbol.iterator]: facts })) enqueue(key);
    };
  const onSecret = ({ object: { metadata }, before, how }: Change<Secret>) => {
    const owner = metadata.ownerReferences?.find(({ kind }) => isKindName(kind));
    const change = {
      how,
      namespace: metadata.namespace,
      wasKnown: before !== undefined,
      owner: owner && { kind: owner.kind as KindName, name: owner.name },
    };
    for (const key of affectedBySecret(change, { [Symbol.iterator]: facts })) enqueue(key);
  };

  const secrets = startNamespacedCache<Secret>(
    kube,
    {
      ...watched,
      resource: RESOURCES.Secret,
      names: secretNames,
      labelSelector: SECRET_SELECTOR,
    },
    onSecret,
    log,
  );
  const caches = Object.fromEntries(
    KIND_NAMES.map((kind) => [
      kind,
      startNamespacedCache<CustomResource>(
        kube,
        { ...watched, resource: RESOURCES[kind] },
        onResource(kind),
        log,
      ),
    ]),
  ) as Record<KindName, NamespacedCache<CustomResource>>;
  const everyCache = [secrets, ...Object.values(caches)];
  const reconcileBy = reconcilers({
    get: (kind, namespace, name) => caches[kind].get(namespace, name),
    facts,
    cache: (kind) => caches[kind],
    secrets,
  });

  async function reconcileKey(key: string, failures: number): Promise<void> {
    const [kind, path] = key.split(' ') as [KindName, string];
    const [namespace = '', name = ''] = path.split('/');
    const object = caches[kind].get(namespace, name);
    if (object === undefined) return;
    const startedAt = performance.now();
    try {
      const { result, againAfterMs } = await reconcileBy[kind](object, failures);
      metrics.reconciles.inc({ kind, result });
      if (againAfterMs !== undefined) queue.addAfter(key, againAfterMs);
    } catch (error) {
      metrics.reconciles.inc({ kind, result: 'error' });
      log.warn('resource.not_reconciled', { kind, namespace, name, failures: failures + 1, error });
      throw error;
    } finally {
      metrics.seconds.observe((performance.now() - startedAt) / 1_000);
    }
  }
  const queue = startWorkQueue({ concurrency, backoff: BACKOFF, work: reconcileKey });

  const enqueueListed = (scope: string | undefined) => {
    const listed = [...facts()].filter(
      ({ namespace }) => scope === undefined || namespace === scope,
    );
    for (const resource of listed) enqueue(resource);
    const counts = KIND_NAMES.map(
      (kind) => [kind, listed.filter((resource) => resource.kind === kind).length] as const,
    );
    log.info('cluster.known', { namespace: scope, ...Object.fromEntries(counts) });
  };
  const syncing = setInterval(() => {
    for (const scope of unlisted) {
      if (!everyCache.every((cache) => cache.isSynced(scope))) continue;
      unlisted.delete(scope);
      enqueueListed(scope);
    }
    if (unlisted.size === 0) clearInterval(syncing);
  }, SYNC_POLL_MS);

  return {
    isSynced: () => unlisted.size === 0,
    stuck: () => {
      const stuckCache = Object.entries({ secrets, ...caches }).find(
        ([, cache]) => performance.now() - cache.lastRunMs() > watchMs + STUCK_MS,
      );
      if (stuckCache) return `watch of ${stuckCache[0]}`;
      return queue.longestMs() > STUCK_MS ? 'work on a resource' : undefined;
    },
    facts: () => {
      if (unlisted.size === scopes.length) return undefined;
      const resources = KIND_NAMES.flatMap((kind) =>
        Array.from(caches[kind].values(), ({ status }) => ({
          kind,
          ready: status?.conditions?.find(({ type }) => type === 'Ready')?.status,
        })),
      );
      return { queued: queue.size(), resources };
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(syncing);
      await queue[Symbol.asyncDispose]();
      await Promise.all(everyCache.map((cache) => cache[Symbol.asyncDispose]()));
    },
  };
}

const isKindName = (kind: string): boolean => (KIND_NAMES as readonly string[]).includes(kind);
