/** What `kubectl inlet status` shows: gathered facts, and the problems in them in words. */
import { causesOf } from '../../terminal/fault-text.ts';
import {
  type Installation,
  INSTANCE,
  type KubeList,
  type KubeObject,
  resourcesOf,
} from './installation.ts';
import type { Kubectl } from './kubectl.ts';

type Condition = { type: string; status: string; reason?: string; message?: string };
type ContainerStatus = {
  name: string;
  ready: boolean;
  restartCount: number;
  lastState?: { terminated?: { reason?: string; exitCode?: number; finishedAt?: string } };
  state?: { waiting?: { reason?: string; message?: string } };
};

export type Status = {
  release: string;
  namespace: string;
  version: string;
  workloads: { name: string; kind: string; ready: number; wanted: number; images: string[] }[];
  resources: {
    kind: string;
    namespace: string;
    name: string;
    ready: string;
    reason: string;
    message: string;
  }[];
  /** Emails that are neither delivered nor failed; null when no service can be asked. */
  queue: { mails: number; oldest_seconds: number } | null;
  /** Sentences; empty when nothing is wrong. */
  problems: string[];
};

const QUEUE_AGE_MAX_SECONDS = 300;
/** An older restart is over: a node that was updated, for example. */
const RECENT_RESTART_MS = 3_600_000;

/** Prints the metrics of the pod in which it runs. */
export const READ_METRICS =
  "fetch('http://127.0.0.1:9090/metrics').then((r) => r.text()).then((t) => process.stdout.write(t))";

export async function gatherStatus(kubectl: Kubectl, installation: Installation): Promise<Status> {
  const { namespace, release, name, version } = installation;
  const own = kubectl.in(namespace);
  const unread: string[] = [];
  const ifRead = async <T>(what: string, reading: Promise<T>): Promise<T | undefined> =>
    reading.catch(
      (error: unknown) => void unread.push(`${what} cannot be read: ${causesOf(error)}`),
    );
  const metricsOf = (component: string) =>
    ifRead(
      `the metrics of ${component}`,
      own.run('exec', `deployment/${name}-${component}`, '--', 'node', '-e', READ_METRICS),
    );
  const selector = `${INSTANCE}=${release},app.kubernetes.io/part-of=inlet`;
  const [objects, resources, gatewayMetrics, apiMetrics] = await Promise.all([
    own.json<KubeList>('get', 'deployments,statefulsets,pods', '-l', selector),
    ifRead('custom resources', resourcesOf(kubectl, installation)),
    metricsOf('gateway'),
    metricsOf('api'),
  ]);
  const facts = {
    workloads: objects.items.filter(({ kind }) => kind !== 'Pod').map(workloadOf),
    resources: (resources ?? []).map(resourceOf),
    queue: gatewayMetrics === undefined ? null : queueIn(gatewayMetrics),
  };
  const problems = [
    ...facts.workloads
      .filter(({ ready, wanted }) => ready < wanted || wanted === 0)
      .map((one) =>
        one.wanted === 0
          ? `${one.kind} ${one.name} is scaled to 0: no pod is wanted`
          : `${one.kind} ${one.name}: ${one.ready} of ${one.wanted} wanted pods are ready`,
      ),
    ...objects.items.filter(({ kind }) => kind === 'Pod').flatMap(podProblems),
    ...facts.resources
      .filter(({ ready }) => ready !== 'True')
      .map(
        (one) =>
          `${one.kind} ${one.namespace}/${one.name} is not ready: ${one.reason} ${one.message}`,
      ),
    ...queueProblems(facts.queue),
    ...failingProblems(apiMetrics),
    ...unread,
  ];
  return { release, namespace, version, ...facts, problems };
}

function workloadOf({
  kind,
  metadata,
  spec,
  status = {},
}: KubeObject): Status['workloads'][number] {
  const { template, replicas = 1 } = spec as {
    replicas?: number;
    template: { spec: { containers: { image: string }[] } };
  };
  return {
    name: metadata.name,
    kind,
    ready: Number(status.readyReplicas ?? 0),
    wanted: replicas,
    images: template.spec.containers.map(({ image }) => image),
  };
}

function resourceOf({ kind, metadata, status = {} }: KubeObject): Status['resources'][number] {
  const conditions = (status.conditions ?? []) as Condition[];
  const ready = conditions.find(({ type }) => type === 'Ready');
  return {
    kind,
    namespace: metadata.namespace,
    name: metadata.name,
    ready: ready?.status ?? 'Unknown',
    reason: ready?.reason ?? 'the operator has not seen it',
    message: ready?.message ?? '',
  };
}

function podProblems({ metadata, status = {} }: KubeObject): string[] {
  const pod = `pod ${metadata.name}`;
  if (status.phase === 'Succeeded') return [];
  return ((status.containerStatuses ?? []) as ContainerStatus[]).flatMap((container) => {
    const { waiting } = container.state ?? {};
    const ended = container.lastState?.terminated;
    const isRecent = Date.now() - Date.parse(ended?.finishedAt ?? '') < RECENT_RESTART_MS;
    const end = ended && `, the last time because of ${ended.reason ?? `exit ${ended.exitCode}`}`;
    return [
      ...(waiting ? [`${pod} waits: ${waiting.reason ?? ''} ${waiting.message ?? ''}`.trim()] : []),
      ...(isRecent ? [`${pod} has restarted ${container.restartCount} times${end ?? ''}`] : []),
    ];
  });
}

const queueIn = (metrics: string): Status['queue'] => ({
  mails: valuesOf(metrics, 'inlet_queue_mails').reduce((sum, value) => sum + value, 0),
  oldest_seconds: Math.round(Math.max(0, ...valuesOf(metrics, 'inlet_queue_age_seconds'))),
});

const queueProblems = (queue: Status['queue']): string[] =>
  queue !== null && queue.oldest_seconds > QUEUE_AGE_MAX_SECONDS
    ? [
        `the oldest email has waited for ${queue.oldest_seconds} s: a receiver fails, or dispatchers are too few`,
      ]
    : [];

function failingProblems(metrics: string | undefined): string[] {
  const failing = Math.max(0, ...valuesOf(metrics ?? '', 'inlet_failing_addresses'));
  return failing > 0
    ? [`${failing} addresses have receivers that fail: inlet deliveries list --status retrying`]
    : [];
}

/** The values of a metric in the text of a Prometheus endpoint, for each set of labels. */
export const valuesOf = (text: string, metric: string): number[] =>
  [...text.matchAll(new RegExp(`^${metric}(?:\\{[^\\n]*\\})? (\\S+)`, 'gm'))].map(([, value]) =>
    Number(value),
  );
