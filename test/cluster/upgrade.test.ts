/**
 * An upgrade from the chart and the image of an earlier commit to those of this checkout, under
 * load, and back again: docs/upgrade.md. Each step needs the ones before it.
 */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
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
import { address } from '../support/manifests.ts';
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
  WAIT,
} from './release.ts';
import {
  type AccountReader,
  createAccountReader,
  keptFields,
  type Recorded,
  sendMails,
} from './upgrade/deliveries.ts';
import { newState, stateInCluster } from './upgrade/stored-state.ts';

/** The first that stores custom resources in v1. UPGRADE_FROM names another commit. */
const EARLIER = process.env.UPGRADE_FROM ?? '9fa2da7130c5d1487d932182b10e4c7add7917b6';
const EARLIER_TAG = 'cluster-test-earlier';
const RELEASE = 'mail';
const NAME = 'mail-inlet';
const CHECKOUT = join(import.meta.dirname, '..', '..');
/** A name without a Service: deliveries to it wait for their retries. */
const UNREACHABLE = 'nowhere';
const WAITING = 5;
const IN_DOMAIN = /@in\.example\.com$/;
/** MongoDB and NATS restart, too. Some emails that are delivered meanwhile get their record a minute later. */
const RECORDED_WITHIN_MS = 180_000;
/** Each email that waits is tried again each minute, with a jitter of 10 %, for longer than the test. */
const RETRY_SCHEDULE = ['1s', ...Array.from({ length: 40 }, () => '1m')];
const RETRIED_WITHIN_MS = 150_000;
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
/** Emails that the current version accepted, and that wait for a retry. */
let waiting: string[];
const figures: string[] = [];

/** No email is lost, refused or interrupted. A few have to be repeated, and are then accepted. */
function expectServed(what: string, sent: SenderState): void {
  const { accepted, deferred, longestWaitMs } = sent;
  figures.push(
    `${what}: ${accepted.length} emails accepted, ${deferred} of them deferred, the longest for ${longestWaitMs} ms`,
  );
  expect(sent).toMatchObject({ refusedConnections: 0, brokenConnections: 0, rejected: [] });
  expect(deferred / accepted.length).toBeLessThan(MAX_DEFERRED_SHARE);
  expect(longestWaitMs).toBeLessThan(LONGEST_WAIT_MS);
}

const values = (chart: string, tag: string): string[] => {
  const settings = {
    inboundDomain: 'in.example.com',
    'image.repository': images.repository,
    'image.tag': tag,
    'gateway.replicaCount': '2',
    'dispatcher.replicaCount': '2',
    'api.replicaCount': '2',
    'operator.namespaces': `{${namespace.name}}`,
    'webhooks.allowedNetworks': '{10.0.0.0/8}',
    'config.RETRY_SCHEDULE': RETRY_SCHEDULE.join('\\,'),
    'gateway.preStopSeconds': '5',
    'api.preStopSeconds': '5',
    'gateway.terminationGracePeriodSeconds': '50',
  };
  return ['-f', join(chart, 'values-evaluation.yaml'), ...setOptions(settings)];
};

const install = (command: 'install' | 'upgrade', chart: string, tag: string) =>
  helm(command, RELEASE, chart, '-n', namespace.name, ...values(chart, tag), ...takeOver, ...WAIT);

const shortNames = () =>
  kubectl(['get', 'crd', 'accounts.inlet.email', '-o', 'jsonpath={.spec.names.shortNames[*]}']);

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

const waitingIds = async () => [...(await waitingAttempts()).keys()];

/** Resolves when each of these emails has had another attempt. They still wait for the next one. */
async function untilTriedAgain(ids: readonly string[]): Promise<void> {
  const before = await waitingAttempts();
  await until(
    'the next attempt of each waiting email',
    async () => {
      await sleep(3000); // within the rate limit
      const attempts = await waitingAttempts();
      return ids.every((id) => (attempts.get(id) ?? 0) > (before.get(id) ?? 0));
    },
    RETRIED_WITHIN_MS,
  );
}

/** Resources that exist stay ready. @returns the address of one that is created now */
async function untilResourcesReady(existing: readonly string[], added: string): Promise<unknown> {
  await namespace.apply(address(added, `https://receiver.${namespace.name}.svc:8443/${added}`));
  const addresses = existing.map((name) => `inboundaddress/${name}`);
  for (const what of ['account/shop', 'apitoken/first', ...addresses])
    await namespace.untilReady(what);
  return (await namespace.untilReady(`inboundaddress/${added}`)).status?.address;
}

/** Deliveries that the current version recorded: the newest delivered ones, and some that wait. */
async function idsOfCurrentVersion(): Promise<{ delivered: string[]; retrying: string[] }> {
  const earlier = recorded.map(({ delivery }) => delivery.event_id);
  await sendToUnreachable();
  const retrying = await until('new emails to wait for a retry', async () => {
    await sleep(1000);
    const { found } = await reader.list(`status=retrying&limit=${WAITING}`);
    return found.some(({ event_id }) => earlier.includes(event_id)) ? undefined : idsOf(found);
  });
  const { found } = await reader.list(`status=delivered&limit=${WAITING}`);
  return { delivered: idsOf(found), retrying };
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
    });
    // by default, the earlier version refuses email of an account after 1,000 of a month
    await namespace.patch('account/shop', { spec: { plan: 'pro' } });
    await namespace.untilReady('account/shop');
    await namespace.apply(address('waiting', `https://${UNREACHABLE}.${namespace.name}.svc:8443/`));
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
    const sent = await underLoad(namespace, () => install('upgrade', CHART, images.tag));
    expectServed('upgrade', sent);
    expect(await shortNames()).toBe('iacc');
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
    await untilTriedAgain(ids.slice(-WAITING));
  });

  test('custom resources stay ready, and new ones become ready', async () => {
    expect(await untilResourcesReady(['orders', 'waiting'], 'fresh')).toMatch(IN_DOMAIN);
  });

  test('a rollback under load loses no mail, refuses no connection and reads all records', async () => {
    const { delivered, retrying } = await idsOfCurrentVersion();
    waiting = retrying;
    const ids = [...delivered, ...retrying];
    const written = await reader.read(ids);
    const { total: before } = await reader.list('limit=1');
    const sent = await underLoad(namespace, () =>
      helm('rollback', RELEASE, '1', '-n', namespace.name, ...WAIT),
    );
    expectServed('rollback', sent);
    const emails = before + sent.accepted.length;
    await until(
      'the earlier version to list what both recorded',
      async () => {
        await sleep(1000);
        return (await reader.list('limit=1')).total === emails;
      },
      RECORDED_WITHIN_MS,
    );
    await untilCounted(emails);
    expect(keptIn(written, await reader.read(ids))).toEqual(keptIn(written, written));
    expect(await ask<ReceiverState>(namespace, 'receiver', 'state')).toMatchObject({
      badSignatures: 0,
    });
  });

  test('after the rollback, custom resources stay ready, and new ones become ready', async () => {
    const existing = ['orders', 'waiting', 'fresh'];
    expect(await untilResourcesReady(existing, 'returned')).toMatch(IN_DOMAIN);
  });

  test('after the rollback, retries of the current version continue', async () => {
    expect(await waitingIds()).toEqual(expect.arrayContaining(waiting));
    await untilTriedAgain(waiting);
  });
});
