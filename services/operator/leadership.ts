/** The work of a leader: what is in the cluster, whatever changes in it, and a queue of resources to look at. */
import type { Kube } from '../adapters/kube/client.ts';
import type { Change, ObjectCache } from '../adapters/kube/watch.ts';
import type { Log } from '../adapters/process/log.ts';
import { type KindName, KIND_NAMES } from '../core/kube/custom-resource.ts';
import type { ClusterFacts, OperatorMetrics } from './metrics.ts';
import { type NamespacedCache, placesOf, startNamespacedCache } from './namespaced-cache.ts';
import { RESOURCES } from './permissions.ts';
import type { Reconcile } from './reconcilers/reconcile.ts';
import { accountNameOf, addressAskedFor, type CustomResource } from './resource.ts';
import { type Secret, SECRET_SELECTOR } from './secret-keeper.ts';
import { startWorkQueue } from './work-queue.ts';

export type Cluster = {
  get(kind: KindName, namespace: string, name: string): CustomResource | undefined;
  values(kind: KindName): Iterable<CustomResource>;
  cache(kind: KindName): Pick<ObjectCache<CustomResource>, 'put'>;
  secrets: Pick<ObjectCache<Secret>, 'get' | 'put'>;
};

export type Leadership = AsyncDisposable & {
  /** Whether all is known. */
  isSynced(): boolean;
  /** What stands still: `watch of inboundaddresses`, or undefined when all moves. */
  stuck(): string | undefined;
  /** Of the namespaces that are known; undefined before any is. */
  facts(): ClusterFacts | undefined;
};

type Options = {
  namespaces: readonly string[];
  watchMs: number;
  resyncMs: number;
  concurrency: number;
};
type Needs = {
  kube: Kube;
  metrics: OperatorMetrics;
  reconcilers: (cluster: Cluster) => Record<KindName, Reconcile>;
  log: Log;
};

/** After a long outage everything is tried again within a minute. */
const BACKOFF = { firstMs: 500, longestMs: 60_000 };
/** Beyond its own limits, a loop that has not turned for so long never will. */
const STUCK_MS = 60_000;

export function startLeadership(
  { kube, metrics, reconcilers, log }: Needs,
  { namespaces, watchMs, resyncMs, concurrency }: Options,
): Leadership {
  const watched = { namespaces, watchMs, relistMs: resyncMs };
  const places = placesOf(namespaces);
  const unknown = new Set(places); // before everything there is listed, what is not known yet would be taken for missing
  const enqueue = (
    kind: KindName,
    { metadata }: { metadata: { namespace: string; name: string } },
  ) => {
    if (!unknown.has(metadata.namespace) && !unknown.has(undefined))
      queue.add(`${kind} ${metadata.namespace}/${metadata.name}`);
  };

  const dependents = (namespace: string, account: string) =>
    KIND_NAMES.flatMap((kind) =>
      Array.from(caches[kind].values(), (object) => ({ kind, object })).filter(
        ({ object }) =>
          object.metadata.namespace === namespace && accountNameOf(object) === account,
      ),
    );

  /** Those that could not have what somebody else had. */
  const enqueueRefused = (
    namespace: string,
    reason: string,
    may: (object: CustomResource) => boolean = () => true,
  ) => {
    for (const kind of KIND_NAMES) {
      for (const object of caches[kind].values())
        if (object.metadata.namespace === namespace && isRefused(object, reason) && may(object))
          enqueue(kind, object);
    }
  };

  const onResource =
    (kind: KindName) =>
    ({ object, before, how }: Change<CustomResource>) => {
      if (how === 'resync' || isWorthALook(before, object)) enqueue(kind, object);
      const { namespace, name } = object.metadata;
      if (kind === 'Account' && how !== 'removed' && before?.status?.id !== object.status?.id)
        for (const one of dependents(namespace, name)) enqueue(one.kind, one.object);
      const account = accountNameOf(object);
      if (how === 'removed' && account !== undefined) {
        enqueue('Account', { metadata: { namespace, name: account } }); // it may wait for this to be deleted, and so may a domain, or another for its name
        if (kind === 'InboundAddress')
          enqueueRefused(
            namespace,
            'Refused',
            (other) => addressAskedFor(other) === addressAskedFor(object),
          );
        for (const one of dependents(namespace, account))
          if (one.kind === 'InboundDomain' && one.object.metadata.deletionTimestamp !== undefined)
            enqueue(one.kind, one.object);
      }
      if (kind === 'InboundDomain' && how !== 'resync')
        for (const one of dependents(namespace, account ?? ''))
          if (one.kind === 'InboundAddress') enqueue(one.kind, one.object);
    };
  /** One that appears was made by this operator. */
  const onSecret = ({ object, before, how }: Change<Secret>) => {
    if (how === 'removed') enqueueRefused(object.metadata.namespace, 'SecretTaken');
    const owner = object.metadata.ownerReferences?.find(({ kind }) =>
      (KIND_NAMES as string[]).includes(kind),
    );
    if (owner && how !== 'resync' && before)
      enqueue(owner.kind as KindName, {
        metadata: { namespace: object.metadata.namespace, name: owner.name },
      });
  };

  const secrets = startNamespacedCache<Secret>(
    kube,
    { ...watched, resource: RESOURCES.Secret, labelSelector: SECRET_SELECTOR },
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
    values: (kind) => caches[kind].values(),
    cache: (kind) => caches[kind],
    secrets,
  });

  async function work(key: string, failures: number): Promise<void> {
    const [kind, place] = key.split(' ') as [KindName, string];
    const [namespace = '', name = ''] = place.split('/');
    const object = caches[kind].get(namespace, name);
    if (object === undefined) return;
    const end = metrics.seconds.startTimer();
    try {
      const { result, againAfterMs } = await reconcileBy[kind](object, failures);
      metrics.reconciles.inc({ kind, result });
      if (againAfterMs !== undefined) queue.addAfter(key, againAfterMs);
    } catch (error) {
      metrics.reconciles.inc({ kind, result: 'error' });
      log.warn('resource.not_reconciled', { kind, namespace, name, failures: failures + 1, error });
      throw error;
    } finally {
      end();
    }
  }
  const queue = startWorkQueue({ concurrency, backoff: BACKOFF, work });

  const waiting = setInterval(() => {
    for (const namespace of unknown) {
      if (!everyCache.every((cache) => cache.isSynced(namespace))) continue;
      unknown.delete(namespace);
      const there = KIND_NAMES.map(
        (kind) =>
          [
            kind,
            Array.from(caches[kind].values()).filter(
              ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
            ),
          ] as const,
      );
      for (const [kind, objects] of there) for (const object of objects) enqueue(kind, object);
      log.info('cluster.known', {
        namespace,
        ...Object.fromEntries(there.map(([kind, objects]) => [kind, objects.length])),
      });
    }
    if (unknown.size === 0) clearInterval(waiting);
  }, 20);

  return {
    isSynced: () => unknown.size === 0,
    stuck: () => {
      const standing = Object.entries({ secrets, ...caches }).find(
        ([, cache]) => performance.now() - cache.lastTurnMs() > watchMs + STUCK_MS,
      );
      if (standing) return `watch of ${standing[0]}`;
      return queue.longestMs() > STUCK_MS ? 'work on a resource' : undefined;
    },
    facts: () => {
      if (unknown.size === places.length) return undefined;
      const resources = KIND_NAMES.flatMap((kind) =>
        Array.from(caches[kind].values(), ({ status }) => ({
          kind,
          ready: status?.conditions?.find(({ type }) => type === 'Ready')?.status,
        })),
      );
      return { queued: queue.size(), resources };
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(waiting);
      await queue[Symbol.asyncDispose]();
      await Promise.all(everyCache.map((cache) => cache[Symbol.asyncDispose]()));
    },
  };
}

const isRefused = ({ status }: CustomResource, reason: string) =>
  status?.conditions?.some(
    (condition) => condition.type === 'Ready' && condition.reason === reason,
  ) === true;

/** Not what the operator itself writes: the status and its finalizer. */
const isWorthALook = (before: CustomResource | undefined, { metadata }: CustomResource): boolean =>
  before === undefined ||
  before.metadata.uid !== metadata.uid ||
  before.metadata.generation !== metadata.generation ||
  before.metadata.deletionTimestamp !== metadata.deletionTimestamp;
