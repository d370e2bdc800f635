/** The objects of one kind in the namespaces that are watched, or in all of them, seen as one cache. */
import type { Kube, KubeObject } from '../adapters/kube/client.ts';
import {
  type Change,
  type ObjectCache,
  startObjectCache,
  type Watched,
} from '../adapters/kube/watch.ts';
import type { Log } from '../adapters/process/log.ts';

type Everywhere = Omit<Watched, 'namespace'> & {
  /** All when empty. */ namespaces: readonly string[];
};

export type NamespacedCache<T> = Omit<ObjectCache<T>, 'isSynced'> & {
  /** Of one of the places. */
  isSynced(place: string | undefined): boolean;
};

/** What is listed and watched by itself: each namespace, or `undefined` for all of them as one. */
export const placesOf = (namespaces: readonly string[]): readonly (string | undefined)[] =>
  namespaces.length === 0 ? [undefined] : namespaces;

export function startNamespacedCache<T extends KubeObject>(
  kube: Kube,
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
    lastTurnMs: () => Math.min(...all.map((cache) => cache.lastTurnMs())),
    [Symbol.asyncDispose]: async () =>
      void (await Promise.all(all.map((cache) => cache[Symbol.asyncDispose]()))),
  };
}
