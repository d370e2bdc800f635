/**
 * kubeconform -strict validates every object of the chart with the schemas of Kubernetes 1.36 and
 * of the operators whose resources the chart creates, and skaffold.yaml with skaffold's schema.
 * test/support/kubernetes-schemas.ts creates the schemas.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { CHART } from '../support/charts.ts';
import { findHelm } from '../support/helm.ts';
import { conform, kubeconform } from '../support/kubeconform.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures');
const helm = await findHelm();
const isThere = helm !== undefined && kubeconform !== undefined;

const template = (args: string[]): Promise<string> =>
  helm?.(
    'template',
    'inlet',
    CHART,
    '--namespace',
    'mail',
    '--set',
    'monitoring.rules.enabled=true,monitoring.dashboards.enabled=true',
    ...args,
  ) ?? Promise.resolve('');

test.skipIf(!isThere).each([
  [
    'evaluation',
    ['-f', join(CHART, 'values-evaluation.yaml'), '--set', 'inboundDomain=in.example.com'],
  ],
  ['small', ['-f', join(CHART, 'values-small.yaml')]],
  ['production', ['-f', join(CHART, 'values-production.yaml')]],
  ['everything', ['-f', join(FIXTURES, 'chart', 'everything.values.yaml')]],
  [
    'everything, scaled by an external metric',
    [
      '-f',
      join(FIXTURES, 'chart', 'everything.values.yaml'),
      '--set',
      'dispatcher.autoscaling.kind=hpa',
    ],
  ],
])('kubeconform takes every object of %s (skipped without helm and Go)', async (_, args) => {
  const { resources, summary } = await conform(await template(args));
  expect(resources.filter(({ status }) => status !== 'statusValid')).toEqual([]);
  expect(summary.valid).toBeGreaterThan(40);
});

test.skipIf(!isThere).each([
  [
    'an unknown field',
    'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {port: [{port: 25}]}',
  ],
  [
    'a number instead of a string',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 1}',
  ],
  [
    'an unknown field of another operator',
    'apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: a}\nspec: ' +
      '{scaleTargetRef: {name: a}, triggers: [{type: cron, metadata: {}}], minReplicas: 2}',
  ],
  [
    'an unknown field of a DNS record',
    'apiVersion: externaldns.k8s.io/v1alpha1\nkind: DNSEndpoint\nmetadata: {name: a}\nspec: ' +
      '{endpoints: [{dnsName: a.example.com, recordType: MX, recordTtl: 300}]}',
  ],
  [
    'more domains than a certificate of GKE can have',
    'apiVersion: networking.gke.io/v1\nkind: ManagedCertificate\nmetadata: {name: a}\nspec: ' +
      `{domains: [${Array.from({ length: 101 }, (_, i) => `a${i}.example.com`).join(', ')}]}`,
  ],
  ['a duplicate key', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b, a: c}'],
  ['a kind without a schema', 'apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}'],
])('kubeconform refuses %s', async (_, text) => {
  const { resources } = await conform(text);
  expect(resources.filter(({ status }) => status !== 'statusValid').length).toBe(1);
});

describe.skipIf(kubeconform === undefined)('skaffold.yaml (skipped without Go)', async () => {
  const text = await readFile(join(CHART, '..', '..', 'skaffold.yaml'), 'utf8');

  test('skaffold takes every field of it', async () => {
    expect(await conform(text)).toMatchObject({ resources: [], summary: { valid: 1 } });
  });

  test.each([
    ['a field that there is not', 'createNamespace: true', 'createNamespaces: true'],
    ['a text for a flag, in a profile', 'push: false', 'push: never'],
  ])('it would refuse %s', async (_, field, fault) => {
    const { resources } = await conform(text.replace(field, fault));
    expect(resources).toMatchObject([{ status: 'statusInvalid' }]);
  });
});
