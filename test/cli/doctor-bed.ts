/**
 * An installation for `kubectl inlet doctor`: the objects of the chart as a cluster has them, and
 * the metrics of real services. Tests break it. The only fake is kubectl.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { createMeter } from '../../services/adapters/process/meter.ts';
import { createRegistry } from '../../services/adapters/process/observe.ts';
import type {
  Installation,
  KubeObject,
} from '../../services/cli/kubernetes/cluster/installation.ts';
import type { Kubectl } from '../../services/cli/kubernetes/cluster/kubectl.ts';
import { type Diagnosis, diagnose } from '../../services/cli/kubernetes/incident/diagnosis.ts';
import { gatherFacts } from '../../services/cli/kubernetes/incident/gather.ts';
import { createOperatorMetrics } from '../../services/operator/process/metrics.ts';
import { type Manifest, PROFILES, rendered } from '../chart/render.ts';
import { startInProcess } from '../support/start-in-process.ts';

const run = promisify(execFile);
export const NOW_S = Date.now() / 1_000;
const COMPONENT = 'app.kubernetes.io/component';

/** What a test may change. */
export type Bed = {
  objects: (KubeObject & { status: Record<string, unknown> })[];
  nodes: KubeObject[];
  resources: KubeObject[];
  events: object[];
  /** Text of /metrics by component: before and after the wait. */
  metrics: Record<string, { before: string; after: string }>;
  mail: { hosts: { name: string; addresses: string[] }[]; fault: string | null };
  /** By component. */
  logs: Record<string, string>;
  lastWords: string;
  volumes: { claim: string; used: number }[];
  /** Base64 of PEM by name of the Secret; a text that begins with Error is a refusal. */
  certificates: Record<string, string> | string;
};

export type RealMetrics = Record<'gateway' | 'dispatcher' | 'api' | 'operator', string>;

const read = async (url: string) => (await fetch(url)).text();

/** The texts of real services that have delivered an email. The operator's is of its registry. */
export async function realMetrics(): Promise<RealMetrics & { apiProbe: string }> {
  await using inlet = await startInProcess();
  const address = await inlet.address('/doctor');
  await inlet.send(address.address, 'for the metrics');
  await inlet.pipeline.receiver.nth('/doctor', 1);
  const registry = createRegistry('operator', { kubernetes: () => true });
  createOperatorMetrics(createMeter(registry), () => ({ queued: 0, resources: [] }));
  const { port } = new URL(inlet.api.metricsUrl);
  return {
    gateway: await read(inlet.pipeline.metricsUrls.gateway),
    dispatcher: await read(inlet.pipeline.metricsUrls.dispatcher),
    api: await read(`http://127.0.0.1:${port}/metrics`),
    operator: await registry.metrics(),
    apiProbe: await runInPod(port),
  };
}

/** Runs the script of the doctor as it would run in the pod, without the wait. */
async function runInPod(port: string): Promise<string> {
  let command: string[] = [];
  const kubectl = {
    run: async (...args: string[]) => ((command = args), '{}'),
  } as unknown as Kubectl;
  const { probePod } = await import('../../services/cli/kubernetes/incident/probe.ts');
  await probePod(kubectl, { pod: 'p', component: 'api' }, undefined);
  const [program = '', eval_ = '', script = ''] = command.slice(command.indexOf('--') + 1);
  if (program !== 'node') throw new Error(`the doctor runs ${program}`);
  const env = { ...process.env, METRICS_PORT: port };
  return (await run(process.execPath, [eval_, script, '0', ''], { env })).stdout;
}

const INSTALLATION: Installation = {
  namespace: 'mail',
  release: 'inlet',
  name: 'inlet',
  version: '0.0.0',
  image: 'inlet',
  inboundDomain: 'in.example.com',
};

const WORKLOADS = ['Deployment', 'StatefulSet'];
type Labeled = { metadata: { labels: Record<string, string> } };

const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

/**
 * A healthy installation of the evaluation profile. What depends on how busy this machine is, and
 * on who leads, is set.
 */
export async function healthyBed(metrics: RealMetrics): Promise<Bed> {
  const manifests = await rendered(
    ...PROFILES.evaluation,
    '--set',
    'gateway.service.type=LoadBalancer',
  );
  const workloads = manifests.filter(({ kind }) => WORKLOADS.includes(kind));
  const bed: Bed = {
    objects: [
      ...workloads.map((one) => ({ ...one, status: { readyReplicas: one.spec.replicas } })),
      ...workloads.map(podOf),
      ...workloads.flatMap(claimsOf),
      ...manifests
        .filter(({ kind }) => kind === 'Service')
        .map((one) => ({ ...one, status: { loadBalancer: { ingress: [{ ip: '192.0.2.25' }] } } })),
    ] as Bed['objects'],
    nodes: [{ kind: 'Node', metadata: { name: 'node-1', namespace: '' }, spec: {}, status: ready }],
    resources: [
      {
        kind: 'Account',
        metadata: { name: 'shop', namespace: 'shop' },
        spec: {},
        status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }] },
      },
    ],
    events: [],
    metrics: Object.fromEntries(
      Object.entries(metrics).map(([name, text]) => [name, { before: text, after: text }]),
    ),
    mail: { hosts: [{ name: 'mx.example.com', addresses: ['192.0.2.25'] }], fault: null },
    logs: {},
    lastWords: '',
    volumes: [{ claim: 'data-inlet-nats-0', used: 10 }],
    certificates: {},
  };
  for (const one of Object.keys(metrics))
    setMetric(bed, one, 'nodejs_eventloop_lag_p99_seconds', 0.01);
  setMetric(bed, 'gateway', 'inlet_mail_store_seconds_sum', 0.01);
  setMetric(bed, 'operator', 'inlet_operator_is_leader', 1);
  for (const text of Object.values(bed.metrics)) text.before = text.after;
  return bed;
}

function podOf({ metadata, spec }: Manifest): object {
  const template = spec.template as unknown as Labeled & { spec: Record<string, unknown> };
  const component = template.metadata.labels[COMPONENT];
  return {
    kind: 'Pod',
    metadata: { name: `${metadata.name}-0`, namespace: 'mail', labels: template.metadata.labels },
    spec: {
      ...template.spec,
      nodeName: 'node-1',
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${metadata.name}-0` } }],
    },
    status: {
      phase: 'Running',
      ...ready,
      containerStatuses: [{ name: component, ready: true, restartCount: 0, state: {} }],
    },
  };
}

const claimsOf = ({ metadata, spec }: Manifest): object[] =>
  ((spec.volumeClaimTemplates ?? []) as { metadata: { name: string } }[]).map((claim) => ({
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `${claim.metadata.name}-${metadata.name}-0`,
      namespace: 'mail',
      labels: (spec.selector as { matchLabels: Record<string, string> }).matchLabels,
    },
    spec: {},
    status: { phase: 'Bound' },
  }));

/** An object of the installation, to change it. */
export function objectOf(bed: Bed, kind: string, component: string): Bed['objects'][number] {
  const found = bed.objects.find(
    (one) => one.kind === kind && one.metadata.labels?.[COMPONENT] === component,
  );
  if (found === undefined) throw new Error(`the chart has no ${kind} ${component}`);
  return found;
}

/** Sets samples of a metric, which the real text must have. @param labels of the sample, as text */
export function setMetric(bed: Bed, component: string, metric: string, value: number): void {
  const text = bed.metrics[component];
  if (text === undefined) throw new Error(`no metrics of ${component}`);
  const pattern = new RegExp(`^(${metric}(?:\\{[^\\n]*\\})?) \\S+$`, 'gm');
  if (!pattern.test(text.after)) throw new Error(`${component} has no metric ${metric}`);
  text.after = text.after.replaceAll(pattern, `$1 ${value}`);
}

/** A sample with labels that the real text has only after such an event. Its metric must exist. */
export function addSample(bed: Bed, component: string, metric: string, rest: string): void {
  const text = bed.metrics[component];
  if (!text?.after.includes(`# TYPE ${metric} `)) throw new Error(`no metric ${metric}`);
  text.after += `${metric}${rest}\n`;
}

export const diagnosed = async (bed: Bed): Promise<Diagnosis> =>
  diagnose(await gatherFacts(kubectlOf(bed), INSTALLATION));

const KINDS: Record<string, string> = {
  deployments: 'Deployment',
  statefulsets: 'StatefulSet',
  pods: 'Pod',
  services: 'Service',
  jobs: 'Job',
  pvc: 'PersistentVolumeClaim',
};

function kubectlOf(bed: Bed): Kubectl {
  const lists: Record<string, object[]> = {
    nodes: bed.nodes,
    inlet: bed.resources,
    events: bed.events,
  };
  const componentOf = (name = '') =>
    bed.objects.find(({ kind, metadata }) => kind === 'Pod' && metadata.name === name)?.metadata
      .labels?.[COMPONENT] ?? '';
  const selected = (kinds: string, selector: string) =>
    bed.objects.filter(
      ({ kind, metadata }) =>
        kinds.split(',').some((one) => KINDS[one] === kind) &&
        selector.split(',').every((pair) => {
          const [label = '', value] = pair.split('=');
          return metadata.labels?.[label] === value;
        }),
    );
  const kubectl: Kubectl = {
    json: async <T>(_get: string, kinds = '', _l = '', selector = '') =>
      ({ items: lists[kinds] ?? selected(kinds, selector) }) as T,
    run: async (verb = '', name = '', ...rest) => {
      if (verb === 'exec') {
        const { before = '', after = '' } = bed.metrics[componentOf(name)] ?? {};
        return JSON.stringify({
          isReady: true,
          before,
          metrics: after,
          seconds: 5,
          mail: bed.mail,
        });
      }
      if (verb === 'logs')
        return rest.includes('--previous') ? bed.lastWords : (bed.logs[componentOf(name)] ?? '');
      if (name === '--raw')
        return JSON.stringify({
          pods: bed.volumes.map(({ claim, used }) => ({
            volume: [
              { pvcRef: { name: claim, namespace: 'mail' }, usedBytes: used, capacityBytes: 100 },
            ],
          })),
        });
      if (typeof bed.certificates === 'string') throw new Error(bed.certificates);
      return Object.entries(bed.certificates)
        .map(([secret, pem]) => `${secret} ${pem}\n`)
        .join('');
    },
    in: () => kubectl,
    forward: () => Promise.reject(new Error('the doctor forwards no port')),
  };
  return kubectl;
}
