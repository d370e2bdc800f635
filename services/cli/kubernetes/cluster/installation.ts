/** Finds the release of the chart that a command is about, and a token for its API. */
import { ExitCode, Failure, usageFault } from '../../terminal/failure.ts';
import type { Kubectl } from './kubectl.ts';

export type KubeObject = {
  kind: string;
  metadata: { name: string; namespace: string; labels?: Record<string, string> };
  spec: Record<string, unknown>;
  status?: Record<string, unknown>;
};
export type KubeList<T extends KubeObject = KubeObject> = { items: T[] };

type Container = { image: string; env?: { name: string; value?: string }[] };
type Deployment = KubeObject & { spec: { template: { spec: { containers: Container[] } } } };

export type Installation = {
  namespace: string;
  /** Name of the Helm release. */
  release: string;
  /** The prefix of its objects' names: `<name>-api`. */
  name: string;
  version: string;
  image: string;
  /** URL of the API for clients outside; absent without PUBLIC_API_URL. */
  publicUrl?: string;
  /** The domain of the addresses that the API creates. */
  inboundDomain?: string;
};

export const INSTANCE = 'app.kubernetes.io/instance';

/**
 * Looks in the namespace of the command line or of the context; without a namespace on the command
 * line, also in all others.
 * @throws Failure when there is none, or more than one
 */
export async function findInstallation(
  kubectl: Kubectl,
  { namespace, release }: { namespace?: string; release?: string },
): Promise<Installation> {
  const inNamespace = await found(kubectl, release);
  const installations =
    inNamespace.length > 0 || namespace !== undefined
      ? inNamespace
      : await found(kubectl, release, '--all-namespaces').catch(() => []);
  const [only, ...others] = installations;
  if (only === undefined)
    throw new Failure(
      `no installation of Inlet ${release === undefined ? '' : `named ${release} `}in ` +
        (namespace === undefined ? 'this cluster' : `namespace ${namespace}`),
      ExitCode.notFound,
    );
  if (others.length > 0) {
    const names = installations.map((one) => `-n ${one.namespace} --release ${one.release}`);
    throw usageFault(`there are several installations, choose one: ${names.join('; ')}`);
  }
  return only;
}

async function found(
  kubectl: Kubectl,
  release: string | undefined,
  ...args: string[]
): Promise<Installation[]> {
  const apis = await deploymentsOf(kubectl, 'api', release, ...args);
  return apis.map(({ metadata, spec }) => {
    const [container] = spec.template.spec.containers;
    const publicUrl = settingOf(container, 'PUBLIC_API_URL');
    const inboundDomain = settingOf(container, 'INBOUND_DOMAIN');
    return {
      namespace: metadata.namespace,
      release: metadata.labels?.[INSTANCE] ?? '',
      name: metadata.name.replace(/-api$/, ''),
      version: metadata.labels?.['app.kubernetes.io/version'] ?? '',
      image: container?.image ?? '',
      ...(publicUrl && { publicUrl }),
      ...(inboundDomain && { inboundDomain }),
    };
  });
}

/** @param release of all releases when undefined */
async function deploymentsOf(
  kubectl: Kubectl,
  component: 'api' | 'operator',
  release: string | undefined,
  ...args: string[]
): Promise<Deployment[]> {
  const labels = `app.kubernetes.io/part-of=inlet,app.kubernetes.io/component=${component}`;
  const selector = release === undefined ? labels : `${labels},${INSTANCE}=${release}`;
  const get = ['get', 'deployments', '-l', selector, ...args];
  return (await kubectl.json<KubeList<Deployment>>(...get)).items;
}

const settingOf = (container: Container | undefined, wanted: string): string | undefined =>
  container?.env?.find(({ name }) => name === wanted)?.value || undefined;

type ApiToken = KubeObject & { status?: { secretName?: string } };

/**
 * The token of an ApiToken resource.
 * @param wanted its name, or NAMESPACE/NAME; without it, the installation must have only one
 * @throws Failure when there is none, or more than one
 */
export async function tokenOf(
  kubectl: Kubectl,
  installation: Installation,
  wanted: string | undefined,
): Promise<string> {
  const [, place = installation.namespace, name] = /^(?:([^/]+)\/)?(.+)$/.exec(wanted ?? '') ?? [];
  const all = name === undefined ? await resourcesOf<ApiToken>(kubectl, installation) : [];
  const candidates =
    name === undefined
      ? all.filter(({ kind, status }) => kind === 'ApiToken' && status?.secretName !== undefined)
      : [await kubectl.in(place).json<ApiToken>('get', 'apitokens.inlet.email', name)];
  const [only, ...others] = candidates;
  if (only?.status?.secretName === undefined)
    throw new Failure(
      'no ApiToken resource has a token. Create one, or set INLET_TOKEN',
      ExitCode.notAllowed,
    );
  if (others.length > 0) {
    const names = candidates.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    throw usageFault(`there are several tokens, choose one with --token: ${names.join(', ')}`);
  }
  const secret = await kubectl
    .in(only.metadata.namespace)
    .json<{ data?: Record<string, string> }>('get', 'secret', only.status.secretName);
  return Buffer.from(secret.data?.token ?? '', 'base64').toString();
}

/**
 * The custom resources of this installation: of `operator.namespaces`, or of all namespaces where
 * that is empty. Other installations may have theirs in the same cluster.
 * A user who may not read all namespaces gets those of `operator.namespaces` one by one, or of the
 * namespace of the installation.
 */
export async function resourcesOf<T extends KubeObject>(
  kubectl: Kubectl,
  installation: Installation,
): Promise<T[]> {
  const { namespace } = installation;
  const watched = await watchedNamespaces(kubectl.in(namespace), installation);
  const readEach = async () => {
    const lists = (watched ?? [namespace]).map((one) =>
      kubectl.in(one).json<KubeList<T>>('get', 'inlet'),
    );
    return { items: (await Promise.all(lists)).flatMap(({ items }) => items) };
  };
  const { items } = await kubectl
    .json<KubeList<T>>('get', 'inlet', '--all-namespaces')
    .catch(readEach);
  return items.filter(({ metadata }) => watched?.includes(metadata.namespace) ?? true);
}

/** Undefined when the operator watches all, or is not installed. */
async function watchedNamespaces(
  own: Kubectl,
  { release }: Installation,
): Promise<string[] | undefined> {
  const [operator] = await deploymentsOf(own, 'operator', release).catch(() => []);
  const [container] = operator?.spec.template.spec.containers ?? [];
  return settingOf(container, 'WATCH_NAMESPACES')?.split(',');
}

/** Accounts, to sign in to one: the id of the resource's name, or of the only resource. */
export async function accountIdOf(
  kubectl: Kubectl,
  installation: Installation,
  wanted: string | undefined,
): Promise<string> {
  if (wanted?.startsWith('acc_')) return wanted;
  const accounts = (await resourcesOf(kubectl, installation)).filter(
    ({ kind, metadata }) =>
      kind === 'Account' &&
      (wanted === undefined ||
        [metadata.name, `${metadata.namespace}/${metadata.name}`].includes(wanted)),
  );
  const ids = accounts.flatMap(({ status }) => (typeof status?.id === 'string' ? [status.id] : []));
  const [only, ...others] = ids;
  if (only === undefined)
    throw new Failure('no such Account resource. Give --account acc_…', ExitCode.notFound);
  if (others.length > 0)
    throw usageFault(`there are several accounts, choose one with --account: ${ids.join(', ')}`);
  return only;
}
