/** A service account for operators of a test, with exactly the permissions of permissions.ts. */
import { LEASE_RULES, RULES } from '../../services/operator/cluster/permissions.ts';
import type { Manifest } from '../support/manifests.ts';
import { kubectl, type Namespace } from './kubectl.ts';

const NAME = 'inlet-operator';

/** The permissions of permissions.ts, for the service account in this namespace. */
export const roleOf = (namespace: string) => [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: NAME },
    rules: [...RULES, ...LEASE_RULES],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: NAME },
    subjects: [{ kind: 'ServiceAccount', name: NAME, namespace }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: NAME },
  },
];

/**
 * The same in all namespaces, which is the chart's default. The roles of a namespace are deleted
 * with it, and then the operator could not remove the finalizers.
 */
export async function grantEverywhere(namespace: Namespace): Promise<AsyncDisposable> {
  const [metadata, kind] = [{ name: namespace.name }, 'ClusterRole'];
  await namespace.apply(
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata, rules: RULES },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata,
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: namespace.name }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: namespace.name },
    },
  );
  return {
    [Symbol.asyncDispose]: async () =>
      void (await kubectl(['delete', 'clusterrole,clusterrolebinding', namespace.name])),
  };
}

export async function kubeconfigOfServiceAccount(
  namespace: Namespace,
  roles: readonly Manifest[] = roleOf(namespace.name),
): Promise<string> {
  const name = NAME;
  await namespace.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } }, ...roles);
  const token = (await namespace.run('create', 'token', name, '--duration=1h')).trim();
  const clusters = await currentCluster();
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters,
    users: [{ name, user: { token } }],
    contexts: [
      {
        name: 'test',
        context: { cluster: clusters[0]?.name, user: name, namespace: namespace.name },
      },
    ],
    'current-context': 'test',
  });
}

export type Clusters = [{ name: string; cluster: { server: string; 'tls-server-name'?: string } }];

export async function currentCluster(): Promise<Clusters> {
  return (
    JSON.parse(await kubectl(['config', 'view', '--minify', '--raw', '-o', 'json'])) as {
      clusters: Clusters;
    }
  ).clusters;
}
