/**
 * An upgrade from the chart and the image of an earlier commit to those of this checkout, under
 * load, and back again: docs/upgrade.md. Each step needs the ones before it.
 */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { CHART, type Helm } from '../support/helm.ts';
import { testDir } from '../support/servers.ts';
import { noteSkip } from '../support/skip-notes.ts';
import { until } from '../support/until.ts';
import { buildImage, type Images, makeImages } from './images.ts';
import { address, createNamespace, type Namespace } from './kubectl.ts';
import {
  ask,
  clusterHelm,
  type ReceiverState,
  type SenderState,
  startMailing,
  underLoad,
} from './release.ts';
import { indexesInDatabase, indexesWanted, streamConfig } from './upgrade/stored-state.ts';

/** Before the records, streams and folders of version 0.1 changed. UPGRADE_FROM names another commit. */
const EARLIER = process.env.UPGRADE_FROM ?? '7745cc1d9072925d8b7dcfca20f7015ef07182d2';
const EARLIER_TAG = 'cluster-test-earlier';
const RELEASE = 'mail';
const NAME = 'mail-inlet';
const CHECKOUT = join(import.meta.dirname, '..', '..');
/** A name without a Service: deliveries to it wait for their retries. */
const UNREACHABLE = 'nowhere';
const WAITING = 5;

const run = promisify(execFile);
const hasEarlier = await run('git', ['-C', CHECKOUT, 'cat-file', '-e', `${EARLIER}^{commit}`]).then(
  () => true,
  () => false,
);
if (!hasEarlier)
  noteSkip(
    `commit ${EARLIER.slice(0, 12)} is missing: fetch the whole history, or set UPGRADE_FROM`,
  );

const parts = new AsyncDisposableStack();
let helm: Helm;
let images: Images;
let namespace: Namespace;
let earlierChart: string;
let takeOver: string[];
/** Deliveries as the earlier version reported them, with the hash of their payload. */
let recorded: Recorded[];
const figures: string[] = [];

type Delivery = { event_id: string; status: string; attempts: { at: string }[] };
type Recorded = { delivery: Delivery; payload: string };

/** The earlier chart has other names for some values (docs/CHANGELOG.md). */
const REPLICAS = { earlier: 'replicas', current: 'replicaCount' };
const GRACE = {
  earlier: { 'gateway.stopGraceSeconds': '30' },
  current: { 'gateway.terminationGracePeriodSeconds': '50' },
};

const note = (what: string, { accepted, deferred, brokenConnections }: SenderState) =>
  void figures.push(
    `${what}: ${accepted.length} emails accepted, ${deferred} deferred, ${brokenConnections} connections broken`,
  );

const values = (chart: string, tag: string): string[] => {
  const version = chart === earlierChart ? 'earlier' : 'current';
  const replicas = REPLICAS[version];
  const settings = {
    inboundDomain: 'in.example.com',
    'image.repository': images.repository,
    'image.tag': tag,
    [`gateway.${replicas}`]: '2',
    [`dispatcher.${replicas}`]: '2',
    [`api.${replicas}`]: '2',
    'operator.namespaces': `{${namespace.name}}`,
    'webhooks.allowedNetworks': '{10.0.0.0/8}',
    'gateway.preStopSeconds': '5',
    'api.preStopSeconds': '5',
    ...GRACE[version],
  };
  return [
    '-f',
    join(chart, 'values-evaluation.yaml'),
    ...Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  ];
};

const install = (command: 'install' | 'upgrade', chart: string, tag: string) =>
  helm(
    command,
    RELEASE,
    chart,
    '-n',
    namespace.name,
    ...values(chart, tag),
    ...takeOver,
    '--wait',
    '--timeout',
    '300s',
  );

/** Runs JavaScript in the sender's pod. It prints JSON. */
const inSender = async <T>(script: string): Promise<T> =>
  JSON.parse(await namespace.run('exec', 'pod/sender', '--', 'node', '-e', script)) as T;

/** `api(path)` requests a path of the API. It waits where the rate limit asks for it. */
const API = `async function api(path) {
  const headers = { authorization: 'Bearer ' + process.env.TOKEN };
  for (;;) {
    const response = await fetch('http://${NAME}-api/v1' + path, { headers });
    if (response.ok) return response;
    if (response.status !== 429) throw new Error(path + ': ' + response.status + ' ' + (await response.text()));
    await new Promise((resume) => setTimeout(resume, 1000 * Number(response.headers.get('retry-after'))));
  }
}`;

/** Some deliveries of each status with their attempts, and the SHA-256 of each payload. */
const readDeliveries = (ids: readonly string[]): Promise<Recorded[]> =>
  inSender(`${API}
    const sha = (bytes) => require('node:crypto').createHash('sha256').update(bytes).digest('hex');
    Promise.all(${JSON.stringify(ids)}.map(async (id) => ({
      delivery: await (await api('/deliveries/' + id)).json(),
      payload: sha(Buffer.from(await (await api('/deliveries/' + id + '/payload')).arrayBuffer())),
    }))).then((read) => console.log(JSON.stringify(read)));`);

/** The ids of up to `limit` deliveries, newest first, and how many there are in all. */
const listDeliveries = (query: string): Promise<{ ids: string[]; total: number }> =>
  inSender(`${API} api('/deliveries?${query}').then((r) => r.json()).then(({ data, pagination }) =>
    console.log(JSON.stringify({ ids: data.map((item) => item.event_id), total: pagination.total })));`);

const countedEmails = async (): Promise<number> =>
  (
    await inSender<{ emails: { total: number } }>(
      `${API} api('/usage').then((r) => r.text()).then(console.log)`,
    )
  ).emails.total;

/** Sends emails to the address whose receiver cannot be reached. */
const sendToUnreachable = async (): Promise<void> => {
  const found = await namespace.untilReady('inboundaddress/waiting');
  await inSender(`
    const transport = require('/app/node_modules/nodemailer').createTransport(
      { host: '${NAME}-gateway', port: 25, tls: { rejectUnauthorized: false } });
    Promise.all(Array.from({ length: ${WAITING} }, (_, i) => transport.sendMail({
      from: 'load@example.com', to: '${String(found.status?.address)}', subject: 'waits ' + i, text: 'waits' })))
      .then((sent) => console.log(sent.length));`);
};

/** Deliveries that the current version recorded: the newest delivered ones, and some that wait. */
async function idsOfCurrentVersion(): Promise<string[]> {
  const earlier = recorded.map(({ delivery }) => delivery.event_id);
  await sendToUnreachable();
  const { ids: retrying } = await until('new emails to wait for a retry', async () => {
    await sleep(1000);
    const list = await listDeliveries(`status=retrying&limit=${WAITING}`);
    return list.ids.some((id) => earlier.includes(id)) ? undefined : list;
  });
  const { ids: delivered } = await listDeliveries(`status=delivered&limit=${WAITING}`);
  return [...delivered, ...retrying];
}

beforeAll(async () => {
  if (!hasEarlier) return;
  ({ helm, takeOver } = await clusterHelm());
  images = await makeImages();
  const dir = parts.use(await testDir());
  const earlier = join(dir.path, 'earlier');
  await mkdir(earlier);
  await run('sh', ['-c', 'git -C "$0" archive "$1" | tar -x -C "$2"', CHECKOUT, EARLIER, earlier]);
  await buildImage(`${images.repository}:${EARLIER_TAG}`, earlier);
  earlierChart = join(earlier, 'charts', 'inlet');
  namespace = parts.use(await createNamespace());
}, 900_000);

afterAll(async () => {
  process.stdout.write(figures.map((line) => `  ${line}\n`).join(''));
  if (namespace !== undefined)
    await helm(
      ...`uninstall ${RELEASE} -n ${namespace.name} --ignore-not-found --wait`.split(' '),
    ).catch(() => undefined);
  await parts.disposeAsync();
}, 300_000);

describe.skipIf(!hasEarlier)(`from ${EARLIER.slice(0, 7)}`, () => {
  test('the earlier version delivers mail, and some of it waits for a retry', async () => {
    await install('install', earlierChart, EARLIER_TAG);
    await startMailing(namespace, {
      release: NAME,
      image: `${images.repository}:${EARLIER_TAG}`,
    });
    await namespace.apply(address('waiting', `https://${UNREACHABLE}.${namespace.name}.svc:8443/`));
    await sendToUnreachable();
    const sent = await underLoad(namespace, async () => undefined);
    await until('all deliveries to have a record', async () => {
      await sleep(1000);
      const { total } = await listDeliveries('status=delivered&limit=1');
      const { total: waiting } = await listDeliveries('status=retrying&limit=1');
      return total === sent.accepted.length && waiting === WAITING;
    });
    const { ids: delivered } = await listDeliveries('status=delivered&limit=5');
    const { ids: retrying } = await listDeliveries('status=retrying&limit=5');
    recorded = await readDeliveries([...delivered, ...retrying]);
    expect(recorded).toHaveLength(5 + WAITING);
  }, 600_000);

  test('an upgrade under load loses no mail and refuses no connection', async () => {
    const before = await countedEmails();
    const sent = await underLoad(namespace, () => install('upgrade', CHART, images.tags[1]));
    note('upgrade', sent);
    expect(sent).toMatchObject({ refusedConnections: 0, rejected: [] });
    await until(
      'usage to count every email',
      async () => (await countedEmails()) === before + sent.accepted.length,
    );
    expect(await ask<ReceiverState>(namespace, 'receiver', 'state')).toMatchObject({
      badSignatures: 0,
    });
  }, 600_000);

  test('indexes and streams are those of the current version', async () => {
    const api = { namespace, deployment: `${NAME}-api` };
    expect(await indexesInDatabase(api)).toMatchObject(indexesWanted());
    expect(await streamConfig(api, 'MAIL-0')).toMatchObject({
      subjects: ['mail.0.>'],
      retention: 'limits',
      discard: 'new',
      duplicate_window: 600e9, // DUPLICATE_WINDOW, in nanoseconds
      num_replicas: 1,
    });
    expect(await streamConfig(api, 'RETRY-0')).toMatchObject({
      subjects: ['retry.0.>'],
      retention: 'workqueue',
      max_msgs_per_subject: 1,
      num_replicas: 1,
    });
  });

  test('records, payloads and waiting retries of the earlier version are taken over', async () => {
    const ids = recorded.map(({ delivery }) => delivery.event_id);
    const read = await readDeliveries(ids);
    for (const [i, { delivery, payload }] of read.entries()) {
      const earlier = recorded[i]?.delivery;
      if (earlier?.status !== 'delivered') continue;
      expect(delivery).toMatchObject(earlier);
      expect(payload).toBe(recorded[i]?.payload);
    }
    await until(
      'the third attempt of each waiting email, one minute after the second',
      async () => {
        await sleep(2000); // within the rate limit
        const waiting = await readDeliveries(ids.slice(5));
        return waiting.every(({ delivery: { attempts } }) => attempts.length >= 3);
      },
      150_000,
    );
  }, 200_000);

  test('custom resources stay ready, and new ones become ready', async () => {
    await namespace.apply(address('fresh', `https://receiver.${namespace.name}.svc:8443/fresh`));
    for (const what of ['account/shop', 'apitoken/first', 'inboundaddress/orders'])
      await namespace.untilReady(what);
    expect((await namespace.untilReady('inboundaddress/fresh')).status?.address).toMatch(
      /@in\.example\.com$/,
    );
  }, 120_000);

  test('a rollback under load loses no mail, refuses no connection and reads all records', async () => {
    const ids = await idsOfCurrentVersion();
    const written = await readDeliveries(ids);
    const { total: before } = await listDeliveries('limit=1');
    const sent = await underLoad(namespace, () =>
      helm('rollback', RELEASE, '1', '-n', namespace.name, '--wait', '--timeout', '300s'),
    );
    note('rollback', sent);
    expect(sent).toMatchObject({ refusedConnections: 0, rejected: [] });
    await until('the earlier version to list what both recorded', async () => {
      await sleep(1000);
      return (await listDeliveries('limit=1')).total === before + sent.accepted.length;
    });
    const read = await readDeliveries(ids);
    expect(read.map(({ delivery: { status }, payload }) => ({ status, payload }))).toEqual(
      written.map(({ delivery: { status }, payload }) => ({ status, payload })),
    );
    expect(await ask<ReceiverState>(namespace, 'receiver', 'state')).toMatchObject({
      badSignatures: 0,
    });
  }, 600_000);
});
