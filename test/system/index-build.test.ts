/**
 * Services start while MongoDB builds an index of a large collection: they wait, and the kubelet
 * does not restart them. A fail point of MongoDB holds the build.
 */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';

import { deliveryIndexes } from '../../services/adapters/mongo/documents/delivery-documents.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { startTestMongod, startTestNats, testDir } from '../support/servers.ts';
import { until } from '../support/until.ts';

const SERVICES = ['gateway', 'dispatcher', 'api', 'operator'] as const;
/** Longer than the limit of 20 s for other commands. */
const BUILD_MS = 22_000;
const READY_WITHIN_MS = 60_000;

/** The operator needs a Kubernetes API. Here, it finds none, and is not ready without it. */
const KUBECONFIG = JSON.stringify({
  clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:1' } }],
  contexts: [{ name: 'none', context: { cluster: 'none', user: 'none', namespace: 'inlet' } }],
  users: [{ name: 'none', user: {} }],
  'current-context': 'none',
});

test('while an index is built, a starting service is alive and not ready, and ready after it', async () => {
  await using parts = new AsyncDisposableStack();
  const dir = parts.use(await testDir());
  const nats = parts.use(await startTestNats());
  const mongod = parts.use(await startTestMongod({ enableTestCommands: 1 }));
  const client = new MongoClient(mongod.url);
  parts.defer(() => client.close());
  const db = client.db('inlet');
  for (const name of ['addresses', 'deliveries']) await db.collection(name).insertOne({ old: 1 });
  const holdBuilds = (mode: 'alwaysOn' | 'off') =>
    client.db('admin').command({ configureFailPoint: 'hangAfterStartingIndexBuild', mode });
  await holdBuilds('alwaysOn');

  const kubeconfig = join(dir.path, 'kubeconfig');
  await writeFile(kubeconfig, KUBECONFIG);
  const start = async (name: (typeof SERVICES)[number]) => {
    const port = await freePort();
    const started = startServiceProcess(name, {
      NATS_URL: nats.url,
      MONGODB_URI: mongod.url,
      SECRET_KEYS: randomBytes(32).toString('base64'),
      KUBECONFIG: kubeconfig,
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: String(port),
      INBOUND_DOMAIN: 'in.example.com',
      SMTP_PORT: '0',
      API_PORT: '0',
    });
    parts.defer(async () => (await started)[Symbol.asyncDispose]());
    let isStarted = false;
    void started.then(
      () => (isStarted = true),
      () => undefined,
    );
    const status = (page: string) =>
      fetch(`http://127.0.0.1:${port}/${page}`).then(
        (response) => response.status,
        () => 0,
      );
    return { name, started, isStarted: () => isStarted, status };
  };
  const services = await Promise.all(SERVICES.map(start));
  parts.defer(() => void holdBuilds('off'));
  const stateOf = async ({ name, isStarted, status }: (typeof services)[number]) => [
    name,
    await status('healthz'),
    await status('readyz'),
    isStarted(),
  ];
  const states = () => Promise.all(services.map(stateOf));
  for (const { name, status } of services)
    await until(`${name} to be alive`, async () => (await status('healthz')) === 200, 60_000);
  const waiting = SERVICES.map((name) => [name, 200, 503, false]);
  expect(await states()).toEqual(waiting);
  await sleep(BUILD_MS);
  expect(await states()).toEqual(waiting);

  await holdBuilds('off');
  await Promise.all(services.map(({ started }) => started));
  for (const { name, status } of services.filter((service) => service.name !== 'operator'))
    await until(
      `${name} to be ready`,
      async () => (await status('readyz')) === 200,
      READY_WITHIN_MS,
    );
  expect(await states()).toEqual(
    SERVICES.map((name) => [name, 200, name === 'operator' ? 503 : 200, true]),
  );
  const built = (await db.collection('deliveries').indexes()).map(({ name }) => name);
  expect(built).toEqual(expect.arrayContaining(deliveryIndexes.indexes.map(({ name }) => name)));
});
