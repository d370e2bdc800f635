/** Operators that are killed, stopped or lose their connections: the work continues. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { testDir } from '../support/servers.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { account, address, token } from '../support/manifests.ts';
import { createNamespace } from './kubectl.ts';
import { apiServer, type OperatorBed, startOperatorBed, throughPort } from './operator-bed.ts';
import { spawnOperator } from './operator-process.ts';
import { atMost } from '../support/slowdown.ts';

const LONG_MS = 60_000;

let bed: OperatorBed;
beforeAll(async () => {
  bed = await startOperatorBed();
});
afterAll(() => bed?.[Symbol.asyncDispose]());

const hook = 'https://hooks.example.com/inbound';
const isLeader = (operator: { metric(name: string): Promise<number> }) => async () =>
  (await operator.metric('inlet_operator_is_leader')) === 1;

/** With the constants of the operator. */
const spawn = (name: string, dir: string) => spawnOperator(name, dir, bed.env);

/** A proxy to the test's MongoDB, whose connections the test can break. */
async function toMongo() {
  const uri = new URL(bed.env.MONGODB_URI ?? '');
  const wire = await startTcpProxy(Number(uri.port));
  uri.port = String(wire.port);
  uri.search = '?directConnection=true'; // the replica set would report the port of mongod itself
  return { ...wire, uri: uri.href };
}

test('a killed leader is replaced within 15 seconds, a stopped one immediately', async () => {
  await using dir = await testDir();
  await using first = await spawn('first', dir.path);
  await until('a leader', isLeader(first), LONG_MS);
  await using second = await spawn('second', dir.path);
  await until('the second to be ready', async () => (await second.health('readyz')) === 200);
  expect(await second.metric('inlet_operator_is_leader')).toBe(0);

  await first.kill();
  const killedMs = performance.now();
  await until('another leader', isLeader(second), LONG_MS);
  const failoverMs = performance.now() - killedMs;
  await bed.namespace.apply(account(), address('after-a-crash', hook));
  await bed.namespace.untilReady('inboundaddress/after-a-crash');

  await using third = await spawn('third', dir.path);
  await second.stop();
  const stoppedMs = performance.now();
  await until('a third leader', isLeader(third), LONG_MS);
  const handoverMs = performance.now() - stoppedMs;
  process.stdout.write(
    `killed leader replaced after ${(failoverMs / 1000).toFixed(1)} s, ` +
      `stopped leader after ${(handoverMs / 1000).toFixed(1)} s\n`,
  );
  expect(failoverMs).toBeLessThan(atMost(15_000));
  expect(handoverMs).toBeLessThan(atMost(8_000));
  const lease = await bed.namespace.get('lease/inlet-operator');
  expect(lease?.spec).toMatchObject({ leaseDurationSeconds: 10, leaseTransitions: 2 });
});

test('a watch whose connection died silently is noticed long before the next relist', async () => {
  const server = await apiServer();
  await using wire = await startTcpProxy(Number(server.port), server.hostname);
  await using operator = await bed.start(
    {
      KUBECONFIG: await throughPort(bed, wire.port),
      LEASE_NAME: 'silent',
    },
    { resyncMs: 3_600_000, watchMs: 3_000, leaseMs: 20_000 },
  );
  await until('a leader', isLeader(operator), LONG_MS);
  await bed.namespace.apply(account(), address('heard', hook));
  await bed.namespace.untilReady('inboundaddress/heard');

  await wire.fail('lose');
  const lostMs = performance.now();
  await wire.heal();
  await bed.namespace.apply(address('unheard', hook));
  await until(
    'the address to be seen',
    async () => (await bed.namespace.get('inboundaddress/unheard'))?.status?.address,
    LONG_MS,
  );
  process.stdout.write(
    `dead watches noticed and replaced after ${((performance.now() - lostMs) / 1000).toFixed(1)} s\n`,
  );
  expect(await operator.metric('inlet_operator_is_leader')).toBe(1);
  expect(await operator.health('healthz')).toBe(200);
});

test('a namespace that cannot be read is reported and delays no other', async () => {
  await using own = await createNamespace();
  await bed.grant(own);
  await using operator = await bed.start({
    WATCH_NAMESPACES: `${own.name},kube-system`,
    LEASE_NAME: 'forbidden',
  });
  await own.apply(
    account('shop', { email: `${own.name}@example.com` }),
    address('readable', hook),
    token('readable'),
  );
  await own.untilReady('inboundaddress/readable');
  await own.untilReady('apitoken/readable');
  expect(await operator.health('readyz')).toBe(503);
});

test('the operator waits for an API server that is down', async () => {
  const server = await apiServer();
  await using wire = await startTcpProxy(Number(server.port), server.hostname);
  await using operator = await bed.start({
    KUBECONFIG: await throughPort(bed, wire.port),
    LEASE_NAME: 'away',
  });
  await until('a leader', isLeader(operator), LONG_MS);
  await wire.fail('cut');
  await until('the lead to be lost', async () => !(await isLeader(operator)()), LONG_MS);
  expect(await operator.health('healthz')).toBe(200); // starting it anew would help nothing
  await bed.namespace.apply(account(), address('meanwhile', hook));
  await wire.heal();
  await bed.namespace.untilReady('inboundaddress/meanwhile');
});

test('without MongoDB the condition says so, nothing is deleted, and changes are applied later', async () => {
  await using own = await createNamespace(); // no resources of other tests wait there
  await bed.grant(own);
  await using wire = await toMongo();
  await using operator = await bed.start({
    MONGODB_URI: wire.uri,
    WATCH_NAMESPACES: own.name,
    LEASE_NAME: 'no-mongodb',
  });
  await until('a leader', isLeader(operator), LONG_MS);
  await own.apply(account('shop', { email: `${own.name}@example.com` }), address('leaving', hook));
  await own.untilReady('inboundaddress/leaving');

  await wire.fail('cut');
  await own.apply(address('waiting', hook));
  await own.delete('inboundaddress/leaving', '--wait=false');
  const { status } = await own.untilReady('inboundaddress/waiting', 'Unavailable');
  expect(status?.conditions?.find(({ type }) => type === 'Ready')?.message).toContain(
    'Inlet retries',
  );
  expect(status?.observedGeneration).toBeUndefined(); // its spec is not applied yet
  await until('the deletion to be explained', async () =>
    (await own.get('inboundaddress/leaving'))?.status?.conditions?.some(
      ({ reason }) => reason === 'Unavailable',
    ),
  );
  // starting it anew would help nothing
  expect([await isLeader(operator)(), await operator.health('healthz')]).toEqual([true, 200]);

  await wire.heal();
  await own.untilReady('inboundaddress/waiting');
  await until(
    'the deleted resource to disappear',
    async () => (await own.get('inboundaddress/leaving')) === undefined,
    LONG_MS,
  );
});
