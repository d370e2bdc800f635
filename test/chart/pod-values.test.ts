/**
 * Values of pods with the names and meanings of other charts: of the services, NATS, MongoDB, the
 * Jobs and `helm test`.
 */
import { describe, expect, test } from 'vitest';

import { find, helm, podOf, PROFILES, rendered, sets, template } from './render.ts';

const SERVICES = ['gateway', 'dispatcher', 'api', 'operator'];
const { evaluation, everything } = PROFILES;

/** Values of every pod. The first two are metadata. */
const OF_PODS = {
  podLabels: { team: 'mail' },
  podAnnotations: { note: 'a' },
  podSecurityContext: { fsGroup: 70_000 },
  securityContext: { runAsUser: 4711 },
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'mail', operator: 'Exists' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }],
      },
    },
  },
  priorityClassName: 'high',
};

/** Values of every pod but those of Jobs and `helm test`. */
const OF_COMPONENTS = {
  topologySpreadConstraints: [
    { topologyKey: 'rack', maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' },
  ],
  startupProbe: { periodSeconds: 31 },
  readinessProbe: { periodSeconds: 32 },
  livenessProbe: { periodSeconds: 33 },
  terminationGracePeriodSeconds: 77,
};

/** Sets the values of a group such as `gateway`. Maps are merged with the chart's defaults. */
const given = (group: string, values: object): string[] =>
  Object.entries(values).flatMap(([name, value]) => [
    '--set-json',
    `${group}.${name}=${JSON.stringify(value)}`,
  ]);

const WITH_VALUES_OF_PODS = {
  metadata: { labels: OF_PODS.podLabels, annotations: OF_PODS.podAnnotations },
  spec: {
    securityContext: { ...OF_PODS.podSecurityContext, runAsNonRoot: true },
    nodeSelector: OF_PODS.nodeSelector,
    tolerations: OF_PODS.tolerations,
    affinity: OF_PODS.affinity,
    priorityClassName: OF_PODS.priorityClassName,
    containers: [{ securityContext: { ...OF_PODS.securityContext, readOnlyRootFilesystem: true } }],
  },
};

describe.skipIf(helm === undefined)('values of pods (skipped without helm)', () => {
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

  test('the Jobs and `helm test` accept the values that pods have in common', async () => {
    const made = await rendered(...evaluation, ...given('jobs', OF_PODS));
    const pods = made.filter(({ kind }) => kind === 'Job' || kind === 'Pod');
    expect(pods.map(({ kind }) => kind).toSorted()).toEqual(['Job', 'Job', 'Pod']);
    for (const pod of pods)
      expect(pod.kind === 'Pod' ? pod : pod.spec.template).toMatchObject(WITH_VALUES_OF_PODS);
    const { labels, annotations } = find(made, 'Pod', 'inlet-test').metadata;
    expect(labels?.['app.kubernetes.io/instance']).toBe('inlet');
    expect(annotations?.['helm.sh/hook']).toBe('test');
  });

  test('a component replaces values of `pods`, also by nothing, and its maps are merged with theirs', async () => {
    const made = await rendered(
      ...evaluation,
      ...given('pods', {
        tolerations: [{ key: 'a' }],
        priorityClassName: 'high',
        nodeSelector: { disk: 'fast' },
        extraEgress: [{ ports: [{ port: 9 }] }],
      }),
      ...given('gateway', {
        tolerations: [],
        priorityClassName: '',
        nodeSelector: { zone: 'a' },
        replicaCount: 2,
        pdb: { enabled: false },
        serviceAccount: { create: false },
      }),
      ...given('jobs', { nodeSelector: { disk: 'slow' } }),
    );
    const gateway = podOf(find(made, 'Deployment', 'inlet-gateway'));
    expect(gateway).toMatchObject({
      nodeSelector: { disk: 'fast', zone: 'a' },
      serviceAccountName: 'default',
    });
    expect(gateway).not.toHaveProperty('tolerations');
    expect(gateway).not.toHaveProperty('priorityClassName');
    expect(made.filter(({ kind }) => kind === 'PodDisruptionBudget')).toEqual([]);
    expect(podOf(find(made, 'Deployment', 'inlet-api'))).toMatchObject({
      tolerations: [{ key: 'a' }],
      nodeSelector: { disk: 'fast' },
    });
    for (const [kind, name] of [
      ['Job', 'inlet-secrets'],
      ['Pod', 'inlet-test'],
    ] as const)
      expect(podOf(find(made, kind, name))).toMatchObject({
        nodeSelector: { disk: 'slow' },
        tolerations: [{ key: 'a' }],
      });
    for (const name of ['gateway', 'nats', 'mongodb', 'test'])
      expect(find(made, 'NetworkPolicy', `inlet-${name}`).spec.egress).toContainEqual({
        ports: [{ port: 9 }],
      });
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

  test.each(
    [...SERVICES, 'nats', 'mongodb'].flatMap((one) => [
      [one, one] as const,
      [one, 'pods'] as const,
    ]),
  )('%s accepts the values that pods have in common from %s', async (component, group) => {
    const isService = SERVICES.includes(component);
    const { topologySpreadConstraints, terminationGracePeriodSeconds, ...probes } = OF_COMPONENTS;
    const made = await rendered(
      ...evaluation,
      ...given(group, { ...OF_PODS, topologySpreadConstraints }),
      ...given(isService ? group : component, probes),
      ...given(component, {
        terminationGracePeriodSeconds,
        serviceAccount: { name: 'own', annotations: { role: 'mail' } },
      }),
    );
    const kind = isService ? 'Deployment' : 'StatefulSet';
    const { template: pod } = find(made, kind, `inlet-${component}`).spec;
    expect(pod).toMatchObject(WITH_VALUES_OF_PODS);
    const matchLabels = { 'app.kubernetes.io/component': component };
    expect(pod?.spec).toMatchObject({
      serviceAccountName: 'own',
      terminationGracePeriodSeconds,
      topologySpreadConstraints: topologySpreadConstraints.map((one) => ({
        ...one,
        labelSelector: { matchLabels },
      })),
      containers: [probes],
    });
    expect(find(made, 'ServiceAccount', 'own').metadata.annotations).toEqual({ role: 'mail' });
  });
});
