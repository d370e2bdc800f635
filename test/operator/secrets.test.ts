/**
 * The Secrets that the operator writes: only its own, whatever else happens to them, and only those
 * that it may.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { address } from '../support/manifests.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';
import { type Operator, type OperatorBed, startOperatorBed } from './operator-bed.ts';

const HOOK = 'https://hooks.example.com/inbound';
const MANAGED = { 'app.kubernetes.io/managed-by': 'inlet-operator' };
const LONG = 'n'.repeat(250);

let bed: OperatorBed;
let operator: Operator;
beforeAll(async () => {
  bed = await startOperatorBed();
  operator = await bed.start();
});
afterAll(async () => {
  await operator?.[Symbol.asyncDispose]();
  await bed?.[Symbol.asyncDispose]();
});

async function namespace(by = operator): Promise<TestNamespace> {
  const space = createNamespace(bed, by);
  await space.withAccount();
  return space;
}
const orders = (spec: object = {}) => address('orders', HOOK, spec);
const reconcile = (space: TestNamespace, how = {}) =>
  space.reconcile('InboundAddress', 'orders', how);
const stateOf = (space: TestNamespace) => space.condition('InboundAddress', 'orders');
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
          apiVersion: 'inlet.email/v1alpha1',
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

test('a Secret that the API server refuses is explained with its message', async () => {
  const space = await namespace();
  space.apply(orders());
  bed.kube.faults.order(
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

test('a secret that was rotated but could not be written is not rotated again', async () => {
  const space = await namespace();
  await space.settle(orders());
  space.patch('Secret', 'orders-webhook', { immutable: true });
  await space.settle(orders({ secretGeneration: 2 }));
  await reconcile(space);
  expect(stateOf(space)).toBe('False SecretRefused');
  expect(await space.records('addresses')).toMatchObject([
    { secret_generation: 2, former_secrets: [{}] },
  ]);
  space.delete('Secret', 'orders-webhook');
  await reconcile(space);
  const [stored] = await space.records('addresses');
  const record = await bed.stores.addresses.findManaged(stored?.managed_by);
  expect([space.secret('orders-webhook')?.webhook_secret, stored?.former_secrets]).toEqual([
    record?.webhook_secret,
    [{}].map(() => expect.anything() as unknown),
  ]);
});

test('with names of Secrets, an operator writes only these', async () => {
  await using limited = await bed.start({ settings: { secretNames: ['allowed'] } });
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
  operator.look();
  space.patch('Secret', 'orders-webhook', { data: { webhook_secret: inBase64('other') } });
  await reconcile(space, { sees: 'before' });
  expect(space.secret('orders-webhook')).toEqual(before);
});

test('a Secret that is deleted at the same time is tried again', async () => {
  const space = await namespace();
  await space.settle(orders());
  space.patch('Secret', 'orders-webhook', { data: { webhook_secret: inBase64('mine') } });
  const vanish = () => space.delete('Secret', 'orders-webhook');
  bed.kube.faults.order({ after: vanish }, { on: 'update secrets' });
  await expect(reconcile(space)).rejects.toThrow('was deleted at the same time');
  await reconcile(space);
  expect([space.secrets(), stateOf(space)]).toEqual([['orders-webhook'], 'True Ready']);
});
