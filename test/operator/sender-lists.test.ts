/** A SenderList resource becomes a list of senders, which rules and filters name. */
import { expect, test } from 'vitest';

import { SENDER_LIST } from '../../services/core/list/sender-list.ts';
import { account, senderList } from '../support/manifests.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const shared = useOperator();

async function withPartners(spec: object = {}): Promise<TestNamespace> {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  await space.settle(senderList('partners', ['partner.example'], spec));
  return space;
}
const recordOf = async (space: TestNamespace) => (await space.records('sender_lists'))[0] ?? {};
const stateOf = (space: TestNamespace, name = 'partners') => space.condition('SenderList', name);
const reconcile = (space: TestNamespace) => space.reconcile('SenderList', 'partners');
const change = (space: TestNamespace, entries: string[], spec: object = {}) =>
  space.settle(senderList('partners', entries, spec));

test('a new resource is a list of the account, with normalized entries', async () => {
  const entries = ['Partner.Example', 'ann@supplier.example', 'partner.example', '*.X.example'];
  const space = await withPartners({ entries, description: 'Who may order' });
  const record = await recordOf(space);
  expect(record).toMatchObject({
    name: 'partners',
    description: 'Who may order',
    entries: ['*.x.example', 'ann@supplier.example', 'partner.example'],
    managed_by: { kind: 'SenderList', namespace: space.name, name: 'partners' },
  });
  expect(space.get('SenderList', 'partners')?.status).toMatchObject({
    id: record._id,
    entryCount: 3,
  });
  expect([stateOf(space), space.secrets(), await space.audited()]).toEqual([
    'True Ready',
    [],
    ['list.created'],
  ]);
  expect(space.events()).toContain('Ready');
});

test.each<[string, object, string]>([
  ['an entry that is no sender', { entries: ['a.example', 'localhost'] }, 'InvalidEntries'],
  ['an account that does not exist', { accountRef: { name: 'nobody' } }, 'AccountNotReady'],
])('%s is explained, and no list is created', async (_, spec, reason) => {
  const space = await withPartners(spec);
  expect([stateOf(space), await space.records('sender_lists')]).toEqual([`False ${reason}`, []]);
});

test('a name that another list of the account has is refused', async () => {
  const space = await withPartners();
  await space.settle(senderList('second', ['b.example'], { name: 'partners' }));
  expect([stateOf(space, 'second'), space.message('SenderList', 'second')]).toEqual([
    'False Refused',
    'Another list has the name partners',
  ]);
  expect(await space.records('sender_lists')).toHaveLength(1);
});

test('an account with as many lists as it may have gets no other', async () => {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  for (let i = 0; i < SENDER_LIST.maximum; i++) await space.settle(senderList(`n${i}`, []));
  await space.settle(senderList('partners', []));
  expect([stateOf(space), (await space.records('sender_lists')).length]).toEqual([
    'False Refused',
    SENDER_LIST.maximum,
  ]);
});

test('a change of the spec is applied to the record, once', async () => {
  const space = await withPartners();
  await change(space, ['b.example', 'a.example'], { description: 'New' });
  await reconcile(space);
  expect(await recordOf(space)).toMatchObject({
    entries: ['a.example', 'b.example'],
    description: 'New',
  });
  expect(await space.audited()).toEqual(['list.created', 'list.updated']);
  expect(space.get('SenderList', 'partners')?.status?.entryCount).toBe(2);
});

test('an entry that is no sender leaves the list as it was', async () => {
  const space = await withPartners();
  await change(space, ['localhost']);
  expect([stateOf(space), (await recordOf(space)).entries]).toEqual([
    'False InvalidEntries',
    ['partner.example'],
  ]);
});

test('a record that was changed by other means is changed back; a lost one is created again', async () => {
  const space = await withPartners();
  const ours = { 'managed_by.namespace': space.name };
  const lists = shared.bed.mongo.db.collection('sender_lists');
  await lists.updateOne(ours, { $set: { entries: ['evil.example'] } });
  await reconcile(space);
  const { _id: id, entries } = await recordOf(space);
  expect(entries).toEqual(['partner.example']);
  await lists.deleteOne(ours);
  await reconcile(space);
  const { _id: later } = await recordOf(space);
  expect([later === id, space.get('SenderList', 'partners')?.status?.id]).toEqual([false, later]);
});

test('a list that an earlier resource left to another account is not changed', async () => {
  const space = await withPartners();
  space.patch('SenderList', 'partners', { metadata: { finalizers: null } });
  space.delete('SenderList', 'partners');
  await space.settle(account('heir', { email: `heir@${space.name}.example` }));
  await change(space, ['b.example'], { accountRef: { name: 'heir' } });
  expect([stateOf(space), (await recordOf(space)).entries]).toEqual([
    'False NotOurs',
    ['partner.example'],
  ]);
});

test('a deleted resource deletes its list, also one that rules name', async () => {
  const space = await withPartners();
  space.patch('Account', 'shop', {
    spec: {
      settings: {
        rules: [{ name: 'strangers', when: '!(sender in lists.partners)', action: 'hold' }],
      },
    },
  });
  await space.reconcile('Account', 'shop');
  space.delete('SenderList', 'partners');
  expect(await reconcile(space)).toEqual({ result: 'removed' });
  expect([await space.records('sender_lists'), await space.audited()]).toEqual([
    [],
    ['account.updated', 'list.created', 'list.deleted'],
  ]);
});
