/**
 * The rendered Helm chart: golden files of both profiles and of every option, and rules that hold
 * for every pod.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { ApiConfig } from '../../services/api/process/config.ts';
import { KIND_NAMES } from '../../services/core/kube/custom-resource.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { GatewayConfig } from '../../services/gateway/process/config.ts';
import { OperatorConfig } from '../../services/operator/process/config.ts';
import { CHART } from '../support/charts.ts';
import {
  find,
  FIXTURES,
  helm,
  manifestsIn,
  podOf,
  PROFILES,
  rendered,
  sets,
  template,
} from './render.ts';

const { evaluation, production } = PROFILES;
const isHelm3 = (await helm?.('version', '--short'))?.startsWith('v3') ?? false;

describe.skipIf(helm === undefined)('helm (skipped without helm and Go)', () => {
  describe.each(Object.entries(PROFILES))('%s', (name, args) => {
    test('lint finds nothing', async () => {
      expect(await helm?.('lint', '--strict', CHART, ...args)).toContain('0 chart(s) failed');
    });

    test('renders the golden file, and the same text twice (GitOps)', async () => {
      expect(await template(args)).toBe(await template(args));
      const lines = (await template([...args, '--set', 'crds.install=false'])).replaceAll(
        /^ *\n/gm,
        '',
      ); // Helm 3 leaves more blank ones than Helm 4
      await expect(lines).toMatchFileSnapshot(join(FIXTURES, `${name}.golden.yaml`));
    });

    test('every pod is restricted: non-root, read-only, no privileges, limits, no unneeded token', async () => {
      for (const manifest of await rendered(...args)) {
        const pod = podOf(manifest);
        if (pod === undefined) continue;
        expect(pod.securityContext).toMatchObject({
          runAsNonRoot: true,
          runAsUser: expect.any(Number),
          seccompProfile: { type: 'RuntimeDefault' },
        });
        const needsToken = /-(operator|secrets)$/.test(manifest.metadata.name);
        expect([manifest.metadata.name, pod.automountServiceAccountToken ?? true]).toEqual([
          manifest.metadata.name,
          needsToken,
        ]);
        for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
          expect(container.securityContext).toMatchObject({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          expect(container.resources).toMatchObject({
            requests: { cpu: expect.anything(), memory: expect.anything() },
            limits: { memory: expect.anything() },
          });
          expect(container.image).toMatch(/^[a-z0-9./-]+(:(?!latest)|@sha256:)/);
        }
      }
    });

    test('no Secret is part of the release, because it would differ in every rendering', async () => {
      expect((await rendered(...args)).filter(({ kind }) => kind === 'Secret')).toEqual([]);
    });

    test('every setting that the chart sets is one that the service reads', async () => {
      const known = new Set(
        [GatewayConfig, DispatcherConfig, ApiConfig, OperatorConfig]
          .flatMap(({ shape }) => Object.keys(shape))
          .concat('MONGODB_PASSWORD', 'OTEL_RESOURCE_ATTRIBUTES', 'ANYTHING_ELSE'),
      );
      for (const { kind, metadata, spec } of await rendered(...args)) {
        const [container] = kind === 'Deployment' ? (spec.template?.spec.containers ?? []) : [];
        expect([
          metadata.name,
          container?.env?.map((one) => one.name).filter((setting) => !known.has(setting)) ?? [],
        ]).toEqual([metadata.name, []]);
      }
    });

    test('a gateway can finish its longest email after its endpoint is removed', async () => {
      const gateway = (await rendered(...args)).find(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-gateway'),
      );
      const pod = gateway && podOf(gateway);
      const [container] = pod?.containers ?? [];
      const setting = container?.env?.find((one) => one.name === 'SMTP_STOP_GRACE');
      const grace = Number(setting?.value?.replace('s', ''));
      expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(
        grace + (container?.lifecycle?.preStop.sleep.seconds ?? 0),
      );
    });
  });

  test.each([
    ['with a dot', 'my.release'],
    ['of 53 characters', 'a-long-name-for-a-release-whose-end-nobody-reads-soon'],
  ])('a release with a name %s creates valid object names', async (_, release) => {
    for (const { kind, metadata } of manifestsIn(
      await template([...evaluation, '--set', 'crds.install=false'], release),
    )) {
      expect([kind, metadata.name]).toEqual([
        kind,
        expect.stringMatching(/^[a-z][-a-z0-9]{0,61}[a-z0-9]$/),
      ]);
    }
  });

  test('a release name that is not a valid Service name gives an error with the remedy', async () => {
    await expect(template(evaluation, '1mail')).rejects.toThrow(
      /1mail-inlet is not a valid name of a Service: set fullnameOverride/,
    );
    expect(await template([...evaluation, '--set', 'fullnameOverride=mail'], '1mail')).toContain(
      'name: mail-gateway',
    );
  });

  test('two releases in one namespace share no object', async () => {
    const [first, second] = await Promise.all(
      ['one', 'two'].map(
        async (release) =>
          new Set(
            manifestsIn(
              await template([...production, '--set', 'crds.install=false'], release),
            ).map(({ kind, metadata }) => `${kind} ${metadata.name}`),
          ),
      ),
    );
    expect([...(first ?? [])].filter((object) => second?.has(object))).toEqual([]);
  });

  test('a setting of one service takes precedence, also when it is false, 0 or empty', async () => {
    const values = {
      DNSBL_ZONES: ['a', ''],
      MAIL_AUTH: ['true', 'false'],
      MAX_CONNECTIONS: ['3', '0'],
    };
    const made = await rendered(
      ...evaluation,
      ...Object.entries(values).flatMap(([name, [all, ofGateway]]) =>
        sets(`config.${name}=${all}`, `gateway.config.${name}=${ofGateway}`),
      ),
    );
    const settingsOf = (component: string) => {
      const { spec } = find(made, 'Deployment', `inlet-${component}`);
      const env = spec.template?.spec.containers[0]?.env ?? [];
      return Object.keys(values).map((setting) => env.find(({ name }) => name === setting)?.value);
    };
    expect({ gateway: settingsOf('gateway'), api: settingsOf('api') }).toEqual({
      gateway: ['', 'false', '0'],
      api: ['a', 'true', '3'],
    });
  });

  test('the API refuses requests without TLS, except in the evaluation profile (D26)', async () => {
    const required = await Promise.all(
      [production, evaluation].map(
        async (profile) => /REQUIRE_HTTPS\n *value: "(\w+)"/.exec(await template(profile))?.[1],
      ),
    );
    expect(required).toEqual(['true', 'false']);
  });

  test('the MongoDB setup Job gets a new name for every different pod, because a Job cannot be changed', async () => {
    const names = new Set<string | undefined>();
    for (const value of [
      'image.tag=one',
      'image.tag=two',
      'commonLabels.team=mail',
      'jobs.resources.limits.memory=1Gi',
    ]) {
      const text = await template([...evaluation, ...sets(value)]);
      names.add(/name: (inlet-mongodb-setup-\w+)/.exec(text)?.[1]);
    }
    expect(names.size).toBe(4);
  });

  test('the notes show commands to try', async ({ skip }) => {
    skip(isHelm3, 'Helm 3 needs a cluster to render notes');
    const notes = (
      await helm?.(
        'install',
        'inlet',
        CHART,
        '--namespace',
        'mail',
        '--dry-run=client',
        ...production,
      )
    )?.split('\nNOTES:\n')[1];
    expect(notes?.match(/^ {5}(kubectl|curl) .*/gm)).toEqual([
      expect.stringMatching(
        /^ {5}kubectl -n mail exec deploy\/inlet-api -- inlet admin account create /,
      ),
      expect.stringMatching(
        /^ {5}kubectl -n mail exec deploy\/inlet-api -- inlet admin token create /,
      ),
      '     kubectl -n mail port-forward svc/inlet-api 8080:80 &',
      expect.stringMatching(
        /^ {5}curl -X POST http:\/\/127\.0\.0\.1:8080\/v1\/addresses .* -H "X-Forwarded-Proto: https" /,
      ),
      "     kubectl -n mail get svc inlet-gateway -o jsonpath='{.status.loadBalancer.ingress[0]}'",
      '     kubectl -n mail exec deploy/inlet-api -- inlet admin dashboard link --account ACCOUNT_ID',
    ]);
  });

  test('on OpenShift, pods run as the user that the namespace assigns', async () => {
    const openShift = ['--api-versions', 'security.openshift.io/v1'];
    const made = await rendered(...evaluation, ...openShift);
    const pods = made.flatMap((manifest) => podOf(manifest) ?? []);
    expect(pods.length).toBeGreaterThan(5);
    for (const { securityContext } of pods)
      expect(securityContext).toEqual({
        runAsNonRoot: true,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      });
  });

  test('custom resource definitions remain after the release', async () => {
    const crds = (await rendered(...evaluation)).filter(
      ({ kind }) => kind === 'CustomResourceDefinition',
    );
    expect(crds.length).toBe(KIND_NAMES.length);
    for (const { metadata } of crds)
      expect(metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
  });

  test.each([
    [
      'keda',
      {
        triggers: [
          {
            type: 'prometheus',
            metadata: {
              query: 'max(inlet_dispatcher_backlog_mails{namespace="mail"})',
              threshold: '200',
            },
          },
        ],
      },
    ],
    [
      'hpa',
      {
        metrics: [
          {
            type: 'External',
            external: {
              metric: { name: 'inlet_dispatcher_backlog_mails' },
              target: { type: 'AverageValue', averageValue: '200' },
            },
          },
        ],
      },
    ],
  ])(
    'dispatchers scale by their backlog (%s), gateways by CPU and connections, and Deployments set no replicas',
    async (kind, scaled) => {
      const made = await rendered(
        ...production,
        ...sets('gateway.autoscaling.enabled=true', 'gateway.autoscaling.targetConnections=500'),
        ...sets('dispatcher.autoscaling.enabled=true', `dispatcher.autoscaling.kind=${kind}`),
      );
      const scalers = made.filter((one) =>
        ['HorizontalPodAutoscaler', 'ScaledObject'].includes(one.kind),
      );
      expect(scalers.map(({ spec }) => spec)).toMatchObject([
        {
          scaleTargetRef: { name: 'inlet-gateway' },
          metrics: [
            { resource: { name: 'cpu', target: { averageUtilization: 70 } } },
            {
              pods: {
                metric: { name: 'inlet_smtp_connections' },
                target: { averageValue: '500' },
              },
            },
          ],
        },
        { scaleTargetRef: { name: 'inlet-dispatcher' }, ...scaled },
      ]);
      for (const name of ['inlet-gateway', 'inlet-dispatcher'])
        expect(find(made, 'Deployment', name).spec).not.toHaveProperty('replicas');
    },
  );

  test('alerts and dashboards are created on request', async () => {
    const made = await rendered(
      ...evaluation,
      ...sets('monitoring.rules.enabled=true,monitoring.dashboards.enabled=true'),
    );
    const rules = await Promise.all(
      (await readdir(join(CHART, 'files', 'alerts'))).map(
        async (file) =>
          parse(
            (await readFile(join(CHART, 'files', 'alerts', file), 'utf8'))
              .replaceAll('namespace=~".*"', 'namespace="mail"')
              .replaceAll(/\n *dashboard_url: .*/g, ''),
          ) as unknown,
      ),
    );
    expect(made.filter(({ kind }) => kind === 'PrometheusRule').map(({ spec }) => spec)).toEqual(
      rules,
    );
    const dashboards = made
      .filter(
        ({ kind, metadata }) => kind === 'ConfigMap' && metadata.labels?.grafana_dashboard === '1',
      )
      .flatMap(({ data }) => Object.entries(data ?? {}));
    const files = (await readdir(join(CHART, 'files', 'dashboards'))).toSorted();
    expect(dashboards.map(([name]) => name).toSorted()).toEqual(
      files.map((file) => `inlet-${file}`),
    );
    for (const [name, text] of dashboards)
      expect(JSON.parse(text)).toEqual(
        JSON.parse(
          await readFile(join(CHART, 'files', 'dashboards', name.replace('inlet-', '')), 'utf8'),
        ),
      );
  });

  test.each([
    [
      'the value',
      'https://wiki.example/inlet',
      [
        'publicApiUrl=https://api.example/v1',
        'monitoring.rules.runbookBaseUrl=https://wiki.example/inlet/',
      ],
    ],
    [
      'the API by its public URL',
      'https://api.example/docs/runbooks',
      ['publicApiUrl=https://api.example/v1'],
    ],
    [
      'the API behind a path',
      'https://example.com/inlet/docs/runbooks',
      ['publicApiUrl=https://example.com/inlet/v1/'],
    ],
    [
      'the API by its Ingress',
      'https://ingress.example/docs/runbooks',
      [
        'api.ingress.enabled=true',
        'api.ingress.hosts[0].host=ingress.example',
        'api.ingress.tls[0].secretName=tls',
      ],
    ],
    [
      'the API by its HTTPRoute',
      'http://route.example/docs/runbooks',
      [
        'api.httpRoute.enabled=true',
        'api.httpRoute.hostnames={route.example}',
        'api.httpRoute.parentRefs[0].name=public',
      ],
    ],
    ['a port-forward to the API', 'http://127.0.0.1:8080/docs/runbooks', []],
  ])('alerts link to their runbooks: %s', async (_, base, values) => {
    const text = await template([
      ...evaluation,
      ...sets('monitoring.rules.enabled=true', ...values),
    ]);
    const links = [...text.matchAll(/- alert: (\w+)[^]*?runbook_url: (\S+)/g)];
    expect(links.length).toBeGreaterThan(20);
    for (const [, alert, link] of links) expect(link).toBe(`${base}/${alert}`);
  });

  test('alerts link to a dashboard of the Grafana that is given, and to none otherwise', async () => {
    const requested = [...evaluation, '--set', 'monitoring.rules.enabled=true'];
    expect(await template(requested)).not.toMatch(/dashboard_url/);
    const text = await template([
      ...requested,
      '--set',
      'monitoring.rules.grafanaUrl=https://grafana.example/',
    ]);
    const [rule] = manifestsIn(text).filter(({ kind }) => kind === 'PrometheusRule');
    const links = JSON.stringify(rule).match(/"dashboard_url":"[^"]*"/g) ?? [];
    expect(links.length).toBeGreaterThan(20);
    for (const link of links)
      expect(link).toMatch(
        /:"https:\/\/grafana\.example\/d\/inlet-\w+\?var-namespace=\{\{ \$labels\.namespace \}\}"$/,
      );
  });

  test.each([
    ['false', 'Always'],
    ['true', 'Never'],
  ])('the key of the certificate, with keepKey=%s: %s', async (keepKey, policy) => {
    const issued = `gateway.tls.certManager.enabled=true,gateway.tls.certManager.keepKey=${keepKey}`;
    const text = await template([...production, '--set', issued]);
    expect(text).toContain(`rotationPolicy: ${policy}`);
  });

  test('reports all missing values together', async () => {
    await expect(
      template([
        '--set',
        'api.ingress.enabled=true,gateway.tls.certManager.enabled=true,gateway.proxyProtocol.enabled=true',
      ]),
    ).rejects.toThrow(
      new RegExp(
        [
          'inboundDomain',
          'nats.url',
          'mongodb.existingSecret',
          'gateway.hostname',
          'gateway.proxyProtocol.trustedRanges',
          'api.ingress.hosts',
          'networkPolicy.nats.to',
          'networkPolicy.mongodb.to',
        ]
          .map((value) => `${value} is required.*`)
          .join('\n'),
      ),
    );
  });

  test.each<[what: string, profile: string[], value: string, fault: RegExp]>([
    ['a missing domain', [], 'nats.enabled=true,mongodb.enabled=true', /inboundDomain is required/],
    [
      'a missing MongoDB',
      [],
      'nats.enabled=true,inboundDomain=a.test',
      /mongodb.existingSecret is required/,
    ],
    ['a missing NATS', [], 'mongodb.enabled=true,inboundDomain=a.test', /nats.url is required/],
    ['two kinds of NATS', evaluation, 'nats.url=nats://nats.example.com', /contradict each other/],
    [
      'credentials without a Secret',
      [],
      'nats.url=nats://nats.example.com,nats.credentialsFile=true,mongodb.enabled=true,inboundDomain=a.test',
      /nats.existingSecret/,
    ],
    [
      'PROXY headers from everyone',
      evaluation,
      'gateway.proxyProtocol.enabled=true',
      /trustedRanges is required/,
    ],
    [
      'an OpenID provider without a client',
      evaluation,
      'api.singleSignOn.issuer=https://login.example.com',
      /singleSignOn.clientId is required/,
    ],
    [
      'an OpenID provider without TLS',
      evaluation,
      'api.singleSignOn.issuer=http://login.example.com',
      /issuer/,
    ],
    [
      'a canary without an address',
      production,
      'canary.schedule=0 * * * *',
      /canary.address is required/,
    ],
    [
      'backups without a bucket',
      evaluation,
      'backup.schedule=0 3 * * *',
      /backup.endpoint is required with backup.schedule/,
    ],
    [
      'a drill without backups',
      evaluation,
      'backup.drill.schedule=0 5 1 * *',
      /backup.schedule is required with backup.drill.schedule/,
    ],
    [
      'a bucket of backups without a Secret',
      evaluation,
      'backup.endpoint=http://minio:9000,backup.bucket=a',
      /backup.existingSecret are required/,
    ],
    [
      'a route without a Gateway',
      evaluation,
      'api.httpRoute.enabled=true',
      /parentRefs is required/,
    ],
    [
      'MTA-STS through no Gateway',
      evaluation,
      'mtaSts.route=gateway',
      /mtaSts.gatewayRef.name is required/,
    ],
    [
      'scaling to zero, from which nothing scales up',
      evaluation,
      'dispatcher.autoscaling.enabled=true,dispatcher.autoscaling.minReplicas=0',
      /minReplicas/,
    ],
    ['a value that does not exist', evaluation, 'gateway.replica=2', /replica/],
    ['a setting with an invalid name', evaluation, 'config.retry=2', /config/],
    [
      'an annotation that is not a string',
      evaluation,
      'gateway.podAnnotations.a=2',
      /podAnnotations/,
    ],
  ])('refuses %s with a message', async (_, profile, value, fault) => {
    await expect(template([...profile, ...sets(value)])).rejects.toThrow(fault);
  });
});
