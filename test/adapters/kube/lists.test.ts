/**
 * Lists and watches of the Kubernetes API, and the cache of objects over them, which misses nothing
 * when a watch ends, breaks or expires.
 */
import { describe, expect, test } from 'vitest';

import {
  connectKube,
  KubeError,
  type NewObject,
  type WatchEvent,
} from '../../../services/adapters/kube/client.ts';
import { type Change, startObjectCache } from '../../../services/adapters/kube/watch.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { RESOURCES } from '../../../services/operator/cluster/permissions.ts';
import { definitionOf } from '../../support/kube-api/definitions.ts';
import type { Stored } from '../../support/kube-api/objects.ts';
import { startKubeApi } from '../../support/kube-api/server.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const api = await useInFile(startKubeApi());
const kube = await useInFile(
  connectKube({ kubeconfig: await api.kubeconfig(), timeoutMs: 10_000 }),
);

let made = 0;
const newName = () => `object-${made++}`;
const secret = (namespace: string, name: string, labels: object = {}): NewObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name, labels: { ...labels } },
  data: { key: 'dmFsdWU=' },
});
const create = (namespace: string, name: string, labels?: object) =>
  kube.create<Stored>(RESOURCES.Secret, secret(namespace, name, labels));
const change = (namespace: string, name: string, labels?: object) =>
  kube.update<Stored>(RESOURCES.Secret, { ...secret(namespace, name, labels), data: {} });
const remove = (namespace: string, name: string) =>
  api.objects.remove({ definition: definitionOf('Secret'), namespace, name });
const version = () => String(api.objects.version());

test('lists come in pages of one moment, and name what selectors select', async () => {
  for (const name of ['a', 'b', 'c']) await create('pages', name, { is: name });
  const page = (query: object) => kube.list(RESOURCES.Secret, 'pages', { ...query });
  const namesOf = ({ items }: Awaited<ReturnType<typeof page>>) =>
    items.map(({ metadata }) => metadata.name);
  const first = await page({ limit: 2 });
  await create('pages', 'bb');
  const second = await page({ limit: 2, continue: first.metadata.continue });
  expect([namesOf(first), namesOf(second), second.metadata]).toEqual([
    ['a', 'b'],
    ['c'],
    { resourceVersion: first.metadata.resourceVersion },
  ]);
  expect(namesOf(await page({ labelSelector: 'is=b' }))).toEqual(['b']);
  expect(namesOf(await page({ fieldSelector: 'metadata.name=bb' }))).toEqual(['bb']);
  await create('other', 'a');
  expect(namesOf(await kube.list(RESOURCES.Secret, undefined, {}))).toHaveLength(5);
});

test('the next page of a list that is too old is refused with 410', async () => {
  for (const name of ['a', 'b']) await create('old', name);
  const { metadata } = await kube.list(RESOURCES.Secret, 'old', { limit: 1 });
  await create('old', 'c');
  api.objects.compact();
  const next = kube.list(RESOURCES.Secret, 'old', { limit: 1, continue: metadata.continue });
  await expect(next).rejects.toSatisfy((error) => (error as KubeError).reason === 'Expired');
});

/** The next events of a watch. */
function watch(query: object) {
  const { signal } = new AbortController();
  const events = kube.watch(RESOURCES.Secret, 'watched', { ...query }, 10_000, signal);
  return {
    next: async (count: number) => {
      const found: WatchEvent[] = [];
      while (found.length < count) {
        const { value, done } = await events.next();
        if (done === true) break;
        found.push(value);
      }
      return found.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.code}`);
    },
    [Symbol.asyncDispose]: async () => void (await events.return(undefined)),
  };
}

describe('a watch', () => {
  test('reports what happened since its version, and what happens then', async () => {
    const [name, later] = [newName(), newName()];
    const from = version();
    await create('watched', name);
    await using watching = watch({ resourceVersion: from });
    expect(await watching.next(1)).toEqual([`ADDED ${name}`]);
    await create('watched', later);
    await change('watched', later);
    remove('watched', later);
    expect(await watching.next(3)).toEqual([
      `ADDED ${later}`,
      `MODIFIED ${later}`,
      `DELETED ${later}`,
    ]);
  });

  test('counts an object as deleted when its selector no longer includes it', async () => {
    const name = newName();
    await create('watched', name);
    await using watching = watch({ resourceVersion: version(), labelSelector: 'is=mine' });
    await change('watched', name, { is: 'mine' });
    await change('watched', name, { is: 'other' });
    expect(await watching.next(2)).toEqual([`ADDED ${name}`, `DELETED ${name}`]);
  });

  test('of a version that the server has forgotten has an error event with 410', async () => {
    const from = version();
    await create('watched', newName());
    api.objects.compact();
    await using watching = watch({ resourceVersion: from });
    expect(await watching.next(1)).toEqual(['ERROR 410']);
  });

  test('ends with a bookmark at its timeout', async () => {
    await using watching = watch({ resourceVersion: version(), timeoutSeconds: 0 });
    expect(await watching.next(2)).toEqual(['BOOKMARK undefined']);
  });
});

/** A cache of the Secrets of a namespace, and the calls that it makes. */
async function startCache(namespace: string) {
  const changes: string[] = [];
  const before = api.calls.length;
  const cache = startObjectCache<Stored>(
    kube,
    { resource: RESOURCES.Secret, namespace, watchMs: 60_000, relistMs: 3_600_000 },
    ({ how, object }: Change<Stored>) => changes.push(`${how} ${object.metadata.name}`),
    createLog('silent'),
  );
  /** From its list on: a watch of an earlier cache may arrive late. */
  const calls = () => {
    const own = api.calls.slice(before).filter((call) => !call.startsWith('create'));
    return own.slice(own.indexOf('list secrets'));
  };
  await until('a watch', () => calls().includes('watch secrets'));
  return {
    changes,
    get: (name: string) => cache.get(namespace, name),
    calls,
    /** Waits until the watch reports this change. */
    reports: (what: string) => until(what, () => changes.includes(what)),
    [Symbol.asyncDispose]: () => cache[Symbol.asyncDispose](),
  };
}

describe('the cache', () => {
  test.each<['ends' | 'breaks']>([['ends'], ['breaks']])(
    'continues from the same version when its watch %s',
    async (how) => {
      const namespace = newName();
      await create(namespace, 'first');
      await using cache = await startCache(namespace);
      await create(namespace, 'second');
      await cache.reports('changed second');
      api.watches.end(how);
      await create(namespace, 'third');
      await cache.reports('changed third');
      expect(cache.changes).toEqual(['resync first', 'changed second', 'changed third']);
      expect(cache.calls()).toEqual(['list secrets', 'watch secrets', 'watch secrets']);
    },
  );

  test('lists everything again when its version has expired, and notices what is gone', async () => {
    const namespace = newName();
    for (const name of ['first', 'second']) await create(namespace, name);
    await using cache = await startCache(namespace);
    api.watches.end('breaks');
    remove(namespace, 'first');
    await create(namespace, 'third');
    api.objects.compact();
    await cache.reports('removed first');
    await cache.reports('resync third');
    expect(cache.get('first')).toBeUndefined();
  });

  test('does not expire while bookmarks tell it the version', async () => {
    const namespace = newName();
    await using cache = await startCache(namespace);
    for (let i = 0; i < 3; i++) await create('elsewhere', newName());
    api.objects.compact();
    api.watches.end('ends'); // with a bookmark
    await create(namespace, 'first');
    await cache.reports('changed first');
    expect(cache.calls()).toEqual(['list secrets', 'watch secrets', 'watch secrets']);
  });

  test.each<[string, object]>([
    ['is refused', { status: 503 }],
    ['is limited', { status: 429, retryAfterSeconds: 1 }],
    ['drops', { drops: 'request' }],
  ])('tries again when a list %s', async (_, fault) => {
    const namespace = newName();
    await create(namespace, 'first');
    api.faults.order(fault, { on: 'list secrets' });
    await using cache = await startCache(namespace);
    expect(cache.get('first')).toBeDefined();
    expect(cache.calls()).toEqual(['list secrets', 'list secrets', 'watch secrets']);
  });
});
