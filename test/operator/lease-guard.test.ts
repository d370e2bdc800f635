/**
 * A leader that lost its lease writes nothing. Each case reconciles a resource again and again, and
 * loses the lease after
 * the first call to a store, then after the second, and so on: whichever call comes next must not
 * run.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { NewObject } from '../../services/adapters/kube/client.ts';
import { createAccounts } from '../../services/adapters/mongo/accounts/accounts.ts';
import { createAddresses } from '../../services/adapters/mongo/addresses/addresses.ts';
import { connectMongo, type Mongo } from '../../services/adapters/mongo/connection.ts';
import { createDomains } from '../../services/adapters/mongo/addresses/domains.ts';
import { createUsageEvents } from '../../services/adapters/mongo/audit/events.ts';
import { createNamedAddresses } from '../../services/adapters/mongo/addresses/address-claims.ts';
import { createSecretBox } from '../../services/adapters/mongo/secrets.ts';
import { createNotifications } from '../../services/adapters/mongo/notifications/notifications.ts';
import { createTokens } from '../../services/adapters/mongo/accounts/tokens.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { connectNats, type Nats } from '../../services/adapters/stream/connection.ts';
import { challengeValue } from '../../services/core/address/domain.ts';
import type { KindName } from '../../services/core/kube/custom-resource.ts';
import { createReconcilers, type Stores } from '../../services/operator/reconcilers/assembly.ts';
import type { CustomResource } from '../../services/operator/resource.ts';
import type { Secret } from '../../services/operator/secret-keeper.ts';
import { startTestNats, testMongo } from '../support/servers.ts';

const log = createLog('silent');
const parts = new AsyncDisposableStack();
let mongo: Mongo;
let nats: Nats;
beforeAll(async () => {
  const [database, server] = await Promise.all([testMongo(), startTestNats()]);
  parts.use(database);
  parts.use(server);
  mongo = parts.use(await connectMongo(database.uri, log));
  nats = parts.use(await connectNats({ url: server.url, name: 'test' }, log));
});
afterAll(() => parts.disposeAsync());

const keyOf = (kind: string, namespace: string, name: string) => `${kind} ${namespace}/${name}`;

/** A cluster in memory, with the operator's caches: what is written to one is in the other. */
function startCluster() {
  const objects = new Map<string, CustomResource & Secret>();
  const put = (object: NewObject) => {
    const { namespace = '', name = '' } = object.metadata;
    const key = keyOf(object.kind, namespace, name);
    const before = objects.get(key);
    const metadata = { resourceVersion: '1', ...before?.metadata, ...object.metadata };
    const after = { ...before, ...object, metadata } as CustomResource & Secret;
    objects.set(key, after);
    return Promise.resolve(after as never);
  };
  const get = (kind: string, namespace: string, name: string) =>
    objects.get(keyOf(kind, namespace, name));
  const cache = (kind: string) => ({
    get: (namespace: string, name: string) => get(kind, namespace, name),
    put: () => undefined,
  });
  return {
    put,
    kube: {
      get: () => Promise.reject(new Error('nothing conflicts here')),
      create: (_: unknown, object: NewObject) => put(object),
      update: (_: unknown, object: NewObject) => put(object),
      apply: (_: unknown, object: NewObject) => put(object),
      merge: (_: unknown, object: NewObject) => put(object),
    } satisfies Stores['kube'],
    cluster: { get, cache, secrets: cache('Secret'), facts: () => [] },
  };
}

type TestCluster = ReturnType<typeof startCluster>;

/**
 * An operator whose lease is lost when the last allowed call to a store has returned. `lateCalls`
 * names every later call.
 */
function startOperator({ kube, cluster }: TestCluster, allowedCalls = Infinity) {
  let calls = 0;
  let hasLease = true;
  const lateCalls: string[] = [];
  const watched = <T extends object>(storeName: string, store: T): T =>
    Object.fromEntries(
      Object.entries(store).map(([name, call]: [string, (...args: unknown[]) => unknown]) => [
        name,
        async (...args: unknown[]) => {
          if (!hasLease) lateCalls.push(`${storeName}.${name}`);
          const result = await call(...args);
          if (++calls >= allowedCalls) hasLease = false;
          return result;
        },
      ]),
    ) as T;
  const addresses = createAddresses(mongo.db, secretBox);
  const reconcilers = createReconcilers(
    {
      stores: {
        kube: watched('kube', kube),
        accounts: watched('accounts', createAccounts(mongo.db)),
        addresses: watched('addresses', addresses),
        named: watched('named', createNamedAddresses(mongo.db, addresses)),
        domains: watched('domains', createDomains(mongo.db)),
        tokens: watched('tokens', createTokens(mongo.db)),
        notifications: watched('notifications', createNotifications(mongo.db, secretBox)),
        events: createUsageEvents(mongo.db),
      },
      holdsLease: () => hasLease,
      requestSlot: () => Promise.resolve(),
      nats,
      lookUpDomain: async (domain) => {
        const record = await mongo.db.collection<{ token: string }>('domains').findOne({ domain });
        return { txt: [challengeValue(record?.token ?? '')], mx: [] };
      },
      clock: () => new Date(),
      log,
    },
    {
      identity: 'test',
      plans: ['free', 'pro'],
      secretNames: [],
      inboundDomain: 'in.example',
      mxHosts: ['mx.in.example'],
      rotationOverlapMs: 1_000,
      allowedNetworks: [],
      offersFiles: false,
    },
  )(cluster);
  return {
    reconcile: (kind: KindName, name: string) => {
      const object = cluster.get(kind, NAMESPACE, name);
      if (object === undefined) throw new Error(`no ${kind} ${name}`);
      return reconcilers[kind](object, FAILURES);
    },
    hasLease: () => hasLease,
    lateCalls,
  };
}

const NAMESPACE = 'shop';
/** After this many failures the operator writes the failure into the status as well. */
const FAILURES = 2;
const secretBox = createSecretBox([randomBytes(32)]);

const resource = (kind: KindName, name: string, spec: object): CustomResource => ({
  kind,
  metadata: {
    namespace: NAMESPACE,
    name,
    uid: randomBytes(8).toString('hex'),
    resourceVersion: '1',
    generation: 1,
  },
  spec,
});
const accountRef = { name: 'main' };
const account = (more = {}) =>
  resource('Account', 'main', { email: 'a@b.test', name: 'A', ...more });
const address = (more = {}) =>
  resource('InboundAddress', 'orders', {
    accountRef,
    environment: 'live',
    webhookUrl: 'https://hooks.example.com/in',
    enabled: true,
    secretGeneration: 1,
    ...more,
  });
const domain = (name: string) =>
  resource('InboundDomain', 'own', { accountRef, environment: 'live', domain: name });
const token = (more = {}) =>
  resource('ApiToken', 'ci', { accountRef, environment: 'live', ...more });
const notification = (more = {}) =>
  resource('AccountNotification', 'pager', {
    accountRef,
    environment: 'live',
    url: 'https://hooks.example.com/events',
    enabled: true,
    secretGeneration: 1,
    ...more,
  });
const deleted = { metadata: { deletionTimestamp: new Date().toISOString() } };

type Case = {
  kind: KindName;
  name: string;
  /** Reconciled before the case begins, with the lease. */ settled: () => CustomResource[];
  /** The change that the operator reconciles while it loses the lease. */ change: () => {
    spec?: unknown;
    metadata?: object;
  };
};
const change = (of: CustomResource, spec: object) => ({
  spec: { ...(of.spec as object), ...spec },
});

test.each<[string, Case]>([
  ['creates an account', { kind: 'Account', name: 'main', settled: () => [], change: account }],
  [
    'changes an account, its plan, and suspends it',
    {
      kind: 'Account',
      name: 'main',
      settled: () => [account()],
      change: () => change(account(), { name: 'B', plan: 'pro', suspended: true }),
    },
  ],
  [
    'releases an account',
    { kind: 'Account', name: 'main', settled: () => [account()], change: () => deleted },
  ],
  [
    'creates an address',
    { kind: 'InboundAddress', name: 'orders', settled: () => [account()], change: address },
  ],
  [
    'creates an address with a chosen name',
    {
      kind: 'InboundAddress',
      name: 'orders',
      settled: () => [account()],
      change: () => address({ localPart: `o-${randomBytes(6).toString('hex')}` }),
    },
  ],
  [
    'changes an address and rotates its secret',
    {
      kind: 'InboundAddress',
      name: 'orders',
      settled: () => [account(), address()],
      change: () => change(address(), { description: 'other', secretGeneration: 2 }),
    },
  ],
  [
    'deletes an address',
    {
      kind: 'InboundAddress',
      name: 'orders',
      settled: () => [account(), address()],
      change: () => deleted,
    },
  ],
  [
    'claims and verifies a domain',
    {
      kind: 'InboundDomain',
      name: 'own',
      settled: () => [account()],
      change: () => domain(`d-${randomBytes(6).toString('hex')}.example`),
    },
  ],
  [
    'deletes a domain',
    {
      kind: 'InboundDomain',
      name: 'own',
      settled: () => [account(), domain(`d-${randomBytes(6).toString('hex')}.example`)],
      change: () => deleted,
    },
  ],
  ['issues a token', { kind: 'ApiToken', name: 'ci', settled: () => [account()], change: token }],
  [
    'changes a token',
    {
      kind: 'ApiToken',
      name: 'ci',
      settled: () => [account(), token()],
      change: () => change(token(), { name: 'other' }),
    },
  ],
  [
    'revokes a token',
    { kind: 'ApiToken', name: 'ci', settled: () => [account(), token()], change: () => deleted },
  ],
  [
    'creates a notification',
    {
      kind: 'AccountNotification',
      name: 'pager',
      settled: () => [account()],
      change: notification,
    },
  ],
  [
    'changes a notification and rotates its secret',
    {
      kind: 'AccountNotification',
      name: 'pager',
      settled: () => [account(), notification()],
      change: () => change(notification(), { enabled: false, secretGeneration: 2 }),
    },
  ],
  [
    'deletes a notification',
    {
      kind: 'AccountNotification',
      name: 'pager',
      settled: () => [account(), notification()],
      change: () => deleted,
    },
  ],
])('an operator that %s stops at whichever call the lease is lost', async (_, testCase) => {
  const { kind, name, settled, change: changeOf } = testCase;
  const reached: string[] = [];
  for (let allowedCalls = 1; ; allowedCalls++) {
    const cluster = startCluster();
    for (const object of settled()) {
      await cluster.put(object as unknown as NewObject);
      await startOperator(cluster).reconcile(object.kind as KindName, object.metadata.name);
    }
    const before = cluster.cluster.get(kind, NAMESPACE, name);
    const { spec, metadata } = changeOf();
    await cluster.put({
      kind,
      apiVersion: '',
      ...(spec !== undefined && { spec }),
      metadata: { namespace: NAMESPACE, name, ...metadata, ...before?.metadata, generation: 2 },
    });
    const operator = startOperator(cluster, allowedCalls);
    const outcome = await operator.reconcile(kind, name).then(
      ({ result }) => result,
      (error: unknown) => (error as Error).name,
    );
    expect({ allowedCalls, lateCalls: operator.lateCalls }).toEqual({
      allowedCalls,
      lateCalls: [],
    });
    reached.push(outcome);
    if (operator.hasLease()) break;
  }
  expect(reached.at(-1)).toMatch(/settled|refused|removed/);
  expect(reached.filter((outcome) => outcome === 'LeaseLostError').length).toBeGreaterThan(1);
});
