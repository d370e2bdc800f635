/**
 * The Secret of a resource: created, corrected when someone changed it, and deleted together with
 * its owner.
 */
import { isDeepStrictEqual } from 'node:util';

import {
  type Kube,
  KubeError,
  type KubeObject,
  type NewObject,
  type OwnerReference,
} from '../../adapters/kube/client.ts';
import type { ObjectCache } from '../../adapters/kube/watch.ts';
import { RefusalError } from '../../core/kube/condition.ts';
import { GROUP } from '../../core/kube/custom-resource.ts';
import type { ManagedBy } from '../../core/resource/managed-by.ts';
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
   * The content of the Secret of this name, if it is the owner's, or nobody's; `undefined`
   * otherwise. @throws RefusalError when the operator may not use this name
   */
  read(owner: ManagedBy, name: string): Record<string, string> | undefined;
  /** The same from the API server: the cache contains neither new Secrets nor ones without label. */
  readNow(owner: ManagedBy, name: string): Promise<Record<string, string> | undefined>;
  /**
   * Asks the API server whether it would accept other content for the Secret: before a step whose
   * result only the Secret will hold. @throws RefusalError as `write` does
   */
  requireWritable(owner: ManagedBy, name: string): Promise<void>;
  /**
   * A Secret of nobody becomes the owner's if it holds the same secret already, as one from a backup
   * does. @throws RefusalError also when a Secret of this name belongs to something else
   */
  write(owner: ManagedBy, name: string, content: Record<string, string>): Promise<void>;
};

/** Keys whose values no two records share. */
const SECRET_KEYS = ['token', 'webhook_secret', 'public_key'];

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

  async function send(owner: ManagedBy, object: WantedSecret, isDryRun: boolean): Promise<Secret> {
    const { name } = object.metadata;
    const update = ({ metadata: { resourceVersion } }: Secret) =>
      kube.update<Secret>(
        RESOURCES.Secret,
        { ...object, metadata: { ...object.metadata, resourceVersion } },
        { isDryRun },
      );
    const known = secrets.get(owner.namespace, name);
    try {
      if (known && belongsTo(owner, known)) return await update(known);
      return await kube.create<Secret>(RESOURCES.Secret, object, { isDryRun });
    } catch (error) {
      if (!(error instanceof KubeError && error.status === 409)) throw error;
    }
    // it exists already, or changed since it was read
    const found = await kube.get<Secret>(RESOURCES.Secret, owner.namespace, name);
    if (!belongsTo(owner, found) && !(isNobodys(owner, found) && holdsSameSecret(found, object)))
      throw new RefusalError(
        'SecretTaken',
        `the Secret ${name} exists and does not belong to this resource`,
      );
    return update(found);
  }

  async function put(owner: ManagedBy, object: WantedSecret, isDryRun: boolean): Promise<Secret> {
    try {
      return await send(owner, object, isDryRun);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      if (error.status === 404)
        throw new Error(`the Secret ${object.metadata.name} was deleted at the same time`, {
          cause: error,
        });
      throw error.status === 403 || error.status === 422
        ? new RefusalError('SecretRefused', error.message)
        : error;
    }
  }

  return {
    read: (owner, name) => {
      check(name);
      return contentOf(owner, secrets.get(owner.namespace, name));
    },
    readNow: async (owner, name) => {
      check(name);
      try {
        return contentOf(owner, await kube.get(RESOURCES.Secret, owner.namespace, name));
      } catch (error) {
        if (error instanceof KubeError && error.status === 404) return undefined;
        throw error;
      }
    },
    requireWritable: async (owner, name) => {
      check(name);
      await put(owner, wanted(owner, name, {}), true);
    },
    write: async (owner, name, content) => {
      check(name);
      const object = wanted(owner, name, content);
      const known = secrets.get(owner.namespace, name);
      if (!known || !isAsWanted(known, object)) secrets.put(await put(owner, object, false));
    },
  };
}

function contentOf(owner: ManagedBy, secret: Secret | undefined) {
  return secret && (belongsTo(owner, secret) || isNobodys(owner, secret))
    ? secretTexts(secret)
    : undefined;
}

/** The content as text. */
export function secretTexts({ data = {} }: Secret): Record<string, string> {
  const texts = Object.entries(data).map(([key, text]) => [
    key,
    Buffer.from(text, 'base64').toString('utf8'),
  ]);
  return Object.fromEntries(texts) as Record<string, string>;
}

/** Another program may have a kind of the same name. */
const isOurs = ({ apiVersion, kind }: OwnerReference, owner: ManagedBy): boolean =>
  apiVersion?.startsWith(`${GROUP}/`) && kind === owner.kind;

const belongsTo = (owner: ManagedBy, { metadata }: Secret) =>
  (metadata.ownerReferences ?? []).some(
    (reference) => isOurs(reference, owner) && reference.uid === owner.uid,
  );

/** No controller manages it, or an earlier resource of this name does. */
const isNobodys = (owner: ManagedBy, { metadata }: Secret) =>
  !(metadata.ownerReferences ?? []).some(
    (reference) =>
      reference.controller && !(isOurs(reference, owner) && reference.name === owner.name),
  );

const holdsSameSecret = (found: Secret, { data }: WantedSecret) =>
  SECRET_KEYS.some((key) => data[key] !== undefined && data[key] === found.data?.[key]);

type WantedSecret = NewObject & { metadata: { name: string }; data: Record<string, string> };

const wanted = (owner: ManagedBy, name: string, content: Record<string, string>): WantedSecret => ({
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

const isAsWanted = (known: Secret, { data, metadata }: WantedSecret) =>
  isDeepStrictEqual(known.data, data) &&
  isDeepStrictEqual(known.metadata.ownerReferences, metadata.ownerReferences) &&
  Object.entries(metadata.labels ?? {}).every(
    ([name, value]) => known.metadata.labels?.[name] === value,
  );
