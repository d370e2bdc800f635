/**
 * The whole operator in this process: it hears of changes in the cluster, reconciles what they
 * affect, and goes on after failures of the API server and after another operator.
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import { readConfig } from '../../services/adapters/process/config.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { OperatorConfig } from '../../services/operator/process/config.ts';
import { OPERATOR_CONSTANTS } from '../../services/operator/process/constants.ts';
import { startOperator } from '../../services/operator/operator.ts';
import { LEASE_RULES, RULES } from '../../services/operator/cluster/permissions.ts';
import { startTestDns } from '../support/dns-server.ts';
import { startKubeApi } from '../support/kube-api/server.ts';
import {
  account,
  address,
  bucket,
  bucketKeys,
  manifest,
  notification,
  receiver,
  senderList,
  token,
} from '../support/manifests.ts';
import { startTestNats } from '../support/servers.ts';
import { startTestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';

const HOOK = 'https://hooks.example.com/inbound';
const log = createLog('silent');

const natsServer = await useInFile(startTestNats());
const mongo = await useInFile(startTestDatabase());
const kube = await useInFile(startKubeApi());
const dns = await useInFile(startTestDns());
const env = {
  SECRET_KEYS: randomBytes(32).toString('base64'),
  MONGODB_URI: mongo.uri,
  NATS_URL: natsServer.url,
  INBOUND_DOMAIN: 'in.example',
  DNS_SERVERS: dns.address,
  METRICS_HOST: '127.0.0.1',
  METRICS_PORT: '0',
  KUBECONFIG: await kube.kubeconfig(),
};

const HOUR_MS = 3_600_000;

/** An operator of one namespace. */
async function start(space: TestNamespace, more: Record<string, string> = {}) {
  const config = { ...env, WATCH_NAMESPACES: space.name, LEASE_NAME: space.name, ...more };
  const service = await startOperator(readConfig(OperatorConfig, config), log, {
    ...OPERATOR_CONSTANTS,
    resyncMs: HOUR_MS,
    watchMs: HOUR_MS,
    leaseMs: 3_000,
  });
  const url = `http://127.0.0.1:${String(service.announce.metrics_port)}`;
  const pageOf = async (path: string) => (await fetch(`${url}${path}`)).text();
  return {
    status: async (path: string) => (await fetch(`${url}${path}`)).status,
    metric: async (series: string) =>
      (await pageOf('/metrics')).split('\n').find((line) => line.startsWith(series)),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
const namespace = () => createNamespace({ kube, mongo });
const shop = (space: TestNamespace, spec: object = {}) =>
  account('shop', { email: `shop@${space.name}.example`, ...spec });
const untilReady = (space: TestNamespace, kind: string, name: string, state = 'True Ready') =>
  until(`${kind} ${name} to be ${state}`, () => space.condition(kind, name) === state);

test('resources in any order are settled, with all the permissions of the operator and no others', async () => {
  const space = namespace();
  dns.set('_inlet-challenge.shop.example', { TXT: ['inlet-verification=other'] });
  space.apply(token('ci'));
  space.apply(receiver('more', HOOK));
  space.apply(address('orders', HOOK));
  const before = kube.calls.length;
  await using operator = await start(space);
  await untilReady(space, 'ApiToken', 'ci', 'False AccountNotReady');
  for (const resource of [
    shop(space),
    notification('pager', HOOK),
    notification('second', HOOK),
    senderList('partners', ['a.example']),
    bucketKeys(),
    bucket('files'),
    manifest('InboundDomain', 'own', { accountRef: { name: 'shop' }, domain: 'shop.example' }),
  ])
    space.apply(resource);
  await untilReady(space, 'Account', 'shop');
  for (const [kind, name] of [
    ['ApiToken', 'ci'],
    ['InboundAddress', 'orders'],
    ['InboundReceiver', 'more'],
    ['AccountNotification', 'pager'],
    ['AccountNotification', 'second'],
    ['SenderList', 'partners'],
    ['AccountBucket', 'files'],
  ] as const)
    await untilReady(space, kind, name);
  await untilReady(space, 'InboundDomain', 'own', 'False Unverified');
  expect(space.condition('InboundDomain', 'own', 'Verified')).toBe('False TxtDiffers');
  const places = (await space.records('notifications')).map(({ place }) => place as number);
  expect(places.toSorted((one, other) => one - other)).toEqual([0, 1]);
  space.delete('Secret', 'orders-webhook');
  await until('the Secret', () => space.secret('orders-webhook'));
  space.patch('Secret', 'orders-webhook', { data: {} });
  space.patch('Secret', 'orders-webhook', { data: { address: null } });
  await until('its content', () => space.secret('orders-webhook')?.address);
  await until('a renewal', () => kube.calls.includes('update leases', before));

  const granted = [...RULES, ...LEASE_RULES].flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );
  space.apply({ kind: 'Secret', metadata: { name: 'taken' }, data: {} });
  space.apply(address('taker', HOOK, { secretName: 'taken' }));
  await untilReady(space, 'InboundAddress', 'taker', 'False SecretTaken');
  expect([...new Set(kube.calls.slice(before))].toSorted()).toEqual(granted.toSorted());
  expect([await operator.status('/readyz'), await operator.status('/healthz')]).toEqual([200, 200]);
  expect(await operator.metric('inlet_operator_is_leader')).toMatch(/ 1$/);
});

test('deleted resources go in the order of what depends on them', async () => {
  const space = namespace();
  await using _operator = await start(space);
  space.apply(shop(space));
  space.apply(address('orders', HOOK));
  space.apply(token('ci'));
  await untilReady(space, 'InboundAddress', 'orders');
  await untilReady(space, 'ApiToken', 'ci');
  space.delete('Account', 'shop');
  await untilReady(space, 'Account', 'shop', 'False InUse');
  space.delete('InboundAddress', 'orders');
  space.delete('ApiToken', 'ci');
  await until('the Account to go', () => space.get('Account', 'shop') === undefined);
  expect([space.secrets(), await space.records('accounts'), await space.records('tokens')]).toEqual(
    [[], [], []],
  );
});

test('changes while watches end, break and expire are not missed', async () => {
  const space = namespace();
  await using _operator = await start(space);
  space.apply(shop(space));
  await untilReady(space, 'Account', 'shop');
  for (const [i, disturb] of [
    () => kube.watches.end('ends'),
    () => kube.watches.end('breaks'),
    () => {
      kube.watches.end('breaks');
      kube.objects.compact();
    },
  ].entries()) {
    disturb();
    space.apply(address(`orders-${i}`, HOOK));
    if (i === 2) kube.objects.compact();
    await untilReady(space, 'InboundAddress', `orders-${i}`);
  }
  expect(await space.records('addresses')).toHaveLength(3);
});

test('an API server that limits, refuses and drops calls delays the work, and no more', async () => {
  const space = namespace();
  await using operator = await start(space);
  kube.faults.order({ status: 429, retryAfterSeconds: 1 }, { on: /^patch/, times: 2 });
  kube.faults.order({ drops: 'response' }, { on: 'create secrets' });
  kube.faults.order({ status: 500 }, { on: 'create events' });
  space.apply(shop(space));
  space.apply(token('ci'));
  await untilReady(space, 'ApiToken', 'ci');
  expect((await space.records('tokens')).length).toBe(1);
  const errors = async (kind: string) =>
    operator.metric(`inlet_operator_reconciles_total{kind="${kind}",result="error"`);
  expect([await errors('Account'), await errors('ApiToken')].join()).not.toMatch(/ 0.* 0$/);
});

test('the next operator continues where the last one stopped, from what the cluster says', async () => {
  const space = namespace();
  const first = await start(space);
  space.apply(shop(space));
  space.apply(address('orders', HOOK));
  await untilReady(space, 'InboundAddress', 'orders');
  await using second = await start(space);
  await until('the second to be ready', async () => (await second.status('/readyz')) === 200);
  expect(await second.metric('inlet_operator_is_leader')).toMatch(/ 0$/);
  await first[Symbol.asyncDispose]();
  space.apply(address('orders', `${HOOK}/new`));
  space.delete('Secret', 'orders-webhook');
  await until('the Secret', () => space.secret('orders-webhook')?.webhook_url === `${HOOK}/new`);
  expect(await space.records('addresses')).toMatchObject([{ webhook_url: `${HOOK}/new` }]);
});
