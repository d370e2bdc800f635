/** One cache over the objects of one kind in all watched namespaces. */
import type { Kube, KubeObject } from '../adapters/kube/client.ts';
import {
  type Change,
  type ObjectCache,
  startObjectCache,
  type Watched,
} from '../adapters/kube/watch.ts';
import type { Log } from '../adapters/process/log.ts';

type Everywhere = Omit<Watched, 'namespace'> & {
  /** Empty for all namespaces. */ namespaces: readonly string[];
};

export type NamespacedCache<T> = Omit<ObjectCache<T>, 'isSynced'> & {
  /** Whether this place has been listed. */
  isSynced(place: string | undefined): boolean;
};

/**
 * What is listed and watched separately: each namespace, or `undefined` for all namespaces
 * together.
 */
export const placesOf = (namespaces: readonly string[]): readonly (string | undefined)[] =>
  namespaces.length === 0 ? [undefined] : namespaces;

export function startNamespacedCache<T extends KubeObject>(
  kube: Pick<Kube, 'list' | 'watch'>,
  { namespaces, ...watched }: Everywhere,
  onChange: (change: Change<T>) => void,
  log: Log,
): NamespacedCache<T> {
  const caches = new Map(
    placesOf(namespaces).map((namespace) => [
      namespace,
      startObjectCache<T>(kube, { ...watched, namespace }, onChange, log),
    ]),
  );
  const all = [...caches.values()];
  const of = (namespace: string) => caches.get(namespace) ?? caches.get(undefined);
  return {
    get: (namespace, name) => of(namespace)?.get(namespace, name),
    values: function* values() {
      for (const cache of all) yield* cache.values();
    },
    put: (object) => of(object.metadata.namespace)?.put(object),
    isSynced: (place) => caches.get(place)?.isSynced() ?? false,
    lastRunMs: () => Math.min(...all.map((cache) => cache.lastRunMs())),
    [Symbol.asyncDispose]: async () =>
      void (await Promise.all(all.map((cache) => cache[Symbol.asyncDispose]()))),
  };
}
