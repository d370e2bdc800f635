/** A SenderList resource becomes a list of senders, which rules and filters name. */
import { expect, test } from 'vitest';

import { senderList } from '../support/manifests.ts';
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

test('a name that another list of the account has is refused', async () => {
  const space = await withPartners();
  await space.settle(senderList('second', ['b.example'], { name: 'partners' }));
  expect([stateOf(space, 'second'), space.message('SenderList', 'second')]).toEqual([
    'False Refused',
    'Another list has the name partners',
  ]);
  expect(await space.records('sender_lists')).toHaveLength(1);
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
