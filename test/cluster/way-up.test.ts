/**
 * The small profile on a real cluster, and its way up with the commands of docs/upgrade.md as they are printed:
 * MongoDB from one member to three, NATS from one node to three, while a sender repeats each email until its 250.
 * Only the namespace and the values are the test's.
 */
import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { parse, stringify } from 'yaml';

import { CHECKOUT, codeBlocks, readPage } from '../docs/pages.ts';
import { CHART } from '../support/charts.ts';
import type { Helm } from '../support/helm.ts';
import { testDir } from '../support/servers.ts';
import { createNamespace, kubectl, type Namespace } from './kubectl.ts';
import {
  clusterHelm,
  type SenderState,
  startMailing,
  underLoad,
  uninstall,
  WAIT,
} from './release.ts';
import { failingRunbookCommands } from './runbooks.ts';

const RELEASE = 'inlet';
const run = promisify(execFile);
const parts = new AsyncDisposableStack();
let helm: Helm;
let namespace: Namespace;
let folder: string;
let image: { repository: string; tag: string };

beforeAll(async () => {
  let takeOver: string[];
  ({ helm, takeOver } = await clusterHelm());
  image = inject('images');
  namespace = parts.use(await createNamespace());
  const restricted = 'pod-security.kubernetes.io/enforce=restricted';
  await kubectl(['label', 'namespace', namespace.name, restricted]);
  folder = parts.use(await testDir()).path;
  await symlink(join(CHECKOUT, 'charts'), join(folder, 'charts'));
  await writeValues(1, 1);
  const options = ['-f', join(folder, 'my-values.yaml'), ...takeOver, ...WAIT];
  await helm('install', RELEASE, CHART, '-n', namespace.name, ...options);
  await startMailing(namespace, { release: RELEASE, image: `${image.repository}:${image.tag}` });
});

afterAll(async () => {
  if (namespace !== undefined) await uninstall(helm, RELEASE, namespace);
  await parts.disposeAsync();
});

/** The small profile on a bare cluster, which has no Ingress, cert-manager or Prometheus. */
async function writeValues(mongodbs: number, natsNodes: number): Promise<void> {
  const profile = parse(await readFile(join(CHART, 'values-small.yaml'), 'utf8')) as Record<
    'gateway' | 'api' | 'operator' | 'nats' | 'mongodb',
    object
  >;
  const values = {
    ...profile,
    image,
    commonLabels: { drill: namespace.name },
    gateway: {
      ...profile.gateway,
      tls: { certManager: { enabled: false } },
      service: { type: 'NodePort' },
    },
    api: { ...profile.api, ingress: { enabled: false } },
    operator: { ...profile.operator, namespaces: [namespace.name] },
    nats: { ...profile.nats, replicaCount: natsNodes },
    mongodb: { ...profile.mongodb, replicaCount: mongodbs },
    webhooks: { trialCertificate: true, allowedNetworks: ['10.0.0.0/8'] },
    monitoring: {},
  };
  await writeFile(join(folder, 'my-values.yaml'), stringify(values));
}

/** Runs a sh block below a heading of the page: the one that has this text. */
async function runBlock(heading: string, part: string): Promise<void> {
  const page = await readPage('docs/upgrade.md');
  const section = { ...page, text: page.text.split(`\n### ${heading}\n`)[1] ?? '' };
  const block = codeBlocks(section).find(({ code }) => code.includes(part));
  expect(block).toMatchObject({ language: 'sh' });
  const script = (block?.code ?? '').replaceAll(/-n inlet\b(?!-)/g, `-n ${namespace.name}`);
  await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder });
}

/** What `rs.status()` says, and how many copies each stream has, from a pod that may connect to both. */
async function inPod(script: string): Promise<unknown> {
  const command = ['node', '--input-type=module', '-e', script];
  return JSON.parse(await namespace.run('exec', `deploy/${RELEASE}-api`, '--', ...command));
}

const HELLO = `
  import { MongoClient } from 'mongodb';
  const client = await new MongoClient(process.env.MONGODB_URI).connect();
  const { hosts } = await client.db().command({ hello: 1 });
  console.log(JSON.stringify(hosts.length));
  await client.close();`;
const COPIES = `
  import { readFileSync } from 'node:fs';
  import { connect } from '@nats-io/transport-node';
  import { jetstreamManager } from '@nats-io/jetstream';
  const { NATS_URL, NATS_USER: user, NATS_PASSWORD: pass, NATS_CA_FILE } = process.env;
  const tls = { ca: readFileSync(NATS_CA_FILE, 'utf8') };
  const connection = await connect({ servers: NATS_URL.split(','), user, pass, tls });
  const copies = [];
  for await (const { config } of (await jetstreamManager(connection)).streams.list())
    copies.push(config.num_replicas);
  console.log(JSON.stringify(copies));
  await connection.close();`;

const report = (what: string, { accepted, ...sent }: SenderState) => {
  if (process.env.TEST_LOG)
    process.stdout.write(`${what} ${JSON.stringify({ ...sent, accepted: accepted.length })}\n`);
};

test('the commands of runbooks find what they name', async () => {
  expect(await failingRunbookCommands(namespace.name, RELEASE, RELEASE)).toEqual([]);
});

test('MongoDB gets two more members while email flows', async () => {
  await writeValues(3, 1);
  const grown = await underLoad(namespace, () =>
    runBlock('From one MongoDB to three', '--wait-for-jobs'),
  );
  report('MongoDB 1 to 3', grown);
  expect(grown.rejected).toEqual([]);
  expect(await inPod(HELLO)).toBe(3);
});

test('NATS gets two more nodes while senders wait', async () => {
  const moved = await underLoad(namespace, async () => {
    const heading = 'From one NATS node to three';
    await runBlock(heading, 'persistentVolumeReclaimPolicy');
    await runBlock(heading, '--only-mail');
    await runBlock(heading, 'delete pvc');
    await writeValues(3, 3);
    await runBlock(heading, 'admin restore');
  });
  report('NATS 1 to 3', moved);
  expect(moved.rejected).toEqual([]);
  expect(new Set((await inPod(COPIES)) as number[])).toEqual(new Set([3]));
});
