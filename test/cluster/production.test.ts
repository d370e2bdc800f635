/**
 * The production profile on a real cluster. Its three-node JetStream keeps working while the cluster's
 * node is drained.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import { CHART } from '../support/charts.ts';
import type { Helm } from '../support/helm.ts';
import { until } from '../support/until.ts';
import { createNamespace, kubectl, type Namespace } from './kubectl.ts';
import { clusterHelm, setOptions, startMailing, underLoad, uninstall, WAIT } from './release.ts';
import { failingRunbookCommands } from './runbooks.ts';

const RELEASE = 'inlet';
const parts = new AsyncDisposableStack();
let helm: Helm;
let namespace: Namespace;
let image: { repository: string; tag: string };
let takeOver: string[];

beforeAll(async () => {
  ({ helm, takeOver } = await clusterHelm());
  image = inject('images');
  namespace = parts.use(await createNamespace());
  await kubectl([
    'label',
    'namespace',
    namespace.name,
    'pod-security.kubernetes.io/enforce=restricted',
  ]);
  await helm('install', RELEASE, CHART, '-n', namespace.name, ...values(), ...WAIT);
});

/** The production profile on a bare cluster, with the MongoDB of the chart. */
function values(): string[] {
  const settings = {
    'image.repository': image.repository,
    'image.tag': image.tag,
    'commonLabels.drill': namespace.name,
    'operator.namespaces': `{${namespace.name}}`,
    'gateway.preStopSeconds': '5',
    'api.preStopSeconds': '5',
    'gateway.terminationGracePeriodSeconds': '50',
    'webhooks.trialCertificate': 'true',
    'webhooks.allowedNetworks': '{10.0.0.0/8}',
    'mongodb.enabled': 'true',
    'mongodb.existingSecret': '',
    'gateway.tls.certManager.enabled': 'false',
    'api.ingress.enabled': 'false', // a bare cluster has neither
    'gateway.service.type': 'NodePort',
    ...Object.fromEntries(
      ['gateway', 'dispatcher', 'api', 'nats', 'mongodb'].map((component) => [
        `${component}.resources.requests.cpu`,
        '10m',
      ]),
    ), // three pods of each component on one node
  };
  return ['-f', join(CHART, 'values-production.yaml'), ...setOptions(settings), ...takeOver];
}

afterAll(async () => {
  if (namespace !== undefined) await uninstall(helm, RELEASE, namespace);
  await parts.disposeAsync();
});

/**
 * Completes a TLS handshake, with the certificate authority of the release. NATS begins with a line
 * in plain text, which requires it.
 */
const HANDSHAKE = (host: string, port: number, isNats: boolean) =>
  `const { readFileSync } = require('node:fs');
   const ca = readFileSync('/etc/inlet/internal-ca/ca.crt');
   const report = (state) => { console.log(state); process.exit(); };
   const s = require('node:net').connect({ host: '${host}', port: ${port} });
   const secure = () => require('node:tls').connect({ socket: s, ca, servername: '${host}' })
     .on('secureConnect', () => report('verified')).on('error', (e) => report(e.code));
   const begin = (info) => (String(info).includes('tls_required') ? secure() : report('plain'));
   ${isNats ? "s.once('data', begin)" : "s.once('connect', secure)"}`;

test('NATS and MongoDB accept only TLS, with a certificate of the release that an upgrade keeps', async () => {
  const handshake = async (host: string, port: number, isNats: boolean) =>
    (
      await namespace.run(
        'exec',
        `deploy/${RELEASE}-gateway`,
        '--',
        'node',
        '-e',
        HANDSHAKE(host, port, isNats),
      )
    ).trim();
  const service = `${namespace.name}.svc`;
  expect([
    await handshake(`${RELEASE}-nats-1.${RELEASE}-nats-members.${service}`, 4222, true),
    await handshake(`${RELEASE}-mongodb-0.${RELEASE}-mongodb.${service}`, 27_017, false),
  ]).toEqual(['verified', 'verified']);
  const before = await namespace.secret(`${RELEASE}-internal-tls`);
  expect(Object.keys(before ?? {}).toSorted()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
  await helm('upgrade', RELEASE, CHART, '-n', namespace.name, ...values(), '--wait');
  expect(await namespace.secret(`${RELEASE}-internal-tls`)).toEqual(before);
});

test('TLS between NATS nodes cannot change while several run, and the error names the way', async () => {
  await expect(
    helm(
      'upgrade',
      RELEASE,
      CHART,
      '-n',
      namespace.name,
      ...values(),
      '--dry-run=server',
      '--set',
      'internalTls.enabled=false',
    ),
  ).rejects.toThrow(`kubectl -n ${namespace.name} scale statefulset ${RELEASE}-nats --replicas=0`);
});

test('helm test: an email becomes a webhook, with an API that requires HTTPS (D26)', async () => {
  expect(await helm('test', RELEASE, '-n', namespace.name, '--timeout', '300s')).toContain(
    'Succeeded',
  );
});

test('the commands of runbooks find what they name', async () => {
  expect(await failingRunbookCommands(namespace.name, RELEASE, RELEASE)).toEqual([]);
});

test('a node is drained under load: every pod moves, no mail is lost and no connection refused', async () => {
  await startMailing(namespace, {
    release: RELEASE,
    image: `${image.repository}:${image.tag}`,
  });
  const ours = `drill=${namespace.name},app.kubernetes.io/component in (gateway,dispatcher,api,operator,nats)`;
  const [node = ''] = (
    await namespace.run('get', 'pods', '-l', ours, '-o', 'jsonpath={.items[*].spec.nodeName}')
  ).split(' ');
  const podsOn = async () =>
    (
      await namespace.run(
        'get',
        'pods',
        '-l',
        ours,
        '--field-selector',
        `spec.nodeName=${node}`,
        '-o',
        'jsonpath={.items[*].metadata.uid}',
      )
    ).split(' ');
  const drained = await podsOn();
  /** It may be the only node, so evicted pods must be scheduled there again. */
  const reopen = async () => {
    try {
      await until(
        'the node to be closed',
        async () =>
          (await kubectl(['get', 'node', node, '-o', 'jsonpath={.spec.unschedulable}'])) === 'true',
      );
    } finally {
      await kubectl(['uncordon', node]);
    }
  };
  const sent = await underLoad(namespace, () =>
    Promise.all([
      kubectl(['drain', node, `--pod-selector=${ours}`, '--ignore-daemonsets', '--timeout=280s']),
      reopen(),
    ]),
  );
  expect(sent).toMatchObject({ refusedConnections: 0, rejected: [] });
  const left = new Set(await podsOn());
  expect(drained.filter((uid) => left.has(uid))).toEqual([]);
});

const disruptionsAllowed = () =>
  namespace.run(
    'get',
    'pdb',
    '-o',
    'jsonpath={range .items[*]}{.metadata.name}={.status.disruptionsAllowed} {end}',
  );

test('disruption budgets prevent the eviction of a second pod of a kind', async () => {
  const wanted = ['api', 'dispatcher', 'gateway', 'nats', 'operator']
    .map((component) => `${RELEASE}-${component}=1`)
    .join(' ');
  await expect
    .poll(async () => (await disruptionsAllowed()).trim(), { interval: 500 })
    .toBe(wanted);
});
