/** Records that other processes change while the operator reconciles their resources. */
import { expect, test } from 'vitest';

import type { KindName } from '../../services/core/kube/custom-resource.ts';
import {
  address,
  bucket,
  bucketKeys,
  manifest,
  notification,
  senderList,
} from '../support/manifests.ts';
import { createNamespace } from './namespace.ts';
import { type Calls, useOperator } from './operator-bed.ts';

const HOOK = 'https://hooks.example.com/inbound';

const shared = useOperator();

/** An operator with another implementation of one call to a store. */
const startWith = (
  store: string,
  name: string,
  call: (given: (...args: unknown[]) => unknown, args: unknown[]) => unknown,
) =>
  shared.bed.start({
    around: (one, calls): Calls => {
      const given = calls[name];
      return one === store && given
        ? { ...calls, [name]: (...args: unknown[]) => call(given, args) }
        : calls;
    },
  });

test.each<[KindName, store: string, collection: string, resource: object]>([
  ['InboundAddress', 'addresses', 'addresses', address('it', HOOK)],
  ['AccountNotification', 'notifications', 'notifications', notification('it', HOOK)],
  ['SenderList', 'senderLists', 'sender_lists', senderList('it', ['a.example'])],
  ['AccountBucket', 'buckets', 'buckets', bucket('it')],
  [
    'InboundDomain',
    'domains',
    'domains',
    manifest('InboundDomain', 'it', { accountRef: { name: 'shop' }, domain: 'it.example' }),
  ],
])(
  'the record of a deleted %s may be removed by another process at the same time',
  async (kind, store, collection, resource) => {
    await using late = await startWith(store, 'findManaged', async (given, args) => {
      const found = await given(...args);
      const ours = { 'managed_by.namespace': space.name };
      if (collection === 'addresses')
        await shared.bed.mongo.db
          .collection(collection)
          .updateOne(ours, { $set: { deleted_at: new Date() } });
      else await shared.bed.mongo.db.collection(collection).deleteOne(ours);
      return found;
    });
    const space = createNamespace(shared.bed, shared.operator);
    await space.withAccount();
    space.apply(bucketKeys());
    await space.settle(resource as Record<string, unknown>);
    space.delete(kind, 'it');
    expect(await late.reconcile(kind, space.name, 'it')).toEqual({ result: 'removed' });
    expect(await space.audited()).not.toContainEqual(expect.stringMatching(/deleted$/));
  },
);

test('a record that does not become what its resource asks for is left to a later try', async () => {
  let calls = 0;
  await using vain = await startWith('accounts', 'update', async () => void calls++);
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  space.patch('Account', 'shop', { spec: { name: 'Other' } });
  await expect(vain.reconcile('Account', space.name, 'shop')).rejects.toThrow('did not settle');
  expect(calls).toBeLessThan(10);
  await space.reconcile('Account', 'shop');
  expect(space.condition('Account', 'shop')).toBe('True Ready');
});
