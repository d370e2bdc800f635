/**
 * The Secret of a resource: created, corrected when someone changed it, and deleted together with
 * its owner.
 */
import { isDeepStrictEqual } from 'node:util';

import { type Kube, KubeError, type KubeObject, type NewObject } from '../adapters/kube/client.ts';
import type { ObjectCache } from '../adapters/kube/watch.ts';
import { RefusalError } from '../core/kube/condition.ts';
import type { ManagedBy } from '../core/address/managed-by.ts';
import { RESOURCES } from './permissions.ts';
import { ownerReference } from './resource.ts';

export type Secret = KubeObject & { data?: Record<string, string> };

/** The label of every Secret of the operator, which watches no others. */
export const SECRET_LABEL = { 'app.kubernetes.io/managed-by': 'inlet-operator' };
export const SECRET_SELECTOR = Object.entries(SECRET_LABEL)
  .map((pair) => pair.join('='))
  .join(',');

export type SecretKeeper = {
  /**
   * The content of the owner's Secret of this name; `undefined` when there is none. @throws
   * RefusalError when the operator may not use this name
   */
  read(owner: ManagedBy, name: string): Record<string, string> | undefined;
  /** @throws RefusalError also when a Secret of this name belongs to something else */
  write(owner: ManagedBy, name: string, content: Record<string, string>): Promise<void>;
};

export function createSecretKeeper(
  kube: Pick<Kube, 'get' | 'create' | 'update'>,
  secrets: Pick<ObjectCache<Secret>, 'get' | 'put'>,
  /** The only names that it may use. Empty for all. */
  names: readonly string[],
): SecretKeeper {
  /** RBAC permits to create a Secret of any name, so this must be checked here. */
  const check = (name: string) => {
    if (names.length > 0 && !names.includes(name))
      throw new RefusalError(
        'SecretRefused',
        `the Secret ${name} is not one of SECRET_NAMES (operator.secretNames of the chart)`,
      );
  };

  async function existing(owner: ManagedBy, object: NewObject): Promise<Secret> {
    const name = object.metadata.name ?? '';
    const found = await kube.get<Secret>(RESOURCES.Secret, owner.namespace, name);
    if (!belongsTo(owner, found))
      throw new RefusalError(
        'SecretTaken',
        `the Secret ${name} exists and does not belong to this resource`,
      );
    return found;
  }

  return {
    read: (owner, name) => {
      check(name);
      const found = secrets.get(owner.namespace, name);
      if (!found || !belongsTo(owner, found)) return undefined;
      return Object.fromEntries(
        Object.entries(found.data ?? {}).map(([key, text]) => [
          key,
          Buffer.from(text, 'base64').toString('utf8'),
        ]),
      );
    },
    write: async (owner, name, content) => {
      check(name);
      const object = wanted(owner, name, content);
      const known = secrets.get(owner.namespace, name);
      if (known && isAsWanted(known, object)) return;
      try {
        const before = known && belongsTo(owner, known) ? known : undefined;
        if (!before) return secrets.put(await kube.create<Secret>(RESOURCES.Secret, object));
        secrets.put(
          await kube.update<Secret>(RESOURCES.Secret, {
            ...object,
            metadata: { ...object.metadata, resourceVersion: before.metadata.resourceVersion },
          }),
        );
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        if (error.status === 404)
          throw new Error(`the Secret ${name} was deleted at the same time`, { cause: error });
        if (error.status !== 409)
          throw error.status === 403 || error.status === 422
            ? new RefusalError('SecretRefused', error.message)
            : error;
        const found = await existing(owner, object); // it exists already, or changed since it was read
        secrets.put(
          await kube.update<Secret>(RESOURCES.Secret, {
            ...object,
            metadata: { ...object.metadata, resourceVersion: found.metadata.resourceVersion },
          }),
        );
      }
    },
  };
}

const belongsTo = (owner: ManagedBy, { metadata }: Secret) =>
  (metadata.ownerReferences ?? []).some(
    ({ kind, name }) => kind === owner.kind && name === owner.name,
  );

const wanted = (owner: ManagedBy, name: string, content: Record<string, string>): NewObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  metadata: {
    namespace: owner.namespace,
    name,
    labels: SECRET_LABEL,
    ownerReferences: [ownerReference(owner)],
  },
  data: Object.fromEntries(
    Object.entries(content).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  ),
});

const isAsWanted = (known: Secret, { data, metadata }: NewObject) =>
  isDeepStrictEqual(known.data, data) &&
  isDeepStrictEqual(known.metadata.ownerReferences, metadata.ownerReferences) &&
  Object.entries(metadata.labels ?? {}).every(
    ([name, value]) => known.metadata.labels?.[name] === value,
  );
