/** An AccountNotification resource becomes a notification and a Secret. */
import { expect, test } from 'vitest';

import { NOTIFICATION } from '../../services/core/notification/notification.ts';
import { account, notification } from '../support/manifests.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const HOOK = 'https://hooks.example.com/events';

const shared = useOperator();

async function withPager(spec: object = {}): Promise<TestNamespace> {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  await space.settle(notification('pager', HOOK, spec));
  return space;
}
const recordOf = async (space: TestNamespace) => (await space.records('notifications'))[0] ?? {};
const stateOf = (space: TestNamespace) => space.condition('AccountNotification', 'pager');
const reconcile = (space: TestNamespace) => space.reconcile('AccountNotification', 'pager');
const change = (space: TestNamespace, spec: object) =>
  space.settle(notification('pager', HOOK, spec));

test('a new resource is a notification, and its Secret says how to verify it', async () => {
  const space = await withPager({ types: ['token.created'], description: 'On call' });
  const record = await recordOf(space);
  expect(record).toMatchObject({
    url: HOOK,
    types: ['token.created'],
    description: 'On call',
    is_enabled: true,
    secret_generation: 1,
  });
  expect(space.secret('pager-notification')).toEqual({
    webhook_secret: expect.stringMatching(/^whsec_/) as string,
    url: HOOK,
  });
  expect(space.get('AccountNotification', 'pager')?.status).toMatchObject({
    id: record._id,
    secretName: 'pager-notification',
  });
  expect([stateOf(space), await space.audited()]).toEqual(['True Ready', ['notification.created']]);
});

test.each<[string, object, string]>([
  ['a URL that is not public', { url: 'https://10.0.0.1/' }, 'InvalidWebhookUrl'],
  ['an account that does not exist', { accountRef: { name: 'nobody' } }, 'AccountNotReady'],
])('%s is explained, and no notification is created', async (_, spec, reason) => {
  const space = await withPager(spec);
  expect([stateOf(space), await space.records('notifications'), space.secrets()]).toEqual([
    `False ${reason}`,
    [],
    [],
  ]);
});

test('an account with as many notifications as it may have gets no other', async () => {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  for (let i = 0; i < NOTIFICATION.maximum; i++) await space.settle(notification(`n${i}`, HOOK));
  await space.settle(notification('pager', HOOK));
  expect([stateOf(space), (await space.records('notifications')).length]).toEqual([
    'False Refused',
    NOTIFICATION.maximum,
  ]);
});

test('a change of the spec is applied to the record and to the Secret', async () => {
  const space = await withPager();
  await change(space, { url: `${HOOK}/new`, types: ['token.created'] });
  expect(await recordOf(space)).toMatchObject({ url: `${HOOK}/new`, types: ['token.created'] });
  expect(space.secret('pager-notification')?.url).toBe(`${HOOK}/new`);
  await change(space, { url: `${HOOK}/new`, enabled: false });
  expect([stateOf(space), (await recordOf(space)).is_enabled]).toEqual(['True Disabled', false]);
});

test('a higher secretGeneration rotates the secret once, and the former one still signs', async () => {
  const space = await withPager();
  const former = space.secret('pager-notification')?.webhook_secret;
  await change(space, { secretGeneration: 3 });
  await reconcile(space);
  const { former_secrets, secret_generation } = await recordOf(space);
  expect([former_secrets, secret_generation]).toEqual([[expect.anything()], 3]);
  expect(space.secret('pager-notification')?.webhook_secret).not.toBe(former);
  expect(await space.audited()).toEqual(['notification.created', 'notification.updated']);
});

test('a record that was changed by other means is changed back', async () => {
  const space = await withPager();
  await shared.bed.mongo.db
    .collection('notifications')
    .updateOne({ 'managed_by.namespace': space.name }, { $set: { is_enabled: false } });
  await reconcile(space);
  expect(await recordOf(space)).toMatchObject({ is_enabled: true });
});

test('a record that is gone is created again', async () => {
  const space = await withPager();
  const before = await recordOf(space);
  await shared.bed.mongo.db.collection('notifications').deleteMany({ _id: before._id });
  await reconcile(space);
  const { _id: id } = await recordOf(space);
  expect([id === before._id, space.get('AccountNotification', 'pager')?.status?.id]).toEqual([
    false,
    id,
  ]);
});

test('a notification that an earlier resource left to another account is not disclosed', async () => {
  const space = await withPager();
  space.patch('AccountNotification', 'pager', { metadata: { finalizers: null } });
  space.delete('AccountNotification', 'pager');
  await space.settle(account('heir', { email: `heir@${space.name}.example` }));
  await change(space, { accountRef: { name: 'heir' } });
  expect([stateOf(space), space.secrets()]).toEqual(['False NotOurs', []]);
});

test('a deleted resource deletes the notification and its Secret', async () => {
  const space = await withPager();
  space.delete('AccountNotification', 'pager');
  expect(await reconcile(space)).toEqual({ result: 'removed' });
  expect([await space.records('notifications'), space.secrets(), await space.audited()]).toEqual([
    [],
    [],
    ['notification.created', 'notification.deleted'],
  ]);
});

test('a resource that has no notification can be deleted', async () => {
  const space = await withPager({ url: 'https://10.0.0.1/' });
  space.delete('AccountNotification', 'pager');
  expect(await reconcile(space)).toEqual({ result: 'removed' });
});
