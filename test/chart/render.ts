/** The chart rendered by helm, for tests. */
import { join } from 'node:path';

import { parseAllDocuments } from 'yaml';

import { CHART } from '../support/charts.ts';
import { findHelm } from '../support/helm.ts';

export const helm = await findHelm();
export const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'chart');

export const PROFILES: Record<'evaluation' | 'small' | 'production' | 'everything', string[]> = {
  evaluation: [
    '-f',
    join(CHART, 'values-evaluation.yaml'),
    '--set',
    'inboundDomain=in.example.com',
  ],
  small: ['-f', join(CHART, 'values-small.yaml')],
  production: ['-f', join(CHART, 'values-production.yaml')],
  everything: ['-f', join(FIXTURES, 'everything.values.yaml')],
};

type Probe = Record<string, unknown>;
export type Container = {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value?: string }[];
  resources: object;
  securityContext: object;
  volumeMounts?: { name: string; mountPath: string }[];
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  lifecycle?: { preStop: { sleep: { seconds: number } } };
};
export type PodSpec = {
  serviceAccountName?: string;
  imagePullSecrets?: { name: string }[];
  securityContext: object;
  automountServiceAccountToken?: boolean;
  terminationGracePeriodSeconds?: number;
  topologySpreadConstraints?: object[];
  nodeSelector?: object;
  tolerations?: object[];
  containers: Container[];
  initContainers?: Container[];
  volumes?: { name: string; secret?: { secretName: string; items?: { key: string }[] } }[];
};
export type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    annotations?: Record<string, string>;
    labels?: Record<string, string>;
  };
  data?: Record<string, string>;
  rules?: { resources: string[]; verbs: string[]; resourceNames?: string[] }[];
  subjects?: { name: string }[];
  spec: PodSpec & { template?: { spec: PodSpec } } & Record<string, unknown>;
};

/** Renders the release in the namespace mail. Empty without helm: such tests are skipped. */
export const template = (args: readonly string[], release = 'inlet'): Promise<string> =>
  helm?.('template', release, CHART, '--namespace', 'mail', ...args) ?? Promise.resolve('');

/** @throws for YAML that strict readers refuse, such as a key that is there twice */
export const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => {
      if (document.errors[0]) throw document.errors[0];
      return document.toJS() as Manifest | null;
    })
    .filter((one) => one !== null);

export const rendered = async (...args: string[]): Promise<Manifest[]> =>
  manifestsIn(await template(args));

export const podOf = ({ kind, spec }: Manifest): PodSpec | undefined =>
  kind === 'Pod' ? spec : spec?.template?.spec?.containers && spec.template.spec;

/** `--set` of several values. */
export const sets = (...values: string[]): string[] => ['--set', values.join(',')];

export function find(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`the chart renders no ${kind} ${name}`);
  return found;
}
