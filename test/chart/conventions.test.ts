/** The chart's values follow the conventions of other charts. The fixture sets each of them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { CHART, CRD_CHART } from '../support/helm.ts';
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
const COMPONENTS = [...SERVICES, 'nats', 'mongodb'];
const { evaluation, production, everything } = PROFILES;

/** The rules about Secrets of each role of the operator. */
const secretRules = (made: Manifest[]) =>
  made
    .filter(({ kind, rules }) => kind.endsWith('Role') && rules !== undefined)
    .filter(({ metadata }) => metadata.name.endsWith('-operator'))
    .map(({ rules }) => (rules ?? []).filter(({ resources }) => resources.includes('secrets')));

describe.skipIf(helm === undefined)('conventions of charts (skipped without helm)', () => {
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

  test('serviceAccount: named, annotated, or not created', async () => {
    const made = await rendered(...everything);
    const account = (component: string) =>
      podOf(find(made, 'Deployment', `inlet-mail-${component}`))?.serviceAccountName;
    expect(SERVICES.map(account)).toEqual([
      'own-gateway',
      'default',
      'inlet-mail-api',
      'own-operator',
    ]);
    const created = made
      .filter(({ kind }) => kind === 'ServiceAccount')
      .map(({ metadata }) => [metadata.name, metadata.annotations]);
    expect(created).toEqual([
      ['own-gateway', { role: 'mail' }],
      ['inlet-mail-api', undefined],
      ['own-operator', undefined],
    ]);
    for (const { subjects } of made.filter(({ kind }) => kind === 'RoleBinding'))
      expect(subjects?.map(({ name }) => name)).toEqual(['own-operator']);
  });

  test('podSecurityContext and securityContext add to the restricted standard and replace fields', async () => {
    const made = await rendered(...everything);
    const pod = podOf(find(made, 'Deployment', 'inlet-mail-gateway'));
    expect(pod?.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 65_532,
      runAsGroup: 65_532,
      fsGroup: 70_000,
      supplementalGroups: [70_001],
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod?.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'Localhost', localhostProfile: 'inlet.json' },
    });
  });

  test('probe times are values, and merge with the defaults', async () => {
    const [gateway] =
      podOf(find(await rendered(...everything), 'Deployment', 'inlet-mail-gateway'))?.containers ??
      [];
    expect(gateway?.readinessProbe).toEqual({
      httpGet: { path: '/readyz', port: 'metrics' },
      initialDelaySeconds: 1,
      periodSeconds: 3,
      timeoutSeconds: 2,
      failureThreshold: 5,
    });
    expect(gateway?.livenessProbe).toEqual({
      httpGet: { path: '/healthz', port: 'metrics' },
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 6,
    });
  });

  test('topologySpreadConstraints replace the default ones and select the component', async () => {
    const made = await rendered(...everything);
    expect(
      podOf(find(made, 'Deployment', 'inlet-mail-gateway'))?.topologySpreadConstraints,
    ).toEqual([
      {
        topologyKey: 'rack',
        maxSkew: 1,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: {
          matchLabels: {
            'app.kubernetes.io/name': 'mail',
            'app.kubernetes.io/instance': 'inlet',
            'app.kubernetes.io/component': 'gateway',
          },
        },
      },
    ]);
    expect(
      podOf(find(made, 'Deployment', 'inlet-mail-api'))?.topologySpreadConstraints,
    ).toHaveLength(2);
  });

  test('imagePullSecrets reach every pod', async () => {
    const made = await rendered(...evaluation, ...sets('imagePullSecrets[0].name=registry'));
    const pods = made.flatMap((manifest) => podOf(manifest) ?? []);
    expect(pods.length).toBeGreaterThan(7);
    for (const { imagePullSecrets } of pods)
      expect(imagePullSecrets).toEqual([{ name: 'registry' }]);
  });

  test('terminationGracePeriodSeconds is that of the pod, and the gateway drains within it', async () => {
    const pod = podOf(find(await rendered(...everything), 'Deployment', 'inlet-mail-gateway'));
    expect(pod?.terminationGracePeriodSeconds).toBe(600);
    expect(pod?.containers[0]?.env).toContainEqual({ name: 'SMTP_STOP_GRACE', value: '575s' });
    await expect(
      template([...evaluation, ...sets('gateway.terminationGracePeriodSeconds=25')]),
    ).rejects.toThrow(/must exceed gateway.preStopSeconds by more than 15/);
  });

  test('ingress.hosts and ingress.tls: several hosts, each with its paths', async () => {
    const { spec } = find(await rendered(...everything), 'Ingress', 'inlet-mail-api');
    const backend = { service: { name: 'inlet-mail-api', port: { name: 'http' } } };
    expect(spec).toEqual({
      ingressClassName: 'nginx',
      tls: [{ secretName: 'inlet-api-tls', hosts: ['inlet.example.com', 'mail.example.com'] }],
      rules: [
        {
          host: 'inlet.example.com',
          http: { paths: [{ path: '/', pathType: 'Prefix', backend }] },
        },
        {
          host: 'mail.example.com',
          http: {
            paths: [
              { path: '/v1', pathType: 'Prefix', backend },
              { path: '/dashboard/', pathType: 'Exact', backend },
            ],
          },
        },
      ],
    });
  });

  test('persistence: size and storage class of both StatefulSets', async () => {
    const made = await rendered(
      ...evaluation,
      ...sets('nats.persistence.storageClass=fast', 'mongodb.persistence.size=7Gi'),
    );
    const claim = (name: string) =>
      (find(made, 'StatefulSet', name).spec.volumeClaimTemplates as { spec: object }[])[0]?.spec;
    expect(claim('inlet-nats')).toMatchObject({
      storageClassName: 'fast',
      resources: { requests: { storage: '5Gi' } },
    });
    expect(claim('inlet-mongodb')).toEqual({
      accessModes: ['ReadWriteOnce'],
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
    await expect(
      template([...everything, ...sets('monitoring.podMonitor.enabled=true')]),
    ).rejects.toThrow(/exclude each other/);
  });

  test('the Jobs and `helm test` have a placement, and labels and annotations of their own', async () => {
    const made = await rendered(
      ...evaluation,
      ...sets(
        'jobs.nodeSelector.disk=fast',
        'jobs.podLabels.team=mail',
        'jobs.podAnnotations.note=job',
      ),
    );
    const pods = made.filter(({ kind }) => kind === 'Job' || kind === 'Pod');
    expect(pods.map(({ kind }) => kind).toSorted()).toEqual(['Job', 'Job', 'Pod']);
    for (const pod of pods) {
      expect(podOf(pod)?.nodeSelector).toEqual({ disk: 'fast' });
      expect(pod.kind === 'Pod' ? pod : pod.spec.template).toMatchObject({
        metadata: {
          labels: { team: 'mail', 'app.kubernetes.io/instance': 'inlet' },
          annotations: { note: 'job' },
        },
      });
    }
    expect(find(made, 'Pod', 'inlet-test').metadata.annotations?.['helm.sh/hook']).toBe('test');
  });

  test.each([
    ['created for each hook', [], 'inlet-secrets', 'inlet-test'],
    ['named', ['jobs.serviceAccount.name=own'], 'own', 'own'],
    ['not created', ['jobs.serviceAccount.create=false'], 'default', 'default'],
    [
      'an existing one',
      ['jobs.serviceAccount.create=false', 'jobs.serviceAccount.name=own'],
      'own',
      'own',
    ],
  ])('jobs.serviceAccount: %s', async (_, values, ofSecrets, ofTest) => {
    const made = await rendered(
      ...evaluation,
      ...sets('jobs.serviceAccount.annotations.role=job', ...values),
    );
    expect(podOf(find(made, 'Job', 'inlet-secrets'))?.serviceAccountName).toBe(ofSecrets);
    expect(find(made, 'RoleBinding', 'inlet-secrets').subjects).toMatchObject([
      { name: ofSecrets },
    ]);
    expect(podOf(find(made, 'Pod', 'inlet-test'))).toMatchObject({
      serviceAccountName: ofTest,
      automountServiceAccountToken: false,
    });
    const created = made.filter(
      ({ kind, metadata }) => kind === 'ServiceAccount' && metadata.annotations !== undefined,
    );
    const deleted = 'before-hook-creation,hook-succeeded';
    const hook = (event: string, weight: string) => ({
      role: 'job',
      'helm.sh/hook': event,
      'helm.sh/hook-weight': weight,
      'helm.sh/hook-delete-policy': deleted,
    });
    expect(created.map(({ metadata }) => [metadata.name, metadata.annotations])).toEqual(
      values.includes('jobs.serviceAccount.create=false')
        ? []
        : [
            [ofSecrets, hook('pre-install,pre-upgrade', '-10')],
            [ofTest, hook('test', '-1')],
          ],
    );
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

  test('the schema knows every value, and no value lacks a default in values.yaml', async () => {
    const schema = JSON.parse(await readFile(join(CHART, 'values.schema.json'), 'utf8')) as Schema;
    const values = parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as object;
    expect(unlisted(schema, schema, values, '')).toEqual([
      '.global has no default', // for charts that contain this one
      '.gateway.tls.certManager.issuerRef.group has no default',
    ]);
  });

  describe('values of earlier versions', async () => {
    const renamed = parse(
      await readFile(join(CHART, 'files', 'renamed-values.yaml'), 'utf8'),
    ) as Record<string, string>;

    test.each(Object.entries(renamed))('%s fails and names %s', async (former, current) => {
      const value = former.endsWith('storage') ? `${former}.size=1Gi` : `${former}=1`;
      await expect(template([...production, ...sets(value)])).rejects.toThrow(
        `${former} is now ${current}`,
      );
    });

    test('several are reported together', async () => {
      await expect(
        template([...production, ...sets('gateway.replicas=2', 'nats.replicas=3')]),
      ).rejects.toThrow(/gateway.replicas is now .*\n.*nats.replicas is now /);
    });
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
    ).toEqual(Array.from({ length: 5 }, () => undefined));
    expect(await helm?.('lint', '--strict', CRD_CHART)).toContain('0 chart(s) failed');
  });

  test('every component accepts the values that pods have in common', async () => {
    const values = COMPONENTS.flatMap((component) => [
      `${component}.podLabels.team=mail`,
      `${component}.podAnnotations.note=a`,
      `${component}.nodeSelector.disk=fast`,
      `${component}.priorityClassName=high`,
      `${component}.livenessProbe.periodSeconds=33`,
      `${component}.terminationGracePeriodSeconds=77`,
      `${component}.securityContext.runAsUser=4711`,
    ]);
    const made = await rendered(...evaluation, ...sets(...values));
    for (const component of COMPONENTS) {
      const kind = SERVICES.includes(component) ? 'Deployment' : 'StatefulSet';
      const { template: pod } = find(made, kind, `inlet-${component}`).spec;
      expect(pod).toMatchObject({
        metadata: { labels: { team: 'mail' }, annotations: { note: 'a' } },
        spec: {
          nodeSelector: { disk: 'fast' },
          priorityClassName: 'high',
          terminationGracePeriodSeconds: 77,
          containers: [
            { livenessProbe: { periodSeconds: 33 }, securityContext: { runAsUser: 4711 } },
          ],
        },
      });
    }
  });
});

type Schema = {
  $ref?: string;
  properties?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
  deprecated?: boolean;
};

/** Paths that are in only one of schema and values. A renamed value is in the schema only. */
function unlisted(root: Schema, schema: Schema, value: unknown, path: string): string[] {
  const resolved =
    schema.$ref === undefined
      ? schema
      : (root.definitions?.[schema.$ref.replace('#/definitions/', '')] ?? {});
  if (resolved.properties === undefined || typeof value !== 'object' || value === null) return [];
  const isPartial = schema.$ref !== undefined; // such as the times of a probe
  const known = Object.entries(resolved.properties).filter(([, { deprecated }]) => !deprecated);
  const missing = known.filter(([name]) => !isPartial && !(name in value));
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
