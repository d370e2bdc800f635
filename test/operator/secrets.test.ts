/**
 * The Secrets that the operator writes: only its own, whatever else happens to them, and only those
 * that it may.
 */
import { describe, expect, test } from 'vitest';

import { address } from '../support/manifests.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const HOOK = 'https://hooks.example.com/inbound';
const MANAGED = { 'app.kubernetes.io/managed-by': 'inlet-operator' };
const LONG = 'n'.repeat(250);

const shared = useOperator();

async function namespace(by = shared.operator): Promise<TestNamespace> {
  const space = createNamespace(shared.bed, by);
  await space.withAccount();
  return space;
}
const orders = (spec: object = {}) => address('orders', HOOK, spec);
const reconcile = (space: TestNamespace, how = {}) =>
  space.reconcile('InboundAddress', 'orders', how);
const stateOf = (space: TestNamespace) => space.condition('InboundAddress', 'orders');
/** Of the address in this namespace. */
const signingSecret = async (space: TestNamespace) => {
  const [record] = await space.records('addresses');
  return (await shared.bed.stores.addresses.findManaged(record?.managed_by))?.webhook_secret;
};
const inBase64 = (text: string) => Buffer.from(text).toString('base64');
const foreign = (name: string, more: object = {}) => ({
  kind: 'Secret',
  metadata: { name, ...more },
  data: { mine: inBase64('1') },
});

test.each<[string, (space: TestNamespace) => unknown]>([
  ['deleted', (space) => space.delete('Secret', 'orders-webhook')],
  [
    'edited',
    (space) =>
      space.patch('Secret', 'orders-webhook', { data: { webhook_secret: inBase64('mine') } }),
  ],
  [
    'given another key',
    (space) => space.patch('Secret', 'orders-webhook', { data: { more: inBase64('x') } }),
  ],
  [
    'deprived of its label, so that the operator no longer sees it',
    (space) => space.patch('Secret', 'orders-webhook', { metadata: { labels: null } }),
  ],
])('a Secret that was %s is written again as it was', async (_, disturb) => {
  const space = await namespace();
  await space.settle(orders());
  const before = space.secret('orders-webhook');
  disturb(space);
  await reconcile(space);
  expect([space.secret('orders-webhook'), stateOf(space)]).toEqual([before, 'True Ready']);
  expect(space.get('Secret', 'orders-webhook')?.metadata.labels).toEqual(MANAGED);
});

test('a Secret of a former resource of that name gets the new owner', async () => {
  const space = await namespace();
  await space.settle(orders());
  const secret = space.secret('orders-webhook');
  space.patch('Secret', 'orders-webhook', {
    metadata: {
      ownerReferences: [
        {
          apiVersion: 'inlet.email/v1',
          kind: 'InboundAddress',
          name: 'orders',
          uid: 'former',
        },
      ],
    },
  });
  await reconcile(space);
  const { uid } = space.get('InboundAddress', 'orders')?.metadata ?? {};
  expect(space.get('Secret', 'orders-webhook')?.metadata.ownerReferences).toMatchObject([{ uid }]);
  expect(space.secret('orders-webhook')).toEqual(secret);
});

test.each<[string, object]>([
  ['that a user created', {}],
  [
    'of another resource',
    { labels: MANAGED, ownerReferences: [{ kind: 'ApiToken', name: 'ci', uid: 'x' }] },
  ],
])('a Secret %s is not touched', async (_, metadata) => {
  const space = await namespace();
  space.apply(foreign('orders-webhook', metadata));
  await space.settle(orders());
  expect([stateOf(space), space.secret('orders-webhook')]).toEqual([
    'False SecretTaken',
    { mine: '1' },
  ]);
  space.delete('Secret', 'orders-webhook');
  await reconcile(space);
  expect(stateOf(space)).toBe('True Ready');
});

test.each([
  ['of another program with a kind of the same name', { apiVersion: 'example.com/v1' }],
  ['of another resource of this kind', { name: 'other', uid: 'other' }],
  ['of an earlier resource, with another content', { uid: 'earlier' }],
])('a Secret %s is not changed', async (_, differs) => {
  const space = await namespace();
  await space.settle(orders());
  const { metadata } = space.get('Secret', 'orders-webhook') ?? {};
  const [reference] = (metadata?.ownerReferences ?? []) as object[];
  space.delete('Secret', 'orders-webhook');
  const ownerReferences = [{ ...reference, ...differs }] as never;
  space.apply(foreign('orders-webhook', { ownerReferences }));
  await reconcile(space);
  expect([stateOf(space), space.secret('orders-webhook')]).toEqual([
    'False SecretTaken',
    { mine: '1' },
  ]);
});

test('a Secret that the API server refuses is explained with its message', async () => {
  const space = await namespace();
  space.apply(orders());
  shared.bed.kube.faults.order(
    { status: 403, message: 'the namespace is being terminated' },
    { on: 'create secrets' },
  );
  await reconcile(space);
  expect([stateOf(space), space.message('InboundAddress', 'orders')]).toEqual([
    'False SecretRefused',
    'the namespace is being terminated',
  ]);
});

test('a resource whose name is too long for the name of a Secret says so', async () => {
  const space = await namespace();
  await space.settle(address(LONG, HOOK));
  expect([space.condition('InboundAddress', LONG), space.message('InboundAddress', LONG)]).toEqual([
    'False SecretRefused',
    expect.stringContaining('no more than 253 characters'),
  ]);
  const other = await namespace();
  await other.settle(address(LONG, HOOK, { secretName: 'fits' }));
  expect([other.condition('InboundAddress', LONG), other.secrets()]).toEqual([
    'True Ready',
    ['fits'],
  ]);
});

test('a secret is not rotated before its Secret can hold the new one', async () => {
  const space = await namespace();
  await space.settle(orders());
  const before = space.secret('orders-webhook');
  space.patch('Secret', 'orders-webhook', { immutable: true });
  await space.settle(orders({ secretGeneration: 2, description: 'new' }));
  await reconcile(space);
  expect([stateOf(space), space.get('InboundAddress', 'orders')?.status?.secretGeneration]).toEqual(
    ['False SecretRefused', 1],
  );
  const [stored] = await space.records('addresses');
  expect(stored).toMatchObject({ secret_generation: 1, description: 'new' });
  expect(await signingSecret(space)).toBe(before?.webhook_secret);

  space.delete('Secret', 'orders-webhook');
  await reconcile(space);
  await reconcile(space);
  const [rotated] = await space.records('addresses');
  expect([rotated?.secret_generation, rotated?.former_secrets]).toEqual([2, [expect.anything()]]);
  expect(space.secret('orders-webhook')?.webhook_secret).toBe(await signingSecret(space));
  expect(await signingSecret(space)).not.toBe(before?.webhook_secret);
});

const restore = (space: TestNamespace, change: Record<string, string>) => {
  const data = { ...space.get('Secret', 'orders-webhook')?.data, ...change };
  space.delete('Secret', 'orders-webhook');
  space.apply({ kind: 'Secret', metadata: { name: 'orders-webhook' }, data });
};

describe('a Secret without an owner, as a backup restores it', () => {
  test('becomes that of its resource if it holds the current secret, also before a rotation', async () => {
    const space = await namespace();
    await space.settle(orders());
    const before = space.secret('orders-webhook');
    restore(space, { webhook_url: inBase64('https://former.example/') });
    await reconcile(space);
    expect([stateOf(space), space.secret('orders-webhook')]).toEqual(['True Ready', before]);
    expect(space.get('Secret', 'orders-webhook')?.metadata).toMatchObject({
      labels: MANAGED,
      ownerReferences: [{ kind: 'InboundAddress', name: 'orders' }],
    });

    restore(space, {});
    await space.settle(orders({ secretGeneration: 2 }));
    expect(stateOf(space)).toBe('True Ready');
    expect(space.secret('orders-webhook')?.webhook_secret).toBe(await signingSecret(space));
  });

  test('is left alone if it holds another one, and the address is shown', async () => {
    const space = await namespace();
    await space.settle(orders());
    restore(space, { webhook_secret: inBase64('whsec_former') });
    const before = space.secret('orders-webhook');
    await space.settle(orders({ secretGeneration: 2 }));
    expect([stateOf(space), space.secret('orders-webhook')]).toEqual(['False SecretTaken', before]);
    expect(await space.records('addresses')).toMatchObject([{ secret_generation: 1 }]);
  });
});

test('an address whose Secret is refused is shown all the same', async () => {
  const space = await namespace();
  space.apply(foreign('orders-webhook'));
  await space.settle(orders());
  const [record] = await space.records('addresses');
  const { status } = space.get('InboundAddress', 'orders') ?? {};
  expect([stateOf(space), status?.id, status?.address, status?.secretName]).toEqual([
    'False SecretTaken',
    record?._id,
    record?.address,
    undefined,
  ]);
});

test('with names of Secrets, an operator writes only these', async () => {
  await using limited = await shared.bed.start({ settings: { secretNames: ['allowed'] } });
  const space = await namespace(limited);
  await space.settle(orders(), address('other', HOOK, { secretName: 'allowed' }));
  expect([stateOf(space), space.condition('InboundAddress', 'other'), space.secrets()]).toEqual([
    'False SecretRefused',
    'True Ready',
    ['allowed'],
  ]);
});

test('a Secret that changed since the operator saw it is read again, then written', async () => {
  const space = await namespace();
  await space.settle(orders());
  const before = space.secret('orders-webhook');
  space.patch('Secret', 'orders-webhook', { data: { webhook_secret: inBase64('mine') } });
  shared.operator.look();
  space.patch('Secret', 'orders-webhook', { data: { webhook_secret: inBase64('other') } });
  await reconcile(space, { sees: 'before' });
  expect(space.secret('orders-webhook')).toEqual(before);
});

test('a Secret that is deleted at the same time is tried again', async () => {
  const space = await namespace();
  await space.settle(orders());
  space.patch('Secret', 'orders-webhook', { data: { webhook_secret: inBase64('mine') } });
  const vanish = () => space.delete('Secret', 'orders-webhook');
  shared.bed.kube.faults.order({ after: vanish }, { on: 'update secrets' });
  await expect(reconcile(space)).rejects.toThrow('was deleted at the same time');
  await reconcile(space);
  expect([space.secrets(), stateOf(space)]).toEqual([['orders-webhook'], 'True Ready']);
});

test('D57: the Secret has the key of reply addresses; a rotation accepts the former one for a while', async () => {
  const space = await namespace();
  await space.settle(orders({ replyAddresses: { only: true } }));
  const [record] = await space.records('addresses');
  const first = space.secret('orders-webhook');
  expect(first).toMatchObject({
    address_id: record?._id,
    reply_key: expect.stringMatching(/^rkey_/) as string,
  });
  const rotation = { only: true, keyGeneration: 2, keyOverlapHours: 720 };
  await space.settle(orders({ replyAddresses: rotation }));
  const second = space.secret('orders-webhook');
  expect(second?.reply_key).not.toBe(first?.reply_key);
  const [rotated] = await space.records('addresses');
  type Former = { generation: number; valid_until: Date };
  const [former] = (rotated?.former_reply_keys ?? []) as Former[];
  expect([rotated?.reply_only, rotated?.reply_key_generation, former?.generation]).toEqual([
    true,
    2,
    1,
  ]);
  const hours = ((former?.valid_until.getTime() ?? 0) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(719);
});
