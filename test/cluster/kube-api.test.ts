/**
 * The Kubernetes API in memory (test/support/kube-api) responds as a real one does. Each scenario
 * runs against both, and leaves the same transcript.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  connectKube,
  type Kube,
  KubeError,
  type NewObject,
  type Resource,
} from '../../services/adapters/kube/client.ts';
import { RESOURCES } from '../../services/operator/cluster/permissions.ts';
import { definitionOf } from '../support/kube-api/definitions.ts';
import type { Stored } from '../support/kube-api/objects.ts';
import { type KubeApi, startKubeApi } from '../support/kube-api/server.ts';
import { createNamespace, establishDefinitions, kubectl, type Namespace } from './kubectl.ts';

type Server = {
  kube: Kube;
  namespace: string;
  /** Deletes an object, as a user does. */
  remove(kind: string, name: string): Promise<unknown>;
};
/** Returns what it saw. */
type Scenario = (server: Server) => Promise<unknown>;

let namespace: Namespace;
let api: KubeApi;
let servers: [real: Server, inMemory: Server];
beforeAll(async () => {
  await establishDefinitions();
  namespace = await createNamespace();
  api = await startKubeApi();
  const timeoutMs = 10_000;
  servers = [
    {
      kube: connectKube({ kubeconfig: process.env.KUBECONFIG, timeoutMs }),
      namespace: namespace.name,
      remove: (kind, name) =>
        kubectl(['-n', namespace.name, 'delete', kind.toLowerCase(), name, '--wait=false']),
    },
    {
      kube: connectKube({ kubeconfig: await api.kubeconfig(), timeoutMs }),
      namespace: namespace.name,
      remove: async (kind, name) =>
        api.objects.remove({ definition: definitionOf(kind), namespace: namespace.name, name }),
    },
  ];
});
afterAll(async () => {
  for (const { kube } of servers ?? []) kube[Symbol.dispose]();
  await api?.[Symbol.asyncDispose]();
  await namespace?.[Symbol.asyncDispose]();
});

const refusal = async (call: Promise<unknown>) => {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return `${error.status} ${error.reason}`;
  }
};
const object = (kind: string, { namespace: ns }: Server, name: string, more: object = {}) => ({
  apiVersion: kind === 'Secret' ? 'v1' : 'inlet.email/v1',
  kind,
  metadata: { namespace: ns, name, ...more },
});
const labelled = (is: string) => ({ labels: { is } });
const secret = (server: Server, name: string, more: object = {}): NewObject => ({
  ...object('Secret', server, name, more),
  type: 'Opaque',
  data: { key: 'dmFsdWU=' },
});
const account = (server: Server, name: string, more: object = {}): NewObject => ({
  ...object('Account', server, name, more),
  spec: { email: `${name}@shop.example`, name: 'Shop' },
});
const create = (server: Server, resource: Resource, sent: NewObject) =>
  server.kube.create<Stored>(resource, sent);
const apply = (server: Server, sent: NewObject, manager: string, subresource?: 'status') =>
  server.kube.apply<Stored>(RESOURCES.Account, sent, {
    manager,
    ...(subresource && { subresource }),
  });
const finalizers = (server: Server, name: string, manager: string, list: string[]) =>
  apply(server, object('Account', server, name, { finalizers: list }), manager);
const condition = (type: string, reason: string) => ({
  type,
  reason,
  status: 'True',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
/** What both servers should agree on. */
const seen = ({ metadata, spec, status, data }: Stored) => ({
  generation: metadata.generation,
  finalizers: metadata.finalizers?.toSorted(),
  labels: metadata.labels,
  isDeleting: metadata.deletionTimestamp !== undefined,
  spec,
  status,
  data,
});
/** The first events of a watch, and whether it ended. */
async function watched(server: Server, query: object, count: number) {
  const { signal } = new AbortController();
  const { kube, namespace: ns } = server;
  const events: string[] = [];
  for await (const { type, object: found } of kube.watch(
    RESOURCES.Secret,
    ns,
    { ...query },
    9_000,
    signal,
  )) {
    if (type !== 'BOOKMARK') events.push(`${type} ${found.metadata?.name ?? found.code}`);
    if (events.length === count) break;
  }
  return events;
}

test.each<[string, Scenario]>([
  [
    'a custom resource gets defaults, loses unknown fields, and has no status yet',
    async (server) => {
      const sent = {
        ...object('ApiToken', server, 'a'),
        spec: { accountRef: { name: 'shop' }, unknown: 1 },
        status: { id: 'mine' },
      };
      return seen(await create(server, RESOURCES.ApiToken, sent));
    },
  ],
  [
    'creations are refused when the name is taken, is too long, or the spec is invalid',
    async (server) => [
      await refusal(create(server, RESOURCES.Secret, secret(server, 'b'))),
      await refusal(create(server, RESOURCES.Secret, secret(server, 'b'))),
      await refusal(create(server, RESOURCES.Secret, secret(server, 'n'.repeat(254)))),
      await refusal(create(server, RESOURCES.Secret, secret(server, 'B_b'))),
      await refusal(
        create(server, RESOURCES.Account, {
          ...object('Account', server, 'b'),
          spec: { name: 'x' },
        }),
      ),
      await refusal(server.kube.get(RESOURCES.Secret, server.namespace, 'none')),
    ],
  ],
  [
    'updates need the current version; a dry run stores nothing',
    async (server) => {
      const { metadata } = await create(server, RESOURCES.Secret, secret(server, 'c'));
      const { resourceVersion } = metadata;
      const update = (data: object, how?: { isDryRun?: boolean }) =>
        server.kube.update<Stored>(
          RESOURCES.Secret,
          { ...secret(server, 'c', { resourceVersion }), data },
          how,
        );
      const get = () => server.kube.get<Stored>(RESOURCES.Secret, server.namespace, 'c');
      return [
        seen(await update({ key: 'YQ==' }, { isDryRun: true })),
        (await get()).metadata.resourceVersion === resourceVersion,
        seen(await update({ key: 'Yg==' })),
        await refusal(update({ key: 'Yw==' })),
        await refusal(server.kube.update(RESOURCES.Secret, secret(server, 'none'))),
        seen(await server.kube.update<Stored>(RESOURCES.Secret, secret(server, 'c'))),
        await refusal(server.kube.update(RESOURCES.Account, account(server, 'none'))),
        await refusal(
          server.kube.create(RESOURCES.Secret, secret(server, 'c'), { isDryRun: true }),
        ),
        await refusal(
          server.kube.create(RESOURCES.Secret, secret(server, 'cc'), { isDryRun: true }),
        ),
        await refusal(server.kube.get(RESOURCES.Secret, server.namespace, 'cc')),
      ];
    },
  ],
  [
    'an immutable Secret refuses other data, also in a dry run',
    async (server) => {
      await create(server, RESOURCES.Secret, { ...secret(server, 'd'), immutable: true });
      const update = (data: object, isDryRun: boolean) =>
        refusal(
          server.kube.update(
            RESOURCES.Secret,
            { ...secret(server, 'd'), immutable: true, data },
            { isDryRun },
          ),
        );
      return [
        await update({}, true),
        await update({}, false),
        await update({ key: 'dmFsdWU=' }, false),
      ];
    },
  ],
  [
    'an apply with a uid never creates, and finds only the object of that uid',
    async (server) => {
      const { metadata } = await create(server, RESOURCES.Account, account(server, 'e'));
      const of = (name: string, uid: string) => object('Account', server, name, { uid });
      return [
        await refusal(apply(server, of('e', metadata.uid), 'one')),
        await refusal(apply(server, of('e', 'former'), 'one')),
        await refusal(apply(server, of('none', 'former'), 'one')),
        await refusal(
          apply(server, { ...of('e', 'former'), status: { id: 'x' } }, 'one', 'status'),
        ),
        await refusal(server.kube.merge(RESOURCES.Account, of('e', 'former'))),
        await refusal(
          server.kube.update(RESOURCES.Account, account(server, 'e', { uid: 'former' })),
        ),
        await refusal(
          server.kube.merge(
            RESOURCES.Account,
            object('Account', server, 'e', { uid: 'former', resourceVersion: '1' }),
          ),
        ),
        await refusal(
          apply(server, { ...object('Account', server, 'none'), status: {} }, 'one', 'status'),
        ),
        await refusal(server.kube.merge(RESOURCES.Account, object('Account', server, 'none'))),
      ];
    },
  ],
  [
    'an apply takes away what its manager no longer sends, and nothing of others',
    async (server) => {
      await create(
        server,
        RESOURCES.Account,
        account(server, 'f', { finalizers: ['a.example/user'] }),
      );
      const first = await finalizers(server, 'f', 'one', ['a.example/one', 'a.example/user']);
      const second = await finalizers(server, 'f', 'two', ['a.example/two']);
      const third = await finalizers(server, 'f', 'one', []);
      const status = (fields: object) =>
        apply(server, { ...object('Account', server, 'f'), status: fields }, 'one', 'status');
      return [
        ...[first, second, third].map(seen),
        seen(
          await status({
            id: 'acc_1',
            conditions: [condition('Ready', 'a'), condition('Verified', 'b')],
          }),
        ),
        seen(await status({ conditions: [condition('Ready', 'c')] })),
        (await status({ conditions: [condition('Ready', 'c')] })).metadata.resourceVersion ===
          (await status({ conditions: [condition('Ready', 'c')] })).metadata.resourceVersion,
      ];
    },
  ],
  [
    'a generation counts changes of the spec, and the deletion',
    async (server) => {
      const first = await create(
        server,
        RESOURCES.Account,
        account(server, 'g', { finalizers: ['a.example/x'] }),
      );
      const merge = (more: object) =>
        server.kube.merge<Stored>(RESOURCES.Account, {
          ...object('Account', server, 'g'),
          ...more,
        });
      const named = await merge({ spec: { name: 'Other' } });
      const withLabel = await merge({
        metadata: { name: 'g', namespace: server.namespace, labels: { a: 'b' } },
      });
      await server.remove('Account', 'g');
      const deleted = await server.kube.get<Stored>(RESOURCES.Account, server.namespace, 'g');
      const keep = (list: string[], resourceVersion?: string) =>
        refusal(
          server.kube.merge(
            RESOURCES.Account,
            object('Account', server, 'g', {
              finalizers: list,
              ...(resourceVersion !== undefined && { resourceVersion }),
            }),
          ),
        );
      return [
        ...[first, named, withLabel, deleted].map(seen),
        await refusal(finalizers(server, 'g', 'one', ['a.example/new'])),
        await keep([], first.metadata.resourceVersion),
        await keep([]),
        await refusal(server.kube.get(RESOURCES.Account, server.namespace, 'g')),
      ];
    },
  ],
  [
    'a Lease is created by its first update, and needs a version afterwards',
    async (server) => {
      const { namespace: ns, kube } = server;
      const lease = (name: string, more: object = {}): NewObject => ({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace: ns, name, ...more },
        spec: { holderIdentity: 'one', leaseDurationSeconds: 1 },
      });
      return [
        await refusal(kube.update(RESOURCES.Lease, lease('h'))),
        await refusal(kube.update(RESOURCES.Lease, lease('h'))),
        await refusal(kube.update(RESOURCES.Lease, lease('h', { resourceVersion: '1' }))),
        await refusal(kube.create(RESOURCES.Lease, lease('h'))),
      ];
    },
  ],
  [
    'a list comes in pages, and a watch reports what happened since',
    async (server) => {
      const { kube, namespace: ns } = server;
      const labelSelector = 'is=mine';
      for (const name of ['i1', 'i2', 'i3'])
        await create(server, RESOURCES.Secret, secret(server, name, labelled('mine')));
      const first = await kube.list(RESOURCES.Secret, ns, { labelSelector, limit: 2 });
      const rest = await kube.list(RESOURCES.Secret, ns, {
        labelSelector,
        limit: 2,
        continue: first.metadata.continue,
      });
      const named = await kube.list(RESOURCES.Secret, ns, { fieldSelector: 'metadata.name=i2' });
      const names = [first, rest, named].map(({ items }) =>
        items.map(({ metadata }) => metadata.name),
      );
      const { resourceVersion } = rest.metadata;
      await create(server, RESOURCES.Secret, secret(server, 'i4', labelled('mine')));
      await kube.update(RESOURCES.Secret, secret(server, 'i4', labelled('other')));
      await kube.update(
        RESOURCES.Secret,
        secret(server, 'i1', { labels: { is: 'mine', new: 'x' } }),
      );
      await server.remove('Secret', 'i2');
      await kube.update(RESOURCES.Secret, secret(server, 'i4', labelled('mine')));
      const events = await watched(server, { resourceVersion, labelSelector }, 5);
      const ended = await watched(server, { resourceVersion, labelSelector, timeoutSeconds: 1 }, 9);
      return [names, events, ended];
    },
  ],
])('%s', async (_, scenario) => {
  const [real, inMemory] = [await scenario(servers[0]), await scenario(servers[1])];
  expect(inMemory).toEqual(real);
});

test('a version that was never there is an error event with 410', async () => {
  const gone = { resourceVersion: '1', timeoutSeconds: 2 };
  api.objects.compact();
  expect(await watched(servers[1], gone, 1)).toEqual(['ERROR 410']);
});
