/**
 * A leader reports loops that are stuck, exports the resources and queued work as metrics, and reads
 * only the Secrets that it may read.
 */
import { afterEach, expect, test, vi } from 'vitest';

import { createMeter } from '../../services/adapters/process/meter.ts';
import type { Kube, Resource } from '../../services/adapters/kube/client.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { createRegistry } from '../../services/adapters/process/observe.ts';
import { OperatorConfig } from '../../services/operator/process/config.ts';
import { type Leadership, startLeadership } from '../../services/operator/leadership.ts';
import { createOperatorMetrics } from '../../services/operator/process/metrics.ts';
import { until } from '../support/until.ts';

afterEach(() => void vi.useRealTimers());

const never = () => new Promise<never>(() => undefined);
const nothing = () => Promise.reject(new Error('nothing to reconcile'));

const reconcilers = () => ({
  Account: nothing,
  InboundAddress: nothing,
  InboundReceiver: nothing,
  InboundDomain: nothing,
  ApiToken: nothing,
  AccountNotification: nothing,
  SenderList: nothing,
  AccountBucket: nothing,
});

/** Requests to the cluster never end here. */
test('a loop that is more than a minute overdue is named', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const kube = {
    namespace: 'test',
    get: never,
    list: never,
    create: never,
    update: never,
    apply: never,
  } as unknown as Kube;
  const leadership = startLeadership(
    {
      kube,
      metrics: createOperatorMetrics(createMeter(createRegistry('test')), () => undefined),
      reconcilers,
      log: createLog('silent'),
    },
    { namespaces: [], secretNames: [], watchMs: 60_000, resyncMs: 300_000, concurrency: 1 },
  );
  expect([leadership.isSynced(), leadership.stuck()]).toEqual([false, undefined]);
  vi.advanceTimersByTime(119_000);
  expect(leadership.stuck()).toBeUndefined();
  vi.advanceTimersByTime(2_000);
  expect(leadership.stuck()).toBe('watch of secrets');
});

const resource = (name: string, ready?: string) => ({
  metadata: { namespace: 'test', name, uid: name, resourceVersion: '1' },
  ...(ready && { status: { conditions: [{ type: 'Ready', status: ready }] } }),
});

type Query = Parameters<Kube['list']>[2];

/** A watch without events. */
const silent = (...[, , , , stop]: Parameters<Kube['watch']>) => ({
  [Symbol.asyncIterator]: () => ({
    next: () =>
      new Promise((resolve) => stop.addEventListener('abort', () => resolve({ done: true }))),
  }),
});

test('a leader exports the number of resources, ready or not, and of queued ones', async () => {
  const items = [resource('a', 'True'), resource('b', 'False'), resource('c')];
  const list = ({ plural }: Resource) =>
    Promise.resolve({
      metadata: { resourceVersion: '1' },
      items: plural === 'inboundaddresses' ? items : [],
    });
  const kube = {
    namespace: 'test',
    get: never,
    list,
    watch: silent,
    create: never,
    update: never,
    apply: never,
  } as unknown as Kube;
  const registry = createRegistry('test');
  let leadership: Leadership | undefined;
  const metrics = createOperatorMetrics(createMeter(registry), () => leadership?.facts());
  const gauges = async () =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => /^inlet_operator_(queued_)?resources/.test(line) && !line.endsWith(' 0'))
      .map((line) => line.replace('component="test"', ''));
  expect(await gauges()).toEqual([]);
  const underWay = Promise.withResolvers<void>();
  await using leading = startLeadership(
    {
      kube,
      metrics,
      reconcilers: () => ({
        Account: nothing,
        InboundAddress: () => underWay.promise.then(nothing),
        InboundReceiver: nothing,
        InboundDomain: nothing,
        ApiToken: nothing,
        AccountNotification: nothing,
        SenderList: nothing,
        AccountBucket: nothing,
      }),
      log: createLog('silent'),
    },
    { namespaces: [], secretNames: [], watchMs: 60_000, resyncMs: 300_000, concurrency: 1 },
  );
  leadership = leading;
  await until('everything to be known', () => leading.facts()?.queued === 3);
  expect(await gauges()).toEqual([
    'inlet_operator_queued_resources{} 3',
    'inlet_operator_resources{kind="InboundAddress",ready="true",} 1',
    'inlet_operator_resources{kind="InboundAddress",ready="false",} 1',
    'inlet_operator_resources{kind="InboundAddress",ready="unknown",} 1',
  ]);
  underWay.resolve();
});

test('with names of Secrets, each is listed alone, so that RBAC can permit only these', async () => {
  const queries: unknown[] = [];
  const list = ({ plural }: Resource, namespace: string | undefined, { fieldSelector }: Query) => {
    if (plural === 'secrets') queries.push([namespace, fieldSelector]);
    return Promise.resolve({ metadata: { resourceVersion: '1' }, items: [] });
  };
  const kube = { list, watch: silent } as unknown as Kube;
  await using leading = startLeadership(
    {
      kube,
      metrics: createOperatorMetrics(createMeter(createRegistry('test')), () => undefined),
      reconcilers,
      log: createLog('silent'),
    },
    {
      namespaces: ['a', 'b'],
      secretNames: ['one', 'two'],
      watchMs: 60_000,
      resyncMs: 300_000,
      concurrency: 1,
    },
  );
  await until('everything to be listed', () => leading.isSynced());
  expect(queries).toEqual([
    ['a', 'metadata.name=one'],
    ['a', 'metadata.name=two'],
    ['b', 'metadata.name=one'],
    ['b', 'metadata.name=two'],
  ]);
});

test.each([
  ['what is no name of a Secret', 'one,Two=3'],
  ['more than 100 names', Array.from({ length: 101 }, (_, i) => `name-${i}`).join(',')],
])('SECRET_NAMES refuses %s', (_, SECRET_NAMES) => {
  expect(OperatorConfig.shape.SECRET_NAMES.safeParse(SECRET_NAMES).success).toBe(false);
});
