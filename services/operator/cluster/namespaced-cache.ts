/**
 * One cache over the objects of one kind in all watched namespaces: all of them, or those of some
 * names.
 */
import type { Kube, KubeObject } from '../../adapters/kube/client.ts';
import {
  type Change,
  type ObjectCache,
  startObjectCache,
  type Watched,
} from '../../adapters/kube/watch.ts';
import type { Log } from '../../adapters/process/log.ts';

type Everywhere = Omit<Watched, 'namespace' | 'fieldSelector'> & {
  /** Empty for all namespaces. */
  namespaces: readonly string[];
  /**
   * Empty for all objects. Otherwise each name has its own watch with a field selector, because
   * RBAC applies `resourceNames` only to such a list or watch.
   */
  names?: readonly string[];
};

export type NamespacedCache<T> = Omit<ObjectCache<T>, 'isSynced'> & {
  /** Whether this namespace has been listed. */
  isSynced(namespace: string | undefined): boolean;
};

/**
 * What is listed and watched separately: each namespace, or `undefined` for all namespaces
 * together.
 */
export const watchedScopes = (namespaces: readonly string[]): readonly (string | undefined)[] =>
  namespaces.length === 0 ? [undefined] : namespaces;

export function startNamespacedCache<T extends KubeObject>(
  kube: Pick<Kube, 'list' | 'watch'>,
  { namespaces, names = [], ...watched }: Everywhere,
  onChange: (change: Change<T>) => void,
  log: Log,
): NamespacedCache<T> {
  const [anyNamespace, anyName] = [namespaces.length === 0, names.length === 0];
  const namesOrAny = anyName ? [undefined] : names;
  const start = (namespace: string | undefined, name: string | undefined) => {
    const fieldSelector = name && `metadata.name=${name}`;
    return startObjectCache<T>(kube, { ...watched, namespace, fieldSelector }, onChange, log);
  };
  const caches = new Map(
    watchedScopes(namespaces).flatMap((namespace) =>
      namesOrAny.map((name) => [keyOf(namespace, name), start(namespace, name)] as const),
    ),
  );
  const all = [...caches.values()];
  const of = (namespace: string, name: string) =>
    caches.get(keyOf(anyNamespace ? undefined : namespace, anyName ? undefined : name));
  return {
    get: (namespace, name) => of(namespace, name)?.get(namespace, name),
    values: function* values() {
      for (const cache of all) yield* cache.values();
    },
    put: (object) => of(object.metadata.namespace, object.metadata.name)?.put(object),
    isSynced: (namespace) =>
      namesOrAny.every((name) => caches.get(keyOf(namespace, name))?.isSynced() ?? false),
    lastRunMs: () => Math.min(...all.map((cache) => cache.lastRunMs())),
    [Symbol.asyncDispose]: async () =>
      void (await Promise.all(all.map((cache) => cache[Symbol.asyncDispose]()))),
  };
}

const keyOf = (namespace = '', name = '') => `${namespace}/${name}`;
