/**
 * The client of the Kubernetes API, and what the API server of tests does for it: test/operator
 * relies on both.
 */
import { describe, expect, test } from 'vitest';

import {
  connectKube,
  KubeError,
  type NewObject,
  type Resource,
} from '../../../services/adapters/kube/client.ts';
import { RESOURCES } from '../../../services/operator/cluster/permissions.ts';
import { definitionOf } from '../../support/kube-api/definitions.ts';
import type { Stored } from '../../support/kube-api/objects.ts';
import { startKubeApi } from '../../support/kube-api/server.ts';
import { useInFile } from '../../support/use-in-file.ts';

const NAMESPACE = 'shop';

const api = await useInFile(startKubeApi());
const kube = await useInFile(
  connectKube({ kubeconfig: await api.kubeconfig(), timeoutMs: 10_000 }),
);

let made = 0;
const newName = () => `object-${made++}`;
const secret = (name: string, metadata: object = {}): NewObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: NAMESPACE, name, ...metadata },
  data: { key: 'dmFsdWU=' },
});
const account = (name: string, metadata: object = {}): NewObject => ({
  apiVersion: 'inlet.email/v1',
  kind: 'Account',
  metadata: { namespace: NAMESPACE, name, ...metadata },
  spec: { email: `${name}@shop.example`, name: 'Shop' },
});
const accountOnly = ({ apiVersion, kind, metadata }: NewObject): NewObject => ({
  apiVersion,
  kind,
  metadata,
});
const create = (resource: Resource, object: NewObject) => kube.create<Stored>(resource, object);
const get = (resource: Resource, name: string) => kube.get<Stored>(resource, NAMESPACE, name);
const apply = (object: NewObject, manager: string, subresource?: 'status') =>
  kube.apply<Stored>(RESOURCES.Account, object, {
    manager,
    ...(subresource && { subresource }),
  });
const placeOf = (name: string) => ({
  definition: definitionOf('Account'),
  namespace: NAMESPACE,
  name,
});
const condition = (type: string, reason: string) => ({ type, reason });
/** Status and reason of a refusal. */
const refusal = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof KubeError ? `${error.status} ${error.reason}` : error;
};

const getNone = () => refusal(get(RESOURCES.Secret, 'none'));

describe('objects', () => {
  test('a created object has an identity, and its version grows with each change', async () => {
    const name = newName();
    const created = await create(RESOURCES.Secret, secret(name));
    expect(created.metadata).toMatchObject({ name, uid: expect.any(String) as string });
    const { resourceVersion } = created.metadata;
    const changed = await kube.update<Stored>(RESOURCES.Secret, {
      ...secret(name, { resourceVersion }),
      data: {},
    });
    expect(Number(changed.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
    expect(await get(RESOURCES.Secret, name)).toEqual(changed);
    expect(changed.metadata.uid).toBe(created.metadata.uid);
  });

  test('a custom resource gets the defaults of its schema, and a generation for each spec', async () => {
    const name = newName();
    const created = await create(RESOURCES.ApiToken, {
      ...account(name),
      kind: 'ApiToken',
      spec: { accountRef: { name: 'shop' }, unknown: 1 },
    });
    expect([created.spec, created.metadata.generation]).toEqual([
      { accountRef: { name: 'shop' }, environment: 'live' },
      1,
    ]);
    const metadata = { namespace: NAMESPACE, name };
    const token = { apiVersion: 'inlet.email/v1', kind: 'ApiToken', metadata };
    const merge = (more: object) => kube.merge<Stored>(RESOURCES.ApiToken, { ...token, ...more });
    expect((await merge({ spec: { name: 'ci' } })).metadata.generation).toBe(2);
    const labelled = await merge({ metadata: { ...metadata, labels: { a: 'b' } } });
    expect(labelled.metadata.generation).toBe(2);
  });

  test.each<[string, () => Promise<unknown>, string]>([
    ['an object that is not there', () => get(RESOURCES.Secret, 'none'), '404 NotFound'],
    [
      'a name that is taken',
      async () => {
        const object = secret(newName());
        await create(RESOURCES.Secret, object);
        await create(RESOURCES.Secret, object);
      },
      '409 AlreadyExists',
    ],
    [
      'an update of an earlier version',
      async () => {
        const name = newName();
        const { resourceVersion } = (await create(RESOURCES.Secret, secret(name))).metadata;
        const update = (data: object) =>
          kube.update(RESOURCES.Secret, { ...secret(name, { resourceVersion }), data });
        await update({});
        await update({ key: 'b3RoZXI=' });
      },
      '409 Conflict',
    ],
    [
      'a custom resource that was created again since',
      async () => {
        const name = newName();
        await create(RESOURCES.Account, account(name));
        await apply(accountOnly(account(name, { uid: 'former' })), 'one');
      },
      '422 Invalid',
    ],
    [
      'an apply with a uid of an object that is gone',
      () => apply(account(newName(), { uid: 'former' }), 'one'),
      '409 Conflict',
    ],
    [
      'a status of an object that is gone',
      () => apply({ ...account(newName()), status: {} }, 'one', 'status'),
      '404 NotFound',
    ],
    [
      'a spec that its schema refuses',
      () => create(RESOURCES.Account, { ...account(newName()), spec: { email: 'a@b.example' } }),
      '422 Invalid',
    ],
    [
      'a name that is too long',
      () => create(RESOURCES.Secret, secret('n'.repeat(254))),
      '422 Invalid',
    ],
    [
      'a finalizer for an object that is being deleted',
      async () => {
        const name = newName();
        await create(RESOURCES.Account, account(name, { finalizers: ['example.com/one'] }));
        api.objects.remove(placeOf(name));
        await apply(accountOnly(account(name, { finalizers: ['example.com/two'] })), 'one');
      },
      '422 Invalid',
    ],
  ])('%s is refused', async (_, call, expected) => {
    expect(await refusal(call())).toBe(expected);
  });

  test('the status is written apart from the rest, and without a change there is no new version', async () => {
    const name = newName();
    const created = await create(RESOURCES.Account, { ...account(name), status: { id: 'mine' } });
    expect(created.status).toBeUndefined();
    const status = () => ({ ...account(name), spec: { name: 'no' }, status: { id: 'acc_1' } });
    const written = await apply(status(), 'one', 'status');
    expect([written.status, written.spec]).toEqual([{ id: 'acc_1' }, created.spec]);
    expect((await apply(status(), 'one', 'status')).metadata.resourceVersion).toBe(
      written.metadata.resourceVersion,
    );
  });

  test('an apply takes away what this manager set before, and nothing that others set', async () => {
    const name = newName();
    await create(RESOURCES.Account, account(name, { finalizers: ['example.com/user'] }));
    const withFinalizers = (manager: string, ...finalizers: string[]) =>
      apply(accountOnly(account(name, { finalizers })), manager);
    await withFinalizers('one', 'example.com/one', 'example.com/user');
    const both = await withFinalizers('two', 'example.com/two');
    expect(both.metadata.finalizers).toEqual([
      'example.com/user',
      'example.com/one',
      'example.com/two',
    ]);
    expect((await withFinalizers('one')).metadata.finalizers).toEqual([
      'example.com/user',
      'example.com/two',
    ]);
    const status = (fields: object) => apply({ ...account(name), status: fields }, 'one', 'status');
    await status({
      id: 'acc_1',
      conditions: [condition('Ready', 'a'), condition('Verified', 'b')],
    });
    expect((await status({ conditions: [condition('Ready', 'c')] })).status).toEqual({
      conditions: [condition('Ready', 'c')],
    });
  });

  test('a deleted object stays until its last finalizer goes, then what it owns goes too', async () => {
    const name = newName();
    const { uid } = (
      await create(RESOURCES.Account, account(name, { finalizers: ['a.example/x', 'b.example/y'] }))
    ).metadata;
    const owner = { apiVersion: 'v1', kind: 'Account', name, uid };
    await create(RESOURCES.Secret, secret(name, { ownerReferences: [owner] }));
    api.objects.remove(placeOf(name));
    const { metadata } = await get(RESOURCES.Account, name);
    expect([metadata.deletionTimestamp, metadata.generation]).toEqual([expect.any(String), 2]);

    const keep = (finalizers: string[], resourceVersion: string) =>
      kube.merge<Stored>(
        RESOURCES.Account,
        accountOnly(account(name, { finalizers, resourceVersion })),
      );
    const left = await keep(['b.example/y'], metadata.resourceVersion);
    expect(await refusal(keep([], metadata.resourceVersion))).toBe('409 Conflict');
    await get(RESOURCES.Secret, name);
    await keep([], left.metadata.resourceVersion);
    expect(await refusal(get(RESOURCES.Account, name))).toBe('404 NotFound');
    expect(await refusal(get(RESOURCES.Secret, name))).toBe('404 NotFound');
  });

  test('an object whose owner has been gone for long is collected, too', async () => {
    const name = newName();
    const owner = { apiVersion: 'v1', kind: 'Account', name, uid: 'former' };
    await create(RESOURCES.Secret, secret(name, { ownerReferences: [owner] }));
    api.objects.collectGarbage();
    expect(await refusal(get(RESOURCES.Secret, name))).toBe('404 NotFound');
  });
});

describe('faults', () => {
  test('the nth call of a kind is refused, with the status that a test orders', async () => {
    api.faults.order(
      { status: 429, retryAfterSeconds: 1 },
      { on: 'get secrets', nth: 2, times: 2 },
    );
    expect([await getNone(), await getNone(), await getNone(), await getNone()]).toEqual([
      '404 NotFound',
      '429 TooManyRequests',
      '429 TooManyRequests',
      '404 NotFound',
    ]);
  });

  test('a connection that drops leaves the call executed, or not', async () => {
    const [first, second] = [newName(), newName()];
    api.faults.order({ drops: 'request' }, { on: 'create secrets' });
    api.faults.order({ drops: 'response' }, { on: 'create secrets' });
    for (const name of [first, second])
      await expect(create(RESOURCES.Secret, secret(name))).rejects.toThrow(/^POST \/api\/v1/);
    expect(await refusal(get(RESOURCES.Secret, first))).toBe('404 NotFound');
    expect((await get(RESOURCES.Secret, second)).metadata.name).toBe(second);
  });
});
