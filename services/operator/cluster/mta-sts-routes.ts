/**
 * Makes and deletes the objects that serve the MTA-STS policy of a domain. They belong to no object
 * of their namespace, so their resource keeps its finalizer until they are deleted.
 */
import { type Kube, KubeError, type KubeObject } from '../../adapters/kube/client.ts';
import type { ManagedBy } from '../../core/resource/managed-by.ts';
import { RefusalError } from '../../core/kube/condition.ts';
import {
  CONTENT_LABEL,
  MANAGED_BY_OPERATOR,
  type MtaStsRouting,
  OWNER_LABEL,
  ownerLabel,
  type RouteKind,
  routeKinds,
  routeName,
  routeObjects,
} from '../../core/kube/mta-sts/objects.ts';
import { RESOURCES } from './permissions.ts';
import { FIELD_MANAGER } from './resource.ts';

export type MtaStsRoutes = {
  /** @throws RefusalError when the cluster refuses an object, or one of its name is not ours */
  make(domain: string, owner: ManagedBy): Promise<void>;
  /** Leaves objects that another resource has made meanwhile. */
  remove(domain: string, owner: ManagedBy): Promise<void>;
};

/** The cluster answers so until somebody changes it: no permission, no such kind, not valid. */
const REFUSED: ReadonlySet<number> = new Set([403, 404, 422]);

export function createMtaStsRoutes(
  kube: Pick<Kube, 'get' | 'apply' | 'delete'>,
  routing: MtaStsRouting,
): MtaStsRoutes {
  const find = async (kind: RouteKind, name: string): Promise<KubeObject | undefined> => {
    try {
      return await kube.get(RESOURCES[kind], routing.namespace, name);
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return undefined;
      throw error;
    }
  };

  return {
    make: async function makeRoute(domain, owner) {
      for (const object of routeObjects(domain, owner, routing)) {
        const { kind, metadata } = object;
        try {
          const found = await find(kind, metadata.name);
          if (found && !isOurs(found))
            throw new RefusalError(
              'RouteRefused',
              `the ${kind} ${metadata.name} exists in ${metadata.namespace} and is not of this operator`,
            );
          const isSame = [CONTENT_LABEL, OWNER_LABEL].every(
            (label) => found?.metadata.labels?.[label] === metadata.labels[label],
          );
          if (isSame) continue;
          await kube.apply(RESOURCES[kind], object, { manager: FIELD_MANAGER });
        } catch (error) {
          if (!(error instanceof KubeError && REFUSED.has(error.status))) throw error;
          throw new RefusalError(
            'RouteRefused',
            `the cluster refuses the ${kind} ${metadata.name}: ${error.message}`,
          );
        }
      }
    },

    remove: async function removeRoute(domain, owner) {
      const name = routeName(domain);
      for (const kind of routeKinds(routing).toReversed()) {
        const found = await find(kind, name);
        if (found?.metadata.labels?.[OWNER_LABEL] === ownerLabel(owner))
          await kube.delete(RESOURCES[kind], routing.namespace, name);
      }
    },
  };
}

const isOurs = ({ metadata }: KubeObject): boolean =>
  Object.entries(MANAGED_BY_OPERATOR).every(([name, value]) => metadata.labels?.[name] === value);
