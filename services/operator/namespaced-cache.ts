/** The objects of one kind in the namespaces that are watched, or in all of them, seen as one cache. */
import type { Kube, KubeObject } from '../adapters/kube.ts';
import { type Change, type ObjectCache, startObjectCache, type Watched } from '../adapters/kube-watch.ts';
import type { Log } from '../adapters/log.ts';

type Everywhere = Omit<Watched, 'namespace'> & { /** All when empty. */ namespaces: readonly string[] };

export function startNamespacedCache<T extends KubeObject>(kube: Kube, { namespaces, ...watched }: Everywhere, onChange: (change: Change<T>) => void, log: Log): ObjectCache<T> {
  const places: readonly (string | undefined)[] = namespaces.length === 0 ? [undefined] : namespaces;
  const caches = new Map(places.map((namespace) => [namespace, startObjectCache<T>(kube, { ...watched, namespace }, onChange, log)]));
  const all = [...caches.values()];
  const of = (namespace: string) => caches.get(namespace) ?? caches.get(undefined);
  return {
    get: (namespace, name) => of(namespace)?.get(namespace, name),
    values: function* values() {
      for (const cache of all) yield* cache.values();
    },
    put: (object) => of(object.metadata.namespace)?.put(object),
    isSynced: () => all.every((cache) => cache.isSynced()),
    lastTurnMs: () => Math.min(...all.map((cache) => cache.lastTurnMs())),
    [Symbol.asyncDispose]: async () => void (await Promise.all(all.map((cache) => cache[Symbol.asyncDispose]()))),
  };
}
