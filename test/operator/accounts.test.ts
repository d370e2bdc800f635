/** An Account resource becomes an account, and follows its resource until both are gone. */
import { expect, test } from 'vitest';

import { createAccounts } from '../../services/adapters/mongo/account/accounts.ts';
import { createMembers } from '../../services/adapters/mongo/member/members.ts';
import { account, address } from '../support/manifests.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const shared = useOperator();

const namespace = () => createNamespace(shared.bed, shared.operator);
const recordOf = async (space: TestNamespace) => (await space.records('accounts'))[0];

test('a new Account is an account with the fields of its spec, and its id is in the status', async () => {
  const space = namespace();
  await space.withAccount({
    company: 'Shop Ltd',
    plan: 'pro',
    settings: { timezone: 'Asia/Tokyo' },
  });
  const record = await recordOf(space);
  expect(record).toMatchObject({
    email: `shop@${space.name}.example`,
    company: 'Shop Ltd',
    plan: 'pro',
    settings: { timezone: 'Asia/Tokyo', default_ttl_hours: 24 },
    suspended_at: null,
  });
  const { metadata, status } = space.get('Account', 'shop') ?? {};
  expect([metadata?.finalizers, status?.id, status?.plan, status?.observedGeneration]).toEqual([
    ['inlet.email/operator'],
    record?._id,
    'pro',
    1,
  ]);
  expect([space.condition('Account', 'shop'), space.events()]).toEqual(['True Ready', ['Ready']]);
});

test.each<[string, object, string]>([
  ['a time zone that does not exist', { settings: { timezone: 'Mars/Base' } }, 'InvalidTimezone'],
  ['a plan that is not in the catalogue', { plan: 'gold' }, 'UnknownPlan'],
])('%s is refused, and no account is created', async (_, spec, reason) => {
  const space = namespace();
  await space.withAccount(spec);
  expect([space.condition('Account', 'shop'), await space.records('accounts')]).toEqual([
    `False ${reason}`,
    [],
  ]);
});

test('the email address of another account is refused, for a new account and for a change', async () => {
  const [first, second] = [namespace(), namespace()];
  await first.withAccount();
  const email = `SHOP@${first.name}.example`;
  await second.withAccount({ email });
  expect([second.condition('Account', 'shop'), await second.records('accounts')]).toEqual([
    'False EmailTaken',
    [],
  ]);
  await second.withAccount();
  const { id } = second.get('Account', 'shop')?.status ?? {};
  await second.withAccount({ email });
  expect(second.condition('Account', 'shop')).toBe('False EmailTaken');
  expect([second.get('Account', 'shop')?.status?.id, (await recordOf(second))?.email]).toEqual([
    id,
    `shop@${second.name}.example`,
  ]);
});

test('fields, plan and suspension follow the spec; what the spec does not name stays', async () => {
  const space = namespace();
  await space.withAccount();
  await space.withAccount({
    name: 'Big',
    plan: 'pro',
    suspended: true,
    settings: { webhookRetryAttempts: 2 },
  });
  expect(space.condition('Account', 'shop')).toBe('True Suspended');
  expect(await recordOf(space)).toMatchObject({
    name: 'Big',
    plan: 'pro',
    suspended_at: expect.any(Date) as Date,
    settings: { webhook_retry_attempts: 2, timezone: 'UTC' },
  });
  space.patch('Account', 'shop', { spec: { plan: null, suspended: null } });
  await space.reconcile('Account', 'shop');
  expect(await recordOf(space)).toMatchObject({
    plan: 'pro',
    suspended_at: expect.any(Date) as Date,
  });
  await space.withAccount({ suspended: false });
  expect(space.condition('Account', 'shop')).toBe('True Ready');
  expect(await recordOf(space)).toMatchObject({ suspended_at: null });
  const changes = await space.changes('account.updated');
  expect(changes.map(({ changed }) => changed)).toEqual([
    { name: 'Big', webhook_retry_attempts: 2 },
    { plan: 'pro' },
    { suspended: true },
    { name: 'Shop' },
    { suspended: false },
  ]);
  expect(changes.every(({ resource }) => String(resource).startsWith('Account '))).toBe(true);
});

test('a record that was changed by other means is changed back', async () => {
  const space = namespace();
  await space.withAccount();
  await createAccounts(shared.bed.mongo.db).update(String((await recordOf(space))?._id), {
    name: 'Mallory',
    settings: { timezone: 'Europe/Paris' },
  });
  await space.reconcile('Account', 'shop');
  expect(await recordOf(space)).toMatchObject({ name: 'Shop', settings: { timezone: 'UTC' } });
});

test('an Account waits for the resources that refer to it, then its account is suspended and released', async () => {
  const space = namespace();
  await space.withAccount();
  const id = String((await recordOf(space))?._id);
  space.apply(address('orders', 'https://hooks.example.com/'));
  space.delete('Account', 'shop');
  expect(await space.reconcile('Account', 'shop')).toEqual({ result: 'blocked' });
  expect([space.condition('Account', 'shop'), space.message('Account', 'shop')]).toEqual([
    'False InUse',
    'cannot be deleted while these resources refer to it: InboundAddress orders',
  ]);
  space.delete('InboundAddress', 'orders');
  expect(await space.reconcile('Account', 'shop')).toEqual({ result: 'removed' });
  expect(space.get('Account', 'shop')).toBeUndefined();
  const left = await createAccounts(shared.bed.mongo.db).find(id);
  expect([left?.suspended_at, left?.managed_by]).toEqual([expect.any(Date), undefined]);
  await namespace().settle(account('shop', { email: left?.email })); // the email address is free
});

test('an Account that has no account can be deleted', async () => {
  const space = namespace();
  await space.withAccount({ plan: 'gold' });
  space.delete('Account', 'shop');
  expect(await space.reconcile('Account', 'shop')).toEqual({ result: 'removed' });
});

test('an Account that is created again after it was lost finds its account by its name', async () => {
  const space = namespace();
  await space.withAccount();
  const record = await recordOf(space);
  space.patch('Account', 'shop', { metadata: { finalizers: null } });
  space.delete('Account', 'shop');
  await space.withAccount();
  expect([await recordOf(space), space.condition('Account', 'shop')]).toEqual([
    record,
    'True Ready',
  ]);
});

test('L.2: people of the spec are members that the resource owns, and groups are on the account', async () => {
  const space = namespace();
  const members = [
    { subject: 'ann@example.com', role: 'owner' },
    { subject: 'bob', role: 'viewer' },
    { group: 'platform', role: 'admin' },
  ];
  await space.withAccount({ members });
  expect(await recordOf(space)).toMatchObject({
    member_groups: [{ group: 'platform', role: 'admin' }],
  });
  const shown = async () =>
    (await space.records('members')).map(({ subject, role }) => [
      subject as string,
      role as string,
    ]);
  expect((await shown()).toSorted(byName)).toEqual([
    ['ann@example.com', 'owner'],
    ['bob', 'viewer'],
  ]);

  // the last owner goes, because the resource says so
  await space.settle(account('shop', { members: [{ subject: 'bob', role: 'developer' }] }));
  expect([await shown(), (await recordOf(space))?.member_groups]).toEqual([
    [['bob', 'developer']],
    [],
  ]);
  expect((await space.audited()).filter((type) => type.startsWith('member.'))).toEqual([
    'member.created',
    'member.created',
    'member.deleted',
    'member.updated',
  ]);
  const { id } = space.get('Account', 'shop')?.status ?? {};
  const event = await shared.bed.mongo.db
    .collection('events')
    .findOne({ account_id: id, type: 'member.deleted' });
  expect(event?.data).toMatchObject({
    subject: 'ann@example.com',
    resource: `Account ${space.name}/shop`,
  });
});

test('L.2: a person whom the account has already is updated, and the event says what changed', async () => {
  const space = namespace();
  await space.withAccount();
  const [{ _id: account_id } = {}] = await space.records('accounts');
  const members = createMembers(shared.bed.mongo.db);
  const ann = { account_id: String(account_id), name: 'Ann', subject: 'ann', group: null };
  await members.insert({ ...ann, role: 'viewer' }, new Date());
  await space.withAccount({ members: [{ subject: 'ann', role: 'owner' }] });
  expect(await space.changes('member.updated')).toMatchObject([{ changed: { role: 'owner' } }]);
  expect(await space.audited()).not.toContain('member.created');
});

const byName = ([one = '']: string[], [other = '']: string[]): number => (one < other ? -1 : 1);
