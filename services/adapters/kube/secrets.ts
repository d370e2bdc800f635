/** Secrets in the namespace of this pod, with the pod's service account. */
import { ApiException, CoreV1Api, KubeConfig } from '@kubernetes/client-node';

type ClusterSecrets = {
  /** The keys of a Secret; undefined when there is no such Secret. */
  entriesOf(name: string): Promise<string[] | undefined>;
  /**
   * Adds entries to a Secret, and creates it when it is missing.
   * @throws when it was changed at the same time
   */
  add(
    name: string,
    entries: Readonly<Record<string, string>>,
    labels: Readonly<Record<string, string>>,
  ): Promise<void>;
};

const NOT_FOUND = 404;

export function createClusterSecrets(namespace: string): ClusterSecrets {
  const kube = new KubeConfig();
  kube.loadFromCluster();
  const api = kube.makeApiClient(CoreV1Api);

  async function find(name: string) {
    try {
      return await api.readNamespacedSecret({ namespace, name });
    } catch (error) {
      if (error instanceof ApiException && error.code === NOT_FOUND) return undefined;
      throw new Error(`read Secret ${name}`, { cause: error });
    }
  }
  return {
    entriesOf: async (name) => {
      const secret = await find(name);
      return secret && Object.keys(secret.data ?? {});
    },
    add: async (name, entries, labels) => {
      const found = await find(name);
      const data = Object.fromEntries(
        Object.entries(entries).map(([entry, text]) => [
          entry,
          Buffer.from(text).toString('base64'),
        ]),
      );
      try {
        if (found === undefined)
          await api.createNamespacedSecret({
            namespace,
            body: { metadata: { name, labels: { ...labels } }, data },
          });
        else
          await api.replaceNamespacedSecret({
            namespace,
            name,
            body: Object.assign(found, { data: { ...found.data, ...data } }),
          }); // with its resourceVersion: a concurrent change is a conflict
      } catch (cause) {
        throw new Error(`write Secret ${name}`, { cause });
      }
    },
  };
}
