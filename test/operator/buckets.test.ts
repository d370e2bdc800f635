/** M.1, D81: an AccountBucket resource becomes a bucket, with credentials from a Secret. */
import { expect, test } from 'vitest';

import { bucket, bucketKeys } from '../support/manifests.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const shared = useOperator();

async function withBucket(spec: object = {}): Promise<TestNamespace> {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  space.apply(bucketKeys());
  await space.settle(bucket('files', spec));
  return space;
}
const recordOf = async (space: TestNamespace) => (await space.records('buckets'))[0] ?? {};
/** As a dispatcher reads it. */
const openedOf = async (space: TestNamespace, environment = 'live') =>
  shared.bed.stores.buckets.byKey(
    `${String((await recordOf(space)).account_id)} ${environment} files`,
  );
const stateOf = (space: TestNamespace, name = 'files') => space.condition('AccountBucket', name);
const reconcile = (space: TestNamespace) => space.reconcile('AccountBucket', 'files');

test('M.1: a new resource is a bucket of the account, with credentials of its Secret', async () => {
  const space = await withBucket({ environment: 'test', region: 'auto', prefix: 'inlet/' });
  const record = await recordOf(space);
  expect(record).toMatchObject({
    name: 'files',
    environment: 'test',
    endpoint: 'https://s3.example.com',
    region: 'auto',
    prefix: 'inlet/',
    managed_by: { kind: 'AccountBucket', namespace: space.name, name: 'files' },
  });
  expect(await openedOf(space, 'test')).toMatchObject({
    access_key_id: 'id',
    secret_access_key: 'secret-1',
  });
  expect(space.get('AccountBucket', 'files')?.status?.id).toBe(record._id);
  expect([stateOf(space), await space.audited()]).toEqual(['True Ready', ['bucket.created']]);
});

test('M.1: a Secret must exist and carry the label; a changed one is taken over, once', async () => {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  await space.settle(bucket('files'));
  expect([stateOf(space), await space.records('buckets')]).toEqual([
    'False CredentialsNotUsable',
    [],
  ]);
  space.apply({ ...bucketKeys(), metadata: { name: 'bucket-keys' } });
  await reconcile(space);
  expect(space.message('AccountBucket', 'files')).toContain('does not have the label');
  space.apply(bucketKeys());
  await reconcile(space);
  const { sealed_secret: first } = await recordOf(space);
  await reconcile(space);
  expect((await recordOf(space)).sealed_secret).toEqual(first);
  space.patch('Secret', 'bucket-keys', { data: { secret_access_key: 'c2VjcmV0LTI=' } });
  await reconcile(space);
  expect((await openedOf(space))?.secret_access_key).toBe('secret-2');
  // a Secret that is gone leaves the bucket as it is
  space.delete('Secret', 'bucket-keys');
  await reconcile(space);
  expect(stateOf(space)).toBe('False CredentialsNotUsable');
  expect((await openedOf(space))?.secret_access_key).toBe('secret-2');
  expect(await space.audited()).toEqual(['bucket.created', 'bucket.updated']);
  const events = await shared.bed.mongo.db.collection('events').find().toArray();
  expect(JSON.stringify(events)).not.toContain('secret-');
});

test('M.1: another host is taken over, with the credentials', async () => {
  const space = await withBucket();
  await space.settle(bucket('files', { endpoint: 'https://s3.other.example', prefix: 'mail/' }));
  const wanted = { endpoint: 'https://s3.other.example', prefix: 'mail/' };
  expect(await recordOf(space)).toMatchObject(wanted);
});

test('M.1: a name that another bucket has is refused', async () => {
  const space = await withBucket();
  await space.settle(bucket('second', { name: 'files' }));
  expect([stateOf(space, 'second'), space.message('AccountBucket', 'second')]).toEqual([
    'False Refused',
    'Another bucket has the name files',
  ]);
});
