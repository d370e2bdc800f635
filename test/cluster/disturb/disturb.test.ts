/**
 * `npm run test:disturb`: what becomes of email while parts of the production profile are restarted,
 * killed, upgraded and drained, at the highest rate that the clients reach. Prints a table for
 * docs/upgrade.md. DISTURB_WORKERS is the number of clients that send all the time.
 */
import { join } from 'node:path';

import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import { CHART } from '../../support/charts.ts';
import type { Helm } from '../../support/helm.ts';
import { until } from '../../support/until.ts';
import { createNamespace, kubectl, type Namespace } from '../kubectl.ts';
import {
  ask,
  clusterHelm,
  type ReceiverState,
  runScript,
  setOptions,
  startMailing,
} from '../release.ts';
import { killOne } from './kill.ts';
import { disturbed, type Row, tableOf } from './load.ts';

const RELEASE = 'inlet';
const WORKERS = Number(process.env.DISTURB_WORKERS || 12);
const SERVICES = ['gateway', 'dispatcher', 'api', 'operator'];
const DIALS_PER_SECOND = 100;
const parts = new AsyncDisposableStack();
const rows: Row[] = [];
const notes: string[] = [];
let helm: Helm;
let takeOver: string[];
let namespace: Namespace;
let image: { repository: string; tag: string };

/** The production profile on a bare cluster, with one MongoDB of the chart. */
function values(changes: Record<string, string> = {}): string[] {
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
    'api.ingress.enabled': 'false',
    'gateway.service.type': 'NodePort',
    'mongodb.resources.requests.cpu': '10m',
    ...Object.fromEntries(
      ['gateway', 'dispatcher', 'api', 'nats'].map((name) => [
        `${name}.resources.requests.cpu`,
        '10m',
      ]),
    ),
    ...changes,
  };
  return ['-f', join(CHART, 'values-production.yaml'), ...setOptions(settings), ...takeOver];
}

function upgrade(changes: Record<string, string>): Promise<string> {
  const options = ['-n', namespace.name, ...values(changes), '--wait', '--timeout', '300s'];
  return helm('upgrade', RELEASE, CHART, ...options);
}

beforeAll(async () => {
  ({ helm, takeOver } = await clusterHelm());
  namespace = parts.use(await createNamespace());
  const {
    repository,
    tags: [, tag],
  } = inject('images');
  image = { repository, tag };
  const options = ['--wait', '--timeout', '300s'];
  await helm('install', RELEASE, CHART, '-n', namespace.name, ...values(), ...options);
  await startMailing(namespace, { release: RELEASE, image: `${repository}:${tag}` });
  await runScript(namespace, {
    name: 'dialer',
    image: `${repository}:${tag}`,
    env: [{ name: 'SMTP_HOST', value: `${RELEASE}-gateway` }],
  });
});

afterAll(async () => {
  process.stdout.write(`\n${tableOf(rows)}\n\n${notes.map((note) => `${note}\n`).join('')}`);
  if (namespace !== undefined) {
    const options = ['--ignore-not-found', '--wait', '--timeout', '120s'];
    await helm('uninstall', RELEASE, '-n', namespace.name, ...options).catch(() => undefined);
  }
  await parts.disposeAsync();
});

const rollout = (what: string) => namespace.run('rollout', 'status', what, '--timeout=280s');
const deployment = (component: string) => `deploy/${RELEASE}-${component}`;
const NATS = `statefulset/${RELEASE}-nats`;
const MONGODB = `statefulset/${RELEASE}-mongodb`;

async function restart(...names: string[]): Promise<void> {
  await namespace.run('rollout', 'restart', ...names);
  for (const name of names) await rollout(name);
}

/** Until the controller has seen that a container is gone, and replaced it. */
async function kill(component: string, owner: string): Promise<void> {
  await killOne(namespace, component);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await rollout(owner);
}

const DISTURBANCES: [what: string, work: () => Promise<unknown>][] = [
  ['nothing', () => new Promise((resolve) => setTimeout(resolve, 10_000))],
  ...SERVICES.map((name): [string, () => Promise<unknown>] => [
    `rollout restart of the ${name}`,
    () => restart(deployment(name)),
  ]),
  ['rollout restart of three NATS nodes', () => restart(NATS)],
  ...SERVICES.map((name): [string, () => Promise<unknown>] => [
    `kill -9 of one ${name}`,
    () => kill(name, deployment(name)),
  ]),
  ['kill -9 of one NATS node', () => kill('nats', NATS)],
  [
    'volume and pod of one NATS node deleted',
    async () => {
      await namespace.run('delete', 'pvc', `data-${RELEASE}-nats-1`, '--wait=false');
      await namespace.run('delete', 'pod', `${RELEASE}-nats-1`);
      await rollout(NATS);
    },
  ],
  ['kill -9 of the only MongoDB', () => kill('mongodb', MONGODB)],
  [
    'helm upgrade: partitions 4 to 6, log level',
    () => upgrade({ partitions: '6', logLevel: 'warn' }),
  ],
  ['drain of the node', drain],
  [
    'rollout restart of everything at the same time',
    () => restart(NATS, MONGODB, ...SERVICES.map(deployment)),
  ],
  ['SECRET_KEYS rotated, secrets encrypted again', rotateKeys],
];

async function drain(): Promise<void> {
  const ours = `drill=${namespace.name},app.kubernetes.io/component in (gateway,dispatcher,api,operator,nats)`;
  const [node = ''] = (
    await namespace.run('get', 'pods', '-l', ours, '-o', 'jsonpath={.items[*].spec.nodeName}')
  ).split(' ');
  const closed = () => kubectl(['get', 'node', node, '-o', 'jsonpath={.spec.unschedulable}']);
  const options = ['--ignore-daemonsets', '--timeout=280s'];
  /** It may be the only node, so evicted pods must be scheduled there again. */
  const reopen = async () => {
    try {
      await until('the node to be closed', async () => (await closed()) === 'true');
    } finally {
      await kubectl(['uncordon', node]);
    }
  };
  await Promise.all([kubectl(['drain', node, `--pod-selector=${ours}`, ...options]), reopen()]);
}

async function rotateKeys(): Promise<void> {
  const name = `${RELEASE}-keys`;
  const { SECRET_KEYS = '' } = (await namespace.secret(name)) ?? {};
  const added = Buffer.alloc(32, 5).toString('base64');
  for (const both of [`${SECRET_KEYS},${added}`, `${added},${SECRET_KEYS}`]) {
    await namespace.patch(`secret/${name}`, { stringData: { SECRET_KEYS: both } });
    await restart(...SERVICES.map(deployment));
  }
  const exec = ['exec', deployment('api'), '--', 'inlet', 'admin', 'secrets', 'reencrypt'];
  expect(JSON.parse(await namespace.run(...exec))).toMatchObject({ resealed: 1 });
}

test.each(DISTURBANCES)('%s', async (what, work) => {
  const row = await disturbed(namespace, WORKERS, what, work);
  rows.push(row);
  expect(row).toMatchObject({ lost: 0 });
});

test('every webhook had a valid signature', async () => {
  expect(await ask<ReceiverState>(namespace, 'receiver', 'state')).toMatchObject({
    badSignatures: 0,
  });
});

type Dials = { attempts: number; failures: { atMs: number; reason: string }[]; nowMs: number };

/** Connections that clients of the Service do not get when a gateway is gone without a word. */
test.each([
  ['kill -9, the default probe (3 s, 5 times)', {}, false],
  ['pod deleted by force, the default probe', {}, true],
  [
    'kill -9, a probe each second, once',
    { 'gateway.readinessProbe.periodSeconds': '1', 'gateway.readinessProbe.failureThreshold': '1' },
    false,
  ],
])('O.8: connections refused: %s', async (what, changes, isDeleted) => {
  await upgrade({ partitions: '6', logLevel: 'warn', ...changes });
  for (let round = 1; round <= 3; round++) {
    await ask(namespace, 'dialer', `start?perSecond=${DIALS_PER_SECOND}`);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const { nowMs: killedMs } = await ask<Dials>(namespace, 'dialer', 'state');
    if (isDeleted) {
      const running = ['-l', 'app.kubernetes.io/component=gateway', '-o', 'name'];
      const [pod = ''] = (await namespace.run('get', 'pods', ...running)).split('\n');
      await namespace.run('delete', pod, '--grace-period=0', '--force');
    } else await killOne(namespace, 'gateway');
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    await ask(namespace, 'dialer', 'stop');
    const { failures } = await ask<Dials>(namespace, 'dialer', 'state');
    const lastMs = Math.max(0, ...failures.map(({ atMs }) => atMs - killedMs));
    const reasons = [...new Set(failures.map(({ reason }) => reason))].join(', ');
    notes.push(
      `${what}, round ${round}: ${failures.length} of ${DIALS_PER_SECOND} connections per second ` +
        `failed (${reasons || 'none'}), the last ${(lastMs / 1000).toFixed(1)} s after the command`,
    );
    await rollout(deployment('gateway'));
    expect(lastMs).toBeLessThan(8_000);
  }
});
