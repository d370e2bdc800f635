/** Secrets that a resource refers to, and that the operator only reads. */
import { type Kube, KubeError } from '../../adapters/kube/client.ts';
import { RefusalError } from '../../core/kube/condition.ts';
import type { ReferencedSecret } from '../../core/kube/spec/receiver-auth-spec.ts';
import { RESOURCES } from './permissions.ts';
import { type Secret, secretTexts } from './secret-keeper.ts';

/**
 * Resolves with those that exist, by name. @throws RefusalError when the operator may not read one,
 * as with SECRET_NAMES
 */
export type ReadSecrets = (
  namespace: string,
  names: readonly string[],
) => Promise<Map<string, ReferencedSecret>>;

/** From the API server: the cache has only the operator's own. */
export const createReadSecrets =
  (kube: Pick<Kube, 'get'>): ReadSecrets =>
  async (namespace, names) => {
    const found = new Map<string, ReferencedSecret>();
    for (const name of new Set(names)) {
      try {
        const secret = await kube.get<Secret>(RESOURCES.Secret, namespace, name);
        found.set(name, { labels: secret.metadata.labels ?? {}, content: secretTexts(secret) });
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        if (error.status === 403) throw new RefusalError('SecretRefused', error.message);
        if (error.status !== 404) throw error;
      }
    }
    return found;
  };
