/**
 * An upgrade from the chart and the image of an earlier commit to those of this checkout, under
 * load: docs/upgrade.md. Each step needs the ones before it.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { CHART } from '../support/charts.ts';
import type { Helm } from '../support/helm.ts';
import { testDir } from '../support/servers.ts';
import { noteSkip } from '../support/skip-notes.ts';
import { until } from '../support/until.ts';
import { buildImage, type Images } from './images.ts';
import { address, inFormerVersion } from '../support/manifests.ts';
import { codeBlocks } from '../support/runbook.ts';
import { createNamespace, kubectl, type Namespace } from './kubectl.ts';
import {
  ask,
  clusterHelm,
  replaceIn,
  type ReceiverState,
  type SenderState,
  setOptions,
  startMailing,
  underLoad,
} from './release.ts';
import {
  type AccountReader,
  createAccountReader,
  keptFields,
  type Recorded,
  sendMails,
} from './upgrade/deliveries.ts';
import { newState, stateInCluster } from './upgrade/stored-state.ts';

/** Before the records, streams and folders of version 0.1 changed. UPGRADE_FROM names another commit. */
const EARLIER = process.env.UPGRADE_FROM ?? '7745cc1d9072925d8b7dcfca20f7015ef07182d2';
const EARLIER_TAG = 'cluster-test-earlier';
const RELEASE = 'mail';
const NAME = 'mail-inlet';
const CHECKOUT = join(import.meta.dirname, '..', '..');
/** A name without a Service: deliveries to it wait for their retries. */
const UNREACHABLE = 'nowhere';
const WAITING = 5;
const IN_DOMAIN = /@in\.example\.com$/;
/**
 * The profile has one NATS node, and the upgrade replaces it. Until it is back, gateways reply 451
 * and senders repeat their mail (docs/upgrade.md). Each of the six senders has one email to repeat,
 * but gateways reconnect one after another, so that some more get a 451.
 */
const LONGEST_WAIT_MS = 60_000;
const MAX_DEFERRED_SHARE = 0.1;

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
let reader: AccountReader;
/** Deliveries as the earlier version reported them. The last ones wait for a retry. */
let recorded: Recorded[];
const figures: string[] = [];

/** The earlier chart has other names for some values (docs/CHANGELOG.md). */
const REPLICAS = { earlier: 'replicas', current: 'replicaCount' };
const GRACE = {
  earlier: { 'gateway.stopGraceSeconds': '30' },
  current: { 'gateway.terminationGracePeriodSeconds': '50' },
};

/** No email is lost, refused or interrupted. A few have to be repeated, and are then accepted. */
function expectServed(sent: SenderState): void {
  const { accepted, deferred, longestWaitMs } = sent;
  figures.push(
    `upgrade: ${accepted.length} emails accepted, ${deferred} of them deferred, the longest for ${longestWaitMs} ms`,
  );
  expect(sent).toMatchObject({ refusedConnections: 0, brokenConnections: 0, rejected: [] });
  expect(deferred / accepted.length).toBeLessThan(MAX_DEFERRED_SHARE);
  expect(longestWaitMs).toBeLessThan(LONGEST_WAIT_MS);
}

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
  return ['-f', join(chart, 'values-evaluation.yaml'), ...setOptions(settings)];
};

/** kubectl remembers the versions of the resources of an earlier installation, and asks for them. */
const forgetVersions = () => kubectl(['api-resources', '--api-group=inlet.email']);

async function install(command: 'install' | 'upgrade', chart: string, tag: string): Promise<void> {
  await helm(
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
  await forgetVersions();
}

const ofAccounts = (path: string) =>
  kubectl(`get crd accounts.inlet.email --ignore-not-found -o jsonpath={.${path}[*]}`.split(' '));
const shortNames = () => ofAccounts('spec.names.shortNames');
const storedVersions = () => ofAccounts('status.storedVersions');

/** What docs/upgrade.md asks for before a rollback to definitions without v1. */
async function storeInFormerVersion(): Promise<void> {
  const page = await readFile(join(CHECKOUT, 'docs', 'upgrade.md'), 'utf8');
  const [script = expect.fail('no script'), ...others] = codeBlocks(page, 'sh').filter((block) =>
    block.includes('/spec/versions/0/storage'),
  );
  expect(others).toEqual([]);
  // fails where a resource ends meanwhile, and may be repeated
  await until('all resources to be stored in v1alpha1', () =>
    run('bash', ['-euo', 'pipefail', '-c', script]).then(
      () => true,
      () => false,
    ),
  );
  expect(await storedVersions()).toBe('v1alpha1');
}

const untilCounted = (emails: number) =>
  until('usage to count every email', async () => {
    await sleep(1000);
    return (await reader.countedEmails()) === emails;
  });

/** Sends emails to the address whose receiver cannot be reached. */
const sendToUnreachable = async (): Promise<void> => {
  const found = await namespace.untilReady('inboundaddress/waiting');
  await sendMails(namespace, `${NAME}-gateway`, String(found.status?.address), WAITING);
};

const idsOf = (found: readonly { event_id: string }[]) => found.map(({ event_id }) => event_id);

/** What both versions show of deliveries and must not change: keptFields(). */
const keptIn = (before: readonly Recorded[], now: readonly Recorded[]) =>
  before.map((one, i) => keptFields(one, now[i], recorded[0] ?? one));

/** How many attempts each email that waits for a retry has had, by event id. */
async function waitingAttempts(): Promise<Map<string, number>> {
  const { found } = await reader.list('status=retrying&limit=100');
  return new Map(found.map(({ event_id, attempt_count }) => [event_id, attempt_count]));
}

beforeAll(async () => {
  if (!hasEarlier) return;
  ({ helm, takeOver } = await clusterHelm());
  images = inject('images');
  const dir = parts.use(await testDir());
  const earlier = join(dir.path, 'earlier');
  await mkdir(earlier);
  await run('sh', ['-c', 'git -C "$0" archive "$1" | tar -x -C "$2"', CHECKOUT, EARLIER, earlier]);
  await buildImage(`${images.repository}:${EARLIER_TAG}`, earlier);
  earlierChart = join(earlier, 'charts', 'inlet');
  const definition = join(earlierChart, 'files', 'crds', 'accounts.inlet.email.yaml');
  await replaceIn(definition, '- iacc', '- iformer');
  // definitions of this checkout, which another test left
  if ((await storedVersions()).split(' ').includes('v1')) await storeInFormerVersion();
  namespace = parts.use(await createNamespace());
  reader = createAccountReader(namespace, NAME);
});

afterAll(async () => {
  process.stdout.write(figures.map((line) => `  ${line}\n`).join(''));
  if (namespace !== undefined)
    await helm(
      ...`uninstall ${RELEASE} -n ${namespace.name} --ignore-not-found --wait`.split(' '),
    ).catch(() => undefined);
  await parts.disposeAsync();
});

describe.skipIf(!hasEarlier)(`from ${EARLIER.slice(0, 7)}`, () => {
  test('the earlier version delivers mail, and some of it waits for a retry', async () => {
    await install('install', earlierChart, EARLIER_TAG);
    await startMailing(namespace, {
      release: NAME,
      image: `${images.repository}:${EARLIER_TAG}`,
      written: inFormerVersion,
    });
    const unreachable = `https://${UNREACHABLE}.${namespace.name}.svc:8443/`;
    await namespace.apply(inFormerVersion(address('waiting', unreachable)));
    await sendToUnreachable();
    const sent = await underLoad(namespace, async () => undefined);
    await until('all deliveries to have a record', async () => {
      await sleep(1000);
      const { total } = await reader.list('status=delivered&limit=1');
      const { total: retrying } = await reader.list('status=retrying&limit=1');
      return total === sent.accepted.length && retrying === WAITING;
    });
    const { found: delivered } = await reader.list('status=delivered&limit=5');
    const { found: retrying } = await reader.list('status=retrying&limit=5');
    recorded = await reader.read(idsOf([...delivered, ...retrying]));
    expect(recorded).toHaveLength(5 + WAITING);
  });

  test('an upgrade under load loses no mail, refuses no connection and upgrades CRDs', async () => {
    expect(await shortNames()).toBe('iformer');
    const before = await reader.countedEmails();
    const sent = await underLoad(namespace, () => install('upgrade', CHART, images.tags[1]));
    expectServed(sent);
    expect(await shortNames()).toBe('iacc');
    expect(await storedVersions()).toBe('v1alpha1 v1');
    await untilCounted(before + sent.accepted.length);
    expect(await ask<ReceiverState>(namespace, 'receiver', 'state')).toMatchObject({
      badSignatures: 0,
    });
  });

  test('indexes, streams, buckets and consumers are those of a new installation', async () => {
    const { state, settings } = await stateInCluster(namespace, NAME);
    const { indexes, ...queues } = state;
    const { indexes: newIndexes, ...newQueues } = await newState(settings);
    expect(queues).toEqual(newQueues);
    const collections = Object.keys(newIndexes); // the earlier version had more of them
    const ofCollections = collections.map((name) => [name, indexes[name]]);
    expect(Object.fromEntries(ofCollections)).toEqual(newIndexes);
  });

  test('records, payloads and waiting retries of the earlier version are taken over', async () => {
    const ids = recorded.map(({ delivery }) => delivery.event_id);
    expect(keptIn(recorded, await reader.read(ids))).toEqual(keptIn(recorded, recorded));
    await until(
      'the third attempt of each waiting email, one minute after the second',
      async () => {
        await sleep(3000); // within the rate limit
        const attempts = await waitingAttempts();
        return ids.slice(-WAITING).every((id) => (attempts.get(id) ?? 0) >= 3);
      },
      150_000,
    );
  });

  test('custom resources stay ready, and new ones become ready', async () => {
    await namespace.apply(address('fresh', `https://receiver.${namespace.name}.svc:8443/fresh`));
    const existing = [
      'account/shop',
      'apitoken/first',
      'inboundaddress/orders',
      'inboundaddress/waiting',
    ];
    for (const what of existing) await namespace.untilReady(what);
    const { status } = await namespace.untilReady('inboundaddress/fresh');
    expect(status?.address).toMatch(IN_DOMAIN);
  });
});
