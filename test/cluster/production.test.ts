/**
 * The production profile on a real cluster. Its three-node JetStream keeps working while NATS nodes
 * restart or are killed, and while the cluster's node is drained.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { CHART, findHelm, type Helm } from '../support/helm.ts';
import { until } from '../support/until.ts';
import { makeImages } from './images.ts';
import { createNamespace, kubectl, type Namespace } from './kubectl.ts';
import { startMailing, underLoad } from './release.ts';

const RELEASE = 'inlet';
const parts = new AsyncDisposableStack();
let helm: Helm;
let namespace: Namespace;
let image: string;

beforeAll(async () => {
  const found = await findHelm();
  if (found === undefined) throw new Error('no helm: set HELM_BIN, or have helm or go on PATH');
  helm = found;
  const {
    repository,
    tags: [, tag],
  } = await makeImages();
  image = `${repository}:${tag}`;
  namespace = parts.use(await createNamespace());
  await kubectl([
    'label',
    'namespace',
    namespace.name,
    'pod-security.kubernetes.io/enforce=restricted',
  ]);
  const takeOver = (await helm('version', '--short')).startsWith('v3')
    ? ['--take-ownership']
    : ['--take-ownership', '--force-conflicts'];
  const settings = {
    'image.repository': repository,
    'image.tag': tag,
    'commonLabels.drill': namespace.name,
    'operator.namespaces': `{${namespace.name}}`,
    'gateway.preStopSeconds': '5',
    'api.preStopSeconds': '5',
    'gateway.stopGraceSeconds': '30',
    'webhooks.trialCertificate': 'true',
    'webhooks.allowedNetworks': '{10.0.0.0/8}',
    'mongodb.enabled': 'true',
    'mongodb.existingSecret': '',
    'gateway.tls.certManager.enabled': 'false',
    'api.ingress.enabled': 'false', // a bare cluster has neither
    ...Object.fromEntries(
      ['gateway', 'dispatcher', 'api', 'nats', 'mongodb'].map((component) => [
        `${component}.resources.requests.cpu`,
        '10m',
      ]),
    ), // three pods of each component on one node
  };
  const sets = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  await helm(
    'install',
    RELEASE,
    CHART,
    '-n',
    namespace.name,
    '-f',
    join(CHART, 'values-production.yaml'),
    ...sets,
    '--set',
    'gateway.service.type=NodePort',
    ...takeOver,
    '--wait',
    '--timeout',
    '300s',
  );
}, 900_000);

afterAll(async () => {
  if (namespace !== undefined)
    await helm(
      'uninstall',
      RELEASE,
      '-n',
      namespace.name,
      '--ignore-not-found',
      '--wait',
      '--timeout',
      '120s',
    ).catch(() => undefined);
  await parts.disposeAsync();
}, 300_000);

test('while each NATS node restarts in turn, no mail is lost and no connection refused', async () => {
  await startMailing(namespace, { release: RELEASE, image });
  const sent = await underLoad(namespace, async () => {
    await namespace.run('rollout', 'restart', `statefulset/${RELEASE}-nats`);
    await namespace.run('rollout', 'status', `statefulset/${RELEASE}-nats`, '--timeout=280s');
  });
  expect(sent).toMatchObject({ refusedConnections: 0, rejected: [] });
}, 600_000);

test('while NATS nodes are killed, no mail is lost and no connection refused', async () => {
  const sent = await underLoad(namespace, async () => {
    for (const node of [0, 1, 2]) {
      await namespace.run('delete', `pod/${RELEASE}-nats-${node}`, '--grace-period=0', '--force');
      await namespace.run('rollout', 'status', `statefulset/${RELEASE}-nats`, '--timeout=120s');
    }
  });
  expect(sent).toMatchObject({ refusedConnections: 0, rejected: [] });
}, 600_000);

test('helm test: an email becomes a webhook, with an API that requires HTTPS (D26)', async () => {
  expect(await helm('test', RELEASE, '-n', namespace.name, '--timeout', '120s')).toContain(
    'Succeeded',
  );
}, 150_000);

test('a node is drained under load: every pod moves, no mail is lost and no connection refused', async () => {
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
}, 500_000);

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
    .poll(async () => (await disruptionsAllowed()).trim(), { timeout: 60_000, interval: 500 })
    .toBe(wanted);
});
