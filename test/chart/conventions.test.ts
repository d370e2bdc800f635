/**
 * The chart's values follow the conventions of other charts: names, Ingress, persistence,
 * monitoring, and a schema of all. pod-values.test.ts is about those of pods.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { KIND_NAMES } from '../../services/core/kube/custom-resource.ts';
import { CHART, CRD_CHART } from '../support/charts.ts';
import {
  find,
  helm,
  type Manifest,
  manifestsIn,
  podOf,
  PROFILES,
  rendered,
  sets,
  template,
} from './render.ts';

const SERVICES = ['gateway', 'dispatcher', 'api', 'operator'];
const { evaluation, production, everything } = PROFILES;

/** The rules about Secrets of each role of the operator. */
const secretRules = (made: Manifest[]) =>
  made
    .filter(({ kind, rules }) => kind.endsWith('Role') && rules !== undefined)
    .filter(({ metadata }) => metadata.name.endsWith('-operator'))
    .map(({ rules }) => (rules ?? []).filter(({ resources }) => resources.includes('secrets')));

const routeRoles = (made: Manifest[]) =>
  made.filter(({ metadata }) => metadata.name.endsWith('-operator-mta-sts'));

/** The addresses that each service listens on, where the chart names them. */
const listeners = async (...values: string[]) => {
  const made = await rendered(...evaluation, ...sets(...values));
  return SERVICES.map((service) =>
    (podOf(find(made, 'Deployment', `inlet-${service}`))?.containers[0]?.env ?? [])
      .filter(({ name }) => name.endsWith('_HOST'))
      .map(({ name, value }) => `${name}=${value}`)
      .toSorted(),
  );
};

describe.skipIf(helm === undefined)('conventions of charts (skipped without helm)', () => {
  test('ipFamilyPolicy is that of every Service, unless the gateway has its own', async () => {
    const own = 'gateway.service.ipFamilyPolicy=SingleStack';
    const made = await rendered(...evaluation, ...sets('ipFamilyPolicy=PreferDualStack', own));
    const policies = made
      .filter(({ kind }) => kind === 'Service')
      .map(({ metadata, spec }) => [metadata.name, spec?.ipFamilyPolicy] as const);
    expect(new Set(policies.map(([, policy]) => policy))).toEqual(
      new Set(['PreferDualStack', 'SingleStack']),
    );
    expect(policies.filter(([, policy]) => policy === 'SingleStack')).toEqual([
      ['inlet-gateway', 'SingleStack'],
    ]);
    const [mongodb] = podOf(find(made, 'StatefulSet', 'inlet-mongodb'))?.containers ?? [];
    expect(mongodb?.command).toContain('--ipv6');
  });

  test('RequireDualStack makes every process listen on both families; other policies change none', async () => {
    const both = ['API_HOST=::', 'METRICS_HOST=::'];
    expect(await listeners('ipFamilyPolicy=RequireDualStack')).toEqual([
      ['METRICS_HOST=::', 'SMTP_HOST=::'],
      ['METRICS_HOST=::'],
      both,
      ['METRICS_HOST=::'],
    ]);
    expect(await listeners('gateway.service.ipFamilyPolicy=RequireDualStack')).toEqual([
      ['SMTP_HOST=::'],
      [],
      [],
      [],
    ]);
    expect(await listeners('ipFamilyPolicy=PreferDualStack')).toEqual([[], [], [], []]);
    const own = await listeners(
      'ipFamilyPolicy=RequireDualStack',
      'gateway.config.SMTP_HOST=0.0.0.0',
    );
    expect(own[0]).toEqual(['METRICS_HOST=::', 'SMTP_HOST=0.0.0.0']);
  });

  test('nameOverride and fullnameOverride change names and labels', async () => {
    const made = await rendered(...everything);
    const gateway = find(made, 'Deployment', 'inlet-mail-gateway');
    expect(gateway.metadata.labels?.['app.kubernetes.io/name']).toBe('mail');
    expect(find(made, 'NetworkPolicy', 'inlet-mail-default-deny').spec.podSelector).toEqual({
      matchLabels: {
        'app.kubernetes.io/name': 'mail',
        'app.kubernetes.io/instance': 'inlet',
      },
    });
    const full = await rendered(...evaluation, ...sets('fullnameOverride=post'));
    expect(find(full, 'Deployment', 'post-gateway')).toBeDefined();
  });

  test.each(['nats', 'mongodb'])('persistence: size and storage class of %s', async (component) => {
    const claim = async (...values: string[]) => {
      const made = await rendered(...evaluation, ...values);
      const { spec } = find(made, 'StatefulSet', `inlet-${component}`);
      return (spec.volumeClaimTemplates as { spec: object }[])[0]?.spec;
    };
    const persistence = `${component}.persistence`;
    expect(await claim()).toEqual({
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '5Gi' } },
    });
    expect(
      await claim(...sets(`${persistence}.size=7Gi`, `${persistence}.storageClass=fast`)),
    ).toEqual({
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'fast',
      resources: { requests: { storage: '7Gi' } },
    });
  });

  test('a ServiceMonitor reads the metrics of every service through Services of their own', async () => {
    const made = await rendered(...everything);
    const { spec } = find(made, 'ServiceMonitor', 'inlet-mail');
    const { matchLabels } = spec.selector as { matchLabels: Record<string, string> };
    const selected = made.filter(
      ({ kind, metadata }) =>
        kind === 'Service' &&
        Object.entries(matchLabels).every(([name, value]) => metadata.labels?.[name] === value),
    );
    expect(selected.map(({ metadata }) => metadata.name)).toEqual(
      SERVICES.map((component) => `inlet-mail-${component}-metrics`),
    );
    expect(spec.endpoints).toEqual([
      {
        port: 'metrics',
        interval: '30s',
        scrapeTimeout: '10s',
        metricRelabelings: [{ action: 'labeldrop', regex: 'node' }],
      },
    ]);
  });

  test.each([
    ['1Gi', '966367641'],
    ['1.5Gi', '1449551462'],
    ['512Mi', '483183820'],
    ['2G', '1800000000'],
    ['1073741824', '966367641'],
    ['null', undefined],
  ])('with a memory limit of %s, GOMEMLIMIT of NATS is 90 %% of it', async (limit, bytes) => {
    const made = await rendered(...evaluation, ...sets(`nats.resources.limits.memory=${limit}`));
    const nats = podOf(find(made, 'StatefulSet', 'inlet-nats'))?.containers[0];
    expect(nats?.env?.find(({ name }) => name === 'GOMEMLIMIT')?.value).toBe(bytes);
  });

  test('with operator.secretNames, the operator may do nothing but create other Secrets', async () => {
    const verbs = ['get', 'list', 'watch', 'create', 'update'];
    expect(secretRules(await rendered(...evaluation))).toEqual([
      [{ apiGroups: [''], resources: ['secrets'], verbs }],
    ]);
    const narrowed = [
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      {
        apiGroups: [''],
        resources: ['secrets'],
        verbs: ['get', 'list', 'watch', 'update'],
        resourceNames: ['orders-webhook'],
      },
    ];
    expect(secretRules(await rendered(...everything))).toEqual([narrowed, narrowed]);
  });

  test('K.5: the operator may make routes only with mtaSts.route, only there, and of no other kind', async () => {
    expect(routeRoles(await rendered(...evaluation))).toEqual([]);
    const made = routeRoles(await rendered(...evaluation, ...sets('mtaSts.route=ingress')));
    expect(made.map(({ kind }) => kind)).toEqual(['Role', 'RoleBinding']);
    expect(made[0]?.rules?.flatMap(({ resources }) => resources)).toEqual([
      'certificates',
      'ingresses',
    ]);
  });

  test('the schema knows every value, and no value lacks a default in values.yaml', async () => {
    const schema = JSON.parse(await readFile(join(CHART, 'values.schema.json'), 'utf8')) as Schema;
    const values = parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as object;
    expect(unlisted(schema, schema, values, '')).toEqual([
      '.enabled has no default', // for charts that contain this one
      '.global.imageRegistry has no default',
      '.gateway.tls.certManager.issuerRef.group has no default',
    ]);
  });

  test('values of earlier versions fail in one message, which names what replaces each', async () => {
    const renamed = parse(
      await readFile(join(CHART, 'files', 'renamed-values.yaml'), 'utf8'),
    ) as Record<string, string>;
    const values = Object.keys(renamed).map((former) =>
      former.endsWith('storage') ? `${former}.size=1Gi` : `${former}=1`,
    );
    const fault = await template([...production, ...sets(...values)]).catch(String);
    for (const [former, current] of Object.entries(renamed))
      expect(fault).toContain(`\n${former} is now ${current}\n`);
  });

  test('inlet-crds installs the same definitions that the chart installs itself', async () => {
    const definitions = (await rendered(...evaluation)).filter(
      ({ kind }) => kind === 'CustomResourceDefinition',
    );
    const separate = manifestsIn((await helm?.('template', 'inlet-crds', CRD_CHART)) ?? '');
    expect(separate).toEqual(definitions);
    expect(
      manifestsIn((await helm?.('template', 'a', CRD_CHART, ...sets('keep=false'))) ?? '').map(
        ({ metadata }) => metadata.annotations,
      ),
    ).toEqual(Array.from(KIND_NAMES, () => undefined));
    expect(await helm?.('lint', '--strict', CRD_CHART)).toContain('0 chart(s) failed');
  });
});

type Schema = {
  $ref?: string;
  properties?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
};

/** Paths that are in only one of schema and values. Former names, and what `pods` has, are in the schema only. */
function unlisted(root: Schema, schema: Schema, value: unknown, path: string): string[] {
  const resolved = resolve(root, schema);
  if (resolved.properties === undefined || typeof value !== 'object' || value === null) return [];
  const isPartial = schema.$ref !== undefined; // such as the times of a probe
  const isComponent = /^\.\w+$/.test(path) && path !== '.pods';
  const missing = Object.entries(resolved.properties)
    .filter(([, property]) => property.$ref !== '#/definitions/former')
    .filter(([name]) => !(isComponent && name in (root.properties?.pods?.properties ?? {})))
    .filter(([name]) => !isPartial && !(name in value));
  return [
    ...missing.map(([name]) => `${path}.${name} has no default`),
    ...Object.entries(value).flatMap(([name, inner]) => {
      const inSchema = resolved.properties?.[name];
      return inSchema === undefined
        ? [`${path}.${name} is not in the schema`]
        : unlisted(root, inSchema, inner, `${path}.${name}`);
    }),
  ];
}

const resolve = (root: Schema, schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : (root.definitions?.[schema.$ref.replace('#/definitions/', '')] ?? {});
