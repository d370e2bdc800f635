/**
 * The NetworkPolicies of the chart allow what each component needs, and nothing else.
 * test/cluster/install.test.ts tries them out.
 */
import { describe, expect, test } from 'vitest';

import { find, helm, type Manifest, PROFILES, rendered, sets, template } from './render.ts';

type Peer = { ipBlock?: { cidr: string; except?: string[] }; podSelector?: object };
type Rule = {
  ports?: { port?: number | string; protocol?: string }[];
  to?: Peer[];
  from?: Peer[];
};
type Policy = { ingress?: Rule[]; egress?: Rule[] };
const { evaluation, production, everything } = PROFILES;
const COMPONENTS = ['gateway', 'dispatcher', 'api', 'operator', 'test'];

const policy = (made: Manifest[], component: string, name = 'inlet') =>
  find(made, 'NetworkPolicy', `${name}-${component}`).spec as unknown as Policy;
const onPort = (rules: Rule[] | undefined, port: number | string) =>
  (rules ?? []).filter(({ ports }) => ports?.some((one) => one.port === port));
const inKubeSystem = (app: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
  podSelector: { matchLabels: { 'k8s-app': app } },
});
/** A peer with addresses of 169.254.0.0/16, which has the metadata service of a cloud. */
const opensLinkLocal = ({ ipBlock: { cidr, except = [] } = { cidr: '' } }: Peer): boolean =>
  cidr.startsWith('169.254.') || (cidr === '0.0.0.0/0' && !except.includes('169.254.0.0/16'));
const toInternet = (made: Manifest[], component: string) =>
  policy(made, component).egress?.find(({ to }) => to?.[0]?.ipBlock?.cidr === '0.0.0.0/0');

describe.skipIf(helm === undefined)('network policies (skipped without helm)', () => {
  test.each([
    ['evaluation', evaluation],
    ['production', production],
  ])('%s: no rule leaves the destination open, except to the API server', async (_, args) => {
    for (const { kind, metadata, spec } of await rendered(...args)) {
      if (kind !== 'NetworkPolicy') continue;
      const open = ((spec as Policy).egress ?? []).filter(({ to }) => to === undefined);
      const callsApiServer = /-(operator|secrets)$/.test(metadata.name);
      expect([metadata.name, open]).toEqual([
        metadata.name,
        callsApiServer ? [{ ports: [{ port: 443 }, { port: 6443 }] }] : [],
      ]);
    }
  });

  test('only the API reaches an OpenID provider that is not public, at the peers of the value', async () => {
    const made = await rendered(...everything);
    const peers = [
      { ipBlock: { cidr: '10.8.0.0/24' } },
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'keycloak' } } },
    ];
    const reaching = COMPONENTS.filter((component) =>
      policy(made, component, 'inlet-mail').egress?.some(
        ({ to }) => JSON.stringify(to) === JSON.stringify(peers),
      ),
    );
    expect(reaching).toEqual(['api']);
  });

  const jobs = [
    'canary.schedule=0 * * * *',
    'canary.address=canary@in.example.com',
    'backup.endpoint=https://s3.example.com',
    'backup.bucket=backups',
    'backup.existingSecret=bucket',
    'backup.schedule=0 3 * * *',
    'backup.drill.schedule=0 5 1 * *',
  ];
  test.each([
    ['evaluation', evaluation, ['secrets', 'nats', 'mongodb', 'mongodb-setup']],
    ['production', production, ['secrets', 'nats']],
  ])(
    'P9: %s: every pod asks only the DNS of the cluster and of its node',
    async (_, args, others) => {
      const made = await rendered(...args, ...sets(...jobs));
      const policies = made.filter(({ kind }) => kind === 'NetworkPolicy');
      const names = policies.map(({ metadata }) => metadata.name);
      const wanted = [...COMPONENTS, ...others, 'canary', 'backup', 'backup-drill'];
      expect(names.toSorted()).toEqual(
        ['default-deny', ...wanted].map((component) => `inlet-${component}`).toSorted(),
      );
      for (const component of wanted) {
        const { egress } = policy(made, component);
        expect([component, onPort(egress, 53)]).toEqual([
          component,
          [
            {
              to: [
                inKubeSystem('kube-dns'),
                inKubeSystem('node-local-dns'),
                { ipBlock: { cidr: '169.254.20.10/32' } },
              ],
              ports: [
                { port: 53, protocol: 'UDP' },
                { port: 53, protocol: 'TCP' },
              ],
            },
          ],
        ]);
        const notDns = (egress ?? []).filter((rule) => !onPort([rule], 53).length);
        const open = notDns.flatMap(({ to }) => to ?? []).filter(opensLinkLocal);
        expect([component, open]).toEqual([component, []]);
      }
    },
  );

  test('metrics are open to the monitoring namespace, to other peers by value, or to nobody', async () => {
    const monitoring = {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } },
    };
    const made = await rendered(...production);
    for (const component of ['gateway', 'dispatcher', 'api', 'operator'])
      expect(onPort(policy(made, component).ingress, 'metrics')).toEqual([
        { ports: [{ port: 'metrics' }], from: [monitoring] },
      ]);
    const closed = await rendered(...production, '--set-json', 'networkPolicy.metricsFrom=[]');
    expect(onPort(policy(closed, 'gateway').ingress, 'metrics')).toEqual([]);
    const other = await rendered(...production, ...sets('networkPolicy.metricsFrom={10.1.0.0/16}'));
    expect(onPort(policy(other, 'gateway').ingress, 'metrics')).toEqual([
      { ports: [{ port: 'metrics' }], from: [{ ipBlock: { cidr: '10.1.0.0/16' } }] },
    ]);
  });

  test('NATS and MongoDB outside of the release are reached at the hosts that the values name', async () => {
    const made = await rendered(...everything);
    const toNats = {
      ports: [{ port: 4222 }, { port: 4223 }],
      to: [{ ipBlock: { cidr: '10.6.0.0/24' } }, { ipBlock: { cidr: 'fd00:6::/64' } }],
    };
    for (const component of COMPONENTS) {
      const { egress } = policy(made, component, 'inlet-mail');
      expect(onPort(egress, 4222)).toEqual(component === 'test' ? [] : [toNats]);
      expect(onPort(egress, 27_017)).toEqual([
        {
          ports: [{ port: 27_017 }],
          to: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'databases' } },
              podSelector: { matchLabels: { app: 'mongodb' } },
            },
          ],
        },
      ]);
    }
    expect(onPort(policy(made, 'operator', 'inlet-mail').egress, 6443)).toEqual([
      { ports: [{ port: 6443 }], to: [{ ipBlock: { cidr: '10.7.0.1/32' } }] },
    ]);
  });

  test.each([
    [
      'MongoDB',
      [...production, '--set-json', 'networkPolicy.mongodb.to=[]'],
      /mongodb.to is required/,
    ],
    [
      'NATS',
      [...production, ...sets('nats.enabled=false', 'nats.url=nats://nats.example.com')],
      /nats.to is required with nats.url/,
    ],
    [
      'a collector',
      [...production, ...sets('tracing.endpoint=http://otel.example.com:4318')],
      /collector.to is required with tracing.endpoint/,
    ],
    [
      'clamd',
      [...production, ...sets('gateway.config.CLAMD=tcp://clamav.clamav.svc')],
      /clamd.to is required with gateway.config.CLAMD/,
    ],
    [
      'a proxy for webhooks',
      [...production, ...sets('webhooks.proxy.existingSecret=egress')],
      /webhookProxy.to is required with webhooks.proxy/,
    ],
  ])('%s outside of the release needs its addresses', async (_, args, fault) => {
    await expect(template(args)).rejects.toThrow(fault);
    await template([...args, ...sets('networkPolicy.enabled=false')]);
  });

  test('with a proxy, webhooks reach nothing else, and only their senders have its password', async () => {
    const values = [
      'webhooks.proxy.existingSecret=egress',
      'networkPolicy.webhookProxy.to={10.8.0.0/24}',
    ];
    const made = await rendered(...production, ...sets(...values));
    const proxy = {
      ports: [{ port: 3128 }],
      to: [{ ipBlock: { cidr: '10.8.0.0/24' } }],
    };
    for (const component of ['dispatcher', 'api']) {
      const { egress } = policy(made, component);
      expect(onPort(egress, 3128)).toEqual([proxy]);
      expect(JSON.stringify(egress)).not.toContain('0.0.0.0/0');
    }
    for (const component of ['gateway', 'operator'])
      expect(onPort(policy(made, component).egress, 3128)).toEqual([]);
    const users = made
      .filter(({ kind }) => kind === 'Deployment')
      .filter((one) => JSON.stringify(one).includes('WEBHOOK_PROXY_URL'))
      .map(({ metadata }) => metadata.name);
    expect(users.toSorted()).toEqual(['inlet-api', 'inlet-dispatcher']);
    const signOn = sets(
      'api.singleSignOn.issuer=https://id.example.com',
      'api.singleSignOn.clientId=x',
    );
    const { egress } = policy(await rendered(...production, ...sets(...values), ...signOn), 'api');
    expect(JSON.stringify(egress)).toContain('0.0.0.0/0'); // the provider
  });

  test('only the gateway reaches clamd, and only with an address of it', async () => {
    const made = await rendered(...everything);
    const toClamd = (component: string) =>
      onPort(policy(made, component, 'inlet-mail').egress, 3311);
    expect(toClamd('gateway')).toEqual([
      {
        ports: [{ port: 3310 }, { port: 3311 }],
        to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'clamav' } } }],
      },
    ]);
    for (const component of ['dispatcher', 'api', 'operator'])
      expect(toClamd(component)).toEqual([]);
    const socket = await rendered(
      ...production,
      ...sets(
        'gateway.config.CLAMD=unix:/run/clamd/clamd.sock',
        'networkPolicy.clamd.to={10.0.0.1/32}',
      ),
    );
    expect(onPort(policy(socket, 'gateway').egress, 3310)).toEqual([]);
  });

  test('only the API and your mail servers reach the LMTP port', async () => {
    const values = ['gateway.lmtp.enabled=true', 'gateway.lmtp.from={192.0.2.25/32}'];
    const made = await rendered(...production, ...sets(...values));
    const fromApi = {
      podSelector: {
        matchLabels: expect.objectContaining({ 'app.kubernetes.io/component': 'api' }) as object,
      },
    };
    expect(onPort(policy(made, 'gateway').ingress, 'lmtp')).toEqual([
      { ports: [{ port: 'lmtp' }], from: [fromApi, { ipBlock: { cidr: '192.0.2.25/32' } }] },
    ]);
    expect(onPort(policy(made, 'api').egress, 'lmtp')).toHaveLength(1);
    const settings = JSON.stringify(made.filter(({ kind }) => kind === 'Deployment'));
    expect(settings).toContain('lmtp://inlet-gateway-lmtp:24');
    expect(settings).toContain('LMTP_NETWORKS');
    const off = JSON.stringify(await rendered(...production));
    expect(off).not.toContain('lmtp');
    expect(off).not.toContain('LMTP');
  });

  test('only services that export spans reach the collector, and only with an endpoint', async () => {
    const made = await rendered(...everything);
    const toCollector = (component: string) =>
      onPort(policy(made, component, 'inlet-mail').egress, 4318);
    for (const component of ['gateway', 'dispatcher', 'api'])
      expect(toCollector(component)).toEqual([
        {
          ports: [{ port: 4318 }, { port: 443 }],
          to: [
            {
              namespaceSelector: {
                matchLabels: { 'kubernetes.io/metadata.name': 'observability' },
              },
            },
          ],
        },
      ]);
    for (const component of ['operator', 'test']) expect(toCollector(component)).toEqual([]);
    const off = await rendered(...production);
    expect(onPort(policy(off, 'gateway').egress, 4318)).toEqual([]);
  });

  test('only dispatchers and the API may reach the internet, without the networks of the cluster', async () => {
    const made = await rendered(...production);
    const internet = (component: string) =>
      (policy(made, component).egress ?? [])
        .flatMap(({ to }) => to ?? [])
        .filter(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0');
    for (const component of ['gateway', 'operator', 'test', 'nats', 'secrets'])
      expect([component, internet(component)]).toEqual([component, []]);
    for (const component of ['dispatcher', 'api'])
      expect(internet(component)).toEqual([
        { ipBlock: { cidr: '0.0.0.0/0', except: expect.arrayContaining(['10.0.0.0/8']) } },
      ]);
  });

  test('webhooks go by TCP, to the ports of the value', async () => {
    const every = await rendered(...production);
    const two = await rendered(...production, ...sets('networkPolicy.webhookPorts={443,8443}'));
    for (const component of ['dispatcher', 'api']) {
      expect(toInternet(every, component)?.ports).toEqual([{ protocol: 'TCP' }]);
      expect(toInternet(two, component)?.ports).toEqual([
        { port: 443, protocol: 'TCP' },
        { port: 8443, protocol: 'TCP' },
      ]);
    }
  });

  test.each([
    'dns.to',
    'dns.ports',
    'nats.ports',
    'mongodb.ports',
    'collector.ports',
    'apiServer.ports',
  ])('refuses an empty %s, which a NetworkPolicy reads as everything', async (value) => {
    await expect(
      template([...production, '--set-json', `networkPolicy.${value}=[]`]),
    ).rejects.toThrow(new RegExp(`networkPolicy.*${value.replace('.', '.*')}`));
  });

  test('the pod of `helm test` and NATS do not reach each other', async () => {
    const made = await rendered(...evaluation);
    expect(JSON.stringify(policy(made, 'nats'))).not.toContain('"test"');
    expect(JSON.stringify(policy(made, 'test').egress)).not.toContain('"nats"');
    expect(onPort(policy(made, 'test').egress, 27_017)).toHaveLength(1);
  });

  test('the policy of the Job that creates Secrets exists before the Job, and only as long', async () => {
    const made = await rendered(...evaluation);
    const hookOf = (kind: string) => {
      const { annotations = {} } = find(made, kind, 'inlet-secrets').metadata;
      const { 'helm.sh/hook-weight': weight, ...hook } = annotations;
      return { weight: Number(weight), hook };
    };
    const [ofPolicy, ofJob] = [hookOf('NetworkPolicy'), hookOf('Job')];
    expect(ofPolicy.weight).toBeLessThan(ofJob.weight);
    expect(ofPolicy.hook).toEqual(ofJob.hook);
    expect(ofJob.hook).toEqual({
      'helm.sh/hook': 'pre-install,pre-upgrade',
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
    });
    const open = await rendered(...evaluation, ...sets('networkPolicy.enabled=false'));
    expect(open.filter(({ kind }) => kind === 'NetworkPolicy')).toEqual([]);
  });

  test.each(['nats', 'mongodb'])('only pods of the release reach its %s', async (component) => {
    const made = await rendered(...evaluation);
    for (const { from = [] } of policy(made, component).ingress ?? [{}]) {
      expect(from.length).toBeGreaterThan(0);
      for (const { podSelector } of from)
        expect(podSelector).toMatchObject({
          matchLabels: { 'app.kubernetes.io/instance': 'inlet' },
        });
    }
  });
});
