/** Reads the facts of an incident from Kubernetes and from the pods. It changes nothing. */
import { X509Certificate } from 'node:crypto';

import { causesOf } from '../../terminal/fault-text.ts';
import {
  type Installation,
  INSTANCE,
  type KubeList,
  type KubeObject,
  resourcesOf,
} from '../cluster/installation.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import { createRedaction } from '../cluster/redaction.ts';
import {
  type Condition,
  type ContainerStatus,
  RECENT_RESTART_MS,
  resourceOf,
  workloadOf,
} from '../cluster/status.ts';
import type { Facts, Pod } from './facts.ts';
import { errorKinds, lastWordsIn } from './log-errors.ts';
import { probePod } from './probe.ts';
import { volumesOf } from './volumes.ts';

const COMPONENT = 'app.kubernetes.io/component';
const SERVICES = new Set(['gateway', 'dispatcher', 'api', 'operator']);
const PODS_MAX = 40;
const PODS_AT_ONCE = 8;
const LOG_OPTIONS = ['--since=1h', '--tail=2000', '--limit-bytes=1000000'];
const NODE_PROBLEMS = ['DiskPressure', 'MemoryPressure', 'PIDPressure', 'NetworkUnavailable'];
/** One line for each Secret, without its key. */
const CERTIFICATES =
  'go-template={{range .items}}{{.metadata.name}} {{index .data "tls.crt"}}{{"\\n"}}{{end}}';

export async function gatherFacts(kubectl: Kubectl, installation: Installation): Promise<Facts> {
  const { namespace, release, inboundDomain } = installation;
  const own = kubectl.in(namespace);
  const selector = `${INSTANCE}=${release}`; // claims of a StatefulSet have no other label of Inlet
  const unread: Facts['unread'] = [];
  const ifRead = <T>(area: string, reading: Promise<T>, fallback: T): Promise<T> =>
    reading.catch((error: unknown) => {
      unread.push({ area, why: `cannot be read: ${causesOf(error)}` });
      return fallback;
    });
  const objectsOf = (kinds: string) =>
    own.json<KubeList>('get', kinds, '-l', selector).then(({ items }) => items);

  const objects = await objectsOf('deployments,statefulsets,pods,services,jobs,pvc');
  const of = (kind: string) => objects.filter((one) => one.kind === kind);
  const pods = of('Pod').filter(isCurrent);
  const nodesOfPods = new Set(pods.map(({ spec }) => spec.nodeName));
  const [shown, logs, resources, nodes, volumes, certificates, warnings] = await Promise.all([
    inGroups(pods.slice(0, PODS_MAX), (pod) => podFacts(own, pod, inboundDomain, unread)),
    inGroups(pods.slice(0, PODS_MAX), (pod) => logOf(own, pod, unread)),
    ifRead('resources', resourcesOf(kubectl, installation), []),
    ifRead(
      'nodes',
      kubectl.json<KubeList>('get', 'nodes').then(({ items }) => items),
      [],
    ),
    ifRead('disks', volumesOf(kubectl, namespace, pods), []),
    ifRead('certificates', certificatesIn(own), []),
    ifRead('events', warningsIn(own), []),
  ]);
  if (pods.length > PODS_MAX)
    unread.push({
      area: 'pods',
      why: `${pods.length - PODS_MAX} of ${pods.length} were not asked`,
    });
  return {
    nowMs: Date.now(),
    domain: inboundDomain ?? null,
    workloads: [...of('Deployment'), ...of('StatefulSet')].map((one) => ({
      ...workloadOf(one),
      component: componentOf(one),
    })),
    pods: shown,
    resources: resources.map(resourceOf),
    volumes,
    claims: of('PersistentVolumeClaim').map(({ metadata, status }) => ({
      name: metadata.name,
      phase: String(status?.phase),
    })),
    nodes: nodes
      .filter(({ metadata }) => nodesOfPods.has(metadata.name))
      .map(({ metadata, status }) => ({
        name: metadata.name,
        problems: nodeProblems((status?.conditions ?? []) as Condition[]),
      })),
    certificates,
    failedJobs: of('Job')
      .filter(hasFailed)
      .map(({ metadata }) => metadata.name),
    gatewayAddresses: addressesOf(of('Service')),
    errors: errorKinds(logs),
    warnings,
    unread,
  };
}

const componentOf = ({ metadata }: KubeObject): string => metadata.labels?.[COMPONENT] ?? '';

/** Others have ended, or end now: their workload has replaced them, or their Job tells. */
const isCurrent = ({ metadata, status }: KubeObject): boolean =>
  !['Succeeded', 'Failed'].includes(String(status?.phase)) && !('deletionTimestamp' in metadata);

async function podFacts(
  own: Kubectl,
  pod: KubeObject,
  domain: string | undefined,
  unread: Facts['unread'],
): Promise<Pod> {
  const { metadata, status = {} } = pod;
  const component = componentOf(pod);
  const containers = (status.containerStatuses ?? []) as ContainerStatus[];
  const conditions = (status.conditions ?? []) as Condition[];
  const isRunning = containers.some(({ name, state }) => name === component && !state?.waiting);
  const unscheduled = conditions.find(
    ({ type, status: is }) => type === 'PodScheduled' && is === 'False',
  );
  const waiting = containers.flatMap(({ state }) => state?.waiting ?? [])[0];
  const ended = containers.flatMap(({ lastState }) => lastState?.terminated ?? [])[0];
  const isRecent =
    ended !== undefined && Date.now() - Date.parse(ended.finishedAt ?? '') < RECENT_RESTART_MS;
  const name = metadata.name;
  const probe =
    SERVICES.has(component) && isRunning && status.phase === 'Running'
      ? await probePod(own, { pod: name, component }, domain).catch((error: unknown) => {
          unread.push({ area: 'pods', why: `${name} cannot be asked: ${causesOf(error)}` });
          return null;
        })
      : null;
  return {
    name,
    component,
    isReady: conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    waiting: textOf(unscheduled ?? waiting),
    ended: isRecent ? (ended.reason ?? `exit ${ended.exitCode}`) : null,
    lastWords: isRecent
      ? await own
          .run('logs', name, '-c', component, '--previous', '--tail=20')
          .then(lastWordsIn)
          .catch(() => null) // the kubelet has removed it
      : null,
    probe,
  };
}

const textOf = (why: { reason?: unknown; message?: unknown } | undefined): string | null =>
  why === undefined ? null : `${String(why.reason ?? '')} ${String(why.message ?? '')}`.trim();

async function logOf(own: Kubectl, pod: KubeObject, unread: Facts['unread']) {
  const component = componentOf(pod);
  if (!SERVICES.has(component) || pod.status?.phase !== 'Running') return { component, text: '' };
  const text = await own
    .run('logs', pod.metadata.name, '-c', component, ...LOG_OPTIONS)
    .catch((error: unknown) => {
      unread.push({ area: 'logs', why: `${pod.metadata.name}: ${causesOf(error)}` });
      return '';
    });
  return { component, text };
}

const nodeProblems = (conditions: readonly Condition[]): string[] =>
  conditions.flatMap(({ type, status }) => {
    if (type === 'Ready') return status === 'True' ? [] : ['NotReady'];
    return NODE_PROBLEMS.includes(type) && status === 'True' ? [type] : [];
  });

const hasFailed = ({ status }: KubeObject): boolean =>
  ((status?.conditions ?? []) as Condition[]).some(
    ({ type, status: is }) => type === 'Failed' && is === 'True',
  );

type Ingress = { ip?: string; hostname?: string };

function addressesOf(services: readonly KubeObject[]): string[] | null {
  const balanced = services.filter(
    (one) => componentOf(one) === 'gateway' && one.spec.type === 'LoadBalancer',
  );
  if (balanced.length === 0) return null;
  return balanced.flatMap(({ status }) => {
    const { ingress = [] } = (status?.loadBalancer ?? {}) as { ingress?: Ingress[] };
    return ingress.map(({ ip, hostname }) => ip ?? hostname ?? '');
  });
}

async function certificatesIn(own: Kubectl): Promise<Facts['certificates']> {
  const type = ['--field-selector', 'type=kubernetes.io/tls'];
  const lines = (await own.run('get', 'secrets', ...type, '-o', CERTIFICATES)).split('\n');
  return lines.flatMap((line) => {
    const [name = '', pem = ''] = line.split(' ');
    if (pem === '') return [];
    const { validTo } = new X509Certificate(Buffer.from(pem, 'base64'));
    return [{ name, validToMs: Date.parse(validTo) }];
  });
}

type KubeEvent = KubeObject & {
  involvedObject?: { kind: string; name: string };
  reason?: string;
  message?: string;
  lastTimestamp?: string | null;
  eventTime?: string | null;
};

const WARNINGS_MAX = 5;
const redact = createRedaction([]);
const timeOf = ({ lastTimestamp, eventTime }: KubeEvent): string =>
  lastTimestamp ?? eventTime ?? '';

async function warningsIn(own: Kubectl): Promise<Facts['warnings']> {
  const { items } = await own.json<KubeList<KubeEvent>>(
    'get',
    'events',
    '--field-selector',
    'type=Warning',
  );
  return items
    .toSorted((one, other) => timeOf(other).localeCompare(timeOf(one)))
    .slice(0, WARNINGS_MAX)
    .map(({ involvedObject, reason = '', message = '' }) => ({
      object: involvedObject === undefined ? '' : `${involvedObject.kind} ${involvedObject.name}`,
      reason,
      message: redact(message).slice(0, 200),
    }));
}

/** Each kubectl is a process: a few run at the same time. */
async function inGroups<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += PODS_AT_ONCE)
    results.push(...(await Promise.all(items.slice(i, i + PODS_AT_ONCE).map(act))));
  return results;
}
