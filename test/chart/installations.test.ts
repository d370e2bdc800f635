/**
 * What an installation promises to others: customers are told MX targets that exist, JetStream has
 * limits that its volumes hold, tenants have roles, images come from one registry.
 */
import { describe, expect, test } from 'vitest';

import { VERSION } from '../../services/core/version.ts';
import { CHART } from '../support/charts.ts';
import { EXAMPLES, exampleArgs } from './examples.ts';
import { find, helm, type Manifest, podOf, PROFILES, rendered, sets, template } from './render.ts';

const { evaluation, production, everything } = PROFILES;

const settingOf = (made: readonly Manifest[], component: string, name: string) =>
  made
    .filter(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith(`-${component}`),
    )
    .flatMap((deployment) => podOf(deployment)?.containers ?? [])
    .flatMap(({ env }) => env?.find((one) => one.name === name)?.value ?? [])[0];

const natsConfig = (made: readonly Manifest[]) =>
  find(made, 'ConfigMap', 'inlet-nats').data?.['nats.conf'] ?? '';

/** The policies of the evaluation profile with more settings. */
const policies = async (...args: string[]) =>
  (await rendered(...evaluation, ...args)).filter(({ kind }) =>
    kind.startsWith('ValidatingAdmissionPolicy'),
  );

describe.skipIf(helm === undefined)('installations (skipped without helm)', () => {
  test.each(['api', 'operator'])(
    'in every profile, the MX target that the %s tells customers is the host of the gateways',
    async (component) => {
      for (const profile of [evaluation, production, everything]) {
        const made = await rendered(...profile);
        const domain = settingOf(made, component, 'INBOUND_DOMAIN');
        expect(domain).toBe('in.example.com');
        expect(settingOf(made, component, 'MX_HOSTS')).toBe(
          settingOf(made, 'gateway', 'SMTP_HOSTNAME'),
        );
      }
      const named = await rendered(...production, ...sets(`${component}.config.MX_HOSTS=a.test`));
      expect(settingOf(named, component, 'MX_HOSTS')).toBe('a.test');
    },
  );

  test('the notes name the host that needs an address, and what customers are told', async () => {
    expect(await notes(...production)).toContain('Give mx.in.example.com the address');
    expect(await notes(...production)).toContain('of in.example.com to mx.in.example.com');
    const unnamed = await notes(
      ...production,
      ...sets('gateway.hostname='),
      ...WITHOUT_CERTIFICATE,
    );
    expect(unnamed).toContain('Give in.example.com the address');
    expect(unnamed).toContain('gateway.hostname changes it');
  });

  test('JetStream takes 90 % of its volumes, and the account less than its nodes together', async () => {
    const gibibyte = 2 ** 30;
    const three = natsConfig(await rendered(...production));
    expect(three).toContain(`max_file_store: ${100 * gibibyte * 0.9}\n`);
    expect(three).toContain(`jetstream: {max_file: ${100 * gibibyte * 0.85 * 3}}`);
    const one = natsConfig(await rendered(...evaluation));
    expect(one).toContain(`max_file_store: ${5 * gibibyte * 0.9}\n`);
    expect(one).toContain(`jetstream: {max_file: ${5 * gibibyte * 0.85}}`);
    const unknown = sets('nats.persistence.size=1Ei');
    expect(natsConfig(await rendered(...evaluation, ...unknown))).toContain('jetstream: enabled');
  });

  test('webhooks trust the authorities of the values and of the trial certificate', async () => {
    const own = sets('webhooks.ca.existingSecret=mine,webhooks.ca.key=root.pem');
    const made = await rendered(...evaluation, ...own);
    expect(settingOf(made, 'dispatcher', 'WEBHOOK_CA_FILE')).toBe(
      '/etc/inlet/trial-ca/ca.crt,/etc/inlet/webhook-ca/ca.crt',
    );
    const volumes = podOf(find(made, 'Deployment', 'inlet-dispatcher'))?.volumes;
    expect(volumes).toMatchObject([
      { name: 'trial-ca', secret: { secretName: 'inlet-trial-tls', items: [{ key: 'ca.crt' }] } },
      { name: 'webhook-ca', secret: { secretName: 'mine', items: [{ key: 'root.pem' }] } },
    ]);
  });

  test('nats.config is added to nats.conf', async () => {
    const made = await rendered(...evaluation, ...sets('nats.config=max_connections: 99'));
    expect(natsConfig(made)).toMatch(/\nmax_connections: 99\n*$/);
  });

  test('everyone may see the resources with view, edit changes all but accounts', async () => {
    const made = await rendered(...production);
    const role = (name: string) => {
      const { metadata, rules } = find(made, 'ClusterRole', `mail-inlet-${name}`);
      expect(metadata.labels?.[`rbac.authorization.k8s.io/aggregate-to-${name}`]).toBe('true');
      return rules?.[0];
    };
    expect(role('view')?.verbs).toEqual(['get', 'list', 'watch']);
    expect(role('view')?.resources).toContain('accounts');
    expect(role('edit')?.resources).toEqual(
      role('view')?.resources.filter((resource) => resource !== 'accounts'),
    );
    expect(role('admin')?.resources).toEqual(['accounts']);
    const off = await rendered(...production, ...sets('operator.aggregateRoles=false'));
    expect(off.filter(({ kind }) => kind === 'ClusterRole')).toEqual([]);
  });

  test('a policy warns of resources in namespaces that no operator watches', async () => {
    expect(await policies()).toEqual([]);
    const watched = sets('operator.namespaces={a,b}');
    expect(await policies(...watched, ...sets('operator.aggregateRoles=false'))).toEqual([]);
    expect(await policies(...watched)).toMatchObject([
      {
        spec: {
          matchConstraints: {
            namespaceSelector: {
              matchExpressions: [{ key: 'inlet.email/watched', operator: 'DoesNotExist' }],
            },
          },
          validations: [{ expression: "request.namespace in ['a','b']" }],
        },
      },
      { spec: { validationActions: ['Warn'] } },
    ]);
  });

  test('global.imageRegistry is the registry of every image, and digests win over tags', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const made = await rendered(
      ...evaluation,
      ...sets('global.imageRegistry=mirror.test/hub', `nats.image.digest=${digest}`),
    );
    const images = made.flatMap((manifest) => {
      const pod = podOf(manifest);
      return [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])].map(({ image }) => image);
    });
    expect(new Set(images)).toEqual(
      new Set([
        `mirror.test/hub/inlet-email/inlet:${VERSION}`,
        `mirror.test/hub/library/nats@${digest}`,
        'mirror.test/hub/library/mongo:8.0',
      ]),
    );
  });

  test('a chart that has Inlet as a dependency may switch it with inlet.enabled', async () => {
    expect(await rendered(...evaluation, ...sets('enabled=true'))).toEqual(
      await rendered(...evaluation),
    );
  });

  test('commonAnnotations are on every object, with those of the object', async () => {
    const made = await rendered(...everything);
    const without = made.filter(
      ({ kind, metadata }) =>
        kind !== 'CustomResourceDefinition' && metadata.annotations?.owner !== 'mail',
    );
    expect(without.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'ConfigMap inlet-extra',
    ]); // an extra object
    const gateway = find(made, 'Deployment', 'inlet-mail-gateway');
    expect(gateway.metadata.annotations).toEqual({ owner: 'mail', reloader: 'true' });
  });

  test('podFields and deploymentFields are fields of the pod and of its Deployment', async () => {
    const gateway = find(await rendered(...everything), 'Deployment', 'inlet-mail-gateway');
    expect(gateway.spec).toMatchObject({
      minReadySeconds: 5,
      strategy: { rollingUpdate: { maxSurge: 1 } },
    });
    expect(podOf(gateway)).toMatchObject({
      dnsPolicy: 'None',
      runtimeClassName: 'gvisor',
      initContainers: [{ name: 'wait' }],
      containers: [{ name: 'gateway' }, { name: 'agent' }],
    });
    const recreate = { 'gateway.deploymentFields': { strategy: { type: 'Recreate' } } };
    const values = Object.entries(recreate).flatMap(([path, value]) => [
      '--set-json',
      `${path}=${JSON.stringify(value)}`,
    ]);
    expect(
      find(await rendered(...production, ...values), 'Deployment', 'inlet-gateway').spec.strategy,
    ).toEqual({ type: 'Recreate' });
  });

  test('labels, fields and variables that repeat ours replace them', async () => {
    const given = {
      'commonLabels.release': 'mail',
      'commonLabels.app\\.kubernetes\\.io/part-of': 'platform',
      'gateway.podLabels.release': 'smtp',
      'monitoring.labels.release': 'prometheus',
      'gateway.deploymentFields.revisionHistoryLimit': '9',
      'gateway.extraEnv[0].name': 'LOG_LEVEL',
      'gateway.extraEnv[0].value': 'debug',
      'mongodb.deploymentFields.persistentVolumeClaimRetentionPolicy.whenDeleted': 'Delete',
      'monitoring.kind': 'ServiceMonitor',
    };
    const made = await rendered(
      ...evaluation,
      ...Object.entries(given).flatMap(([path, value]) => sets(`${path}=${value}`)),
    );
    const { metadata, spec } = find(made, 'Deployment', 'inlet-gateway');
    const partOf = { 'app.kubernetes.io/part-of': 'platform' };
    expect(metadata.labels).toMatchObject({ release: 'mail', ...partOf });
    expect(spec).toMatchObject({
      revisionHistoryLimit: 9,
      template: { metadata: { labels: { release: 'smtp', ...partOf } } },
    });
    const [gateway] = spec.template?.spec.containers ?? [];
    expect(gateway?.env?.filter(({ name }) => name === 'LOG_LEVEL')).toEqual([
      { name: 'LOG_LEVEL', value: 'debug' },
    ]);
    expect(find(made, 'ServiceMonitor', 'inlet').metadata.labels?.release).toBe('prometheus');
    expect(find(made, 'StatefulSet', 'inlet-mongodb').spec).toMatchObject({
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
    });
  });

  test.each([
    ['nats', 'inlet-nats', []],
    ['mongodb', 'inlet-mongodb', ['keyfile']],
  ])('%s takes more containers and rules of its NetworkPolicy', async (component, name, ours) => {
    const values = {
      initContainers: [{ name: 'own' }],
      extraIngress: portRules(1),
      extraEgress: portRules(2),
    };
    const made = await rendered(
      ...evaluation,
      ...Object.entries(values).flatMap(([path, value]) => [
        '--set-json',
        `${component}.${path}=${JSON.stringify(value)}`,
      ]),
    );
    const pod = podOf(find(made, 'StatefulSet', name));
    expect(pod?.initContainers?.map((container) => container.name)).toEqual([...ours, 'own']);
    const { ingress, egress } = find(made, 'NetworkPolicy', name).spec;
    expect([ingress, egress]).toEqual([
      expect.arrayContaining(portRules(1)),
      expect.arrayContaining(portRules(2)),
    ]);
  });

  test.each([
    ['90d', [], 'nothing'],
    ['60d', [], 'RECORDS_RETENTION (60d) must be no shorter than EVENTS_RETENTION (90d)'],
    ['100d', ['config.FAILED_RETENTION=101d'], 'no shorter than FAILED_RETENTION (101d)'],
    ['100d', ['config.LINK_LIFETIME=2401h'], 'LINK_LIFETIME (2401h)'],
  ])('with records of %s and %s, the chart refuses %s', async (retention, values, fault) => {
    const settings = sets(`api.config.RECORDS_RETENTION=${retention}`, ...values);
    const made = template([...evaluation, ...settings]);
    const refused = await made.then(
      () => 'nothing',
      (error: unknown) => String(error),
    );
    expect(refused).toContain(fault);
  });

  test.each([
    ['config.NOPE=1', 'config.NOPE is not a setting of any service'],
    ['config.DNS_TIMEOUT=1s', 'config.DNS_TIMEOUT has a fixed value now. Unset it'],
    ['api.config.OIDC_SCOPES=openid', 'api.config.OIDC_SCOPES is part of the JSON in OIDC_RULES'],
    [
      'commonLabels.app\\.kubernetes\\.io/name=post',
      'commonLabels cannot have app.kubernetes.io/name',
    ],
    ['api.deploymentFields.replicas=3', 'api.deploymentFields cannot have replicas'],
    [
      'api.terminationGracePeriodSeconds=20',
      'api.terminationGracePeriodSeconds must exceed api.preStopSeconds by more than 10',
    ],
    ['api.config.SMTP_PORT=25', 'api.config.SMTP_PORT is not a setting of this service'],
    [
      'dispatcher.config.FAILED_RETENTION=90d',
      'FAILED_RETENTION must be the same for gateway, dispatcher: set config.FAILED_RETENTION',
    ],
    [
      'gateway.config.REGION=north',
      'REGION must be the same for gateway, dispatcher, api, operator',
    ],
    ['inboundDomain=not a domain', 'inboundDomain'],
    ['gateway.hostname=-mx.test', 'hostname'],
    ['networkPolicy.nats.to={999.1.1.1/8}', 'nats'],
    ['operator.namespaces={A_b}', 'namespaces'],
  ])('%s is refused', async (value, message) => {
    await expect(template([...production, ...sets(value)])).rejects.toThrow(message);
  });

  test.each(EXAMPLES)(
    'customers of the example %s are told a host that it names',
    async (example) => {
      await using args = await exampleArgs(example);
      const made = await rendered(...args.values);
      const hostname = settingOf(made, 'gateway', 'SMTP_HOSTNAME');
      expect(hostname).toMatch(/^mx(-north)?\.in\.example\.com$/);
      expect(String(settingOf(made, 'api', 'MX_HOSTS')).split(',')).toContain(hostname);
    },
  );
});

const WITHOUT_CERTIFICATE = sets('gateway.tls.certManager.enabled=false');

const notes = async (...values: string[]) =>
  (await helm?.('install', 'inlet', CHART, '--dry-run=client', ...values))?.split('NOTES:')[1];

/** Of a NetworkPolicy. */
const portRules = (port: number) => [{ ports: [{ port }] }];
