/** An InboundReceiver resource becomes a further receiver of an address, and a Secret. */
import { expect, test } from 'vitest';

import { RECEIVER_AUTH_LABEL } from '../../services/core/kube/spec/receiver-auth-spec.ts';
import { account, address, receiver } from '../support/manifests.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const HOOK = 'https://hooks.example.com/more';

const shared = useOperator();

async function withReceiver(spec: object = {}): Promise<TestNamespace> {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  await space.settle(address('orders', HOOK), receiver('more', HOOK, spec));
  return space;
}
const recordOf = async (space: TestNamespace) => (await space.records('receivers'))[0] ?? {};
const stateOf = (space: TestNamespace) => space.condition('InboundReceiver', 'more');
const reconcile = (space: TestNamespace) => space.reconcile('InboundReceiver', 'more');
const change = (space: TestNamespace, spec: object) => space.settle(receiver('more', HOOK, spec));
const addressOf = (space: TestNamespace) => space.get('InboundAddress', 'orders')?.status;

test('a new resource is a receiver of its address, and its Secret says how to verify it', async () => {
  const space = await withReceiver({ description: 'Warehouse', payload: { attachments: 'omit' } });
  const record = await recordOf(space);
  expect(record).toMatchObject({
    address_id: addressOf(space)?.id,
    url: HOOK,
    description: 'Warehouse',
    payload: { attachments: 'omit', raw: false },
    is_enabled: true,
  });
  expect(space.secret('more-receiver')).toEqual({
    webhook_secret: expect.stringMatching(/^whsec_/) as string,
    url: HOOK,
  });
  expect(space.get('InboundReceiver', 'more')?.status).toMatchObject({
    id: record._id,
    address: addressOf(space)?.address,
    secretName: 'more-receiver',
  });
  expect([stateOf(space), await space.audited()]).toEqual([
    'True Ready',
    ['address.created', 'receiver.created'],
  ]);
});

test('without its address it waits; it is created with it, and again with the next one', async () => {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  await space.settle(receiver('more', HOOK));
  expect([stateOf(space), space.secrets()]).toEqual(['False AddressNotReady', []]);
  await space.settle(address('orders', HOOK));
  await reconcile(space);
  const first = (await recordOf(space))._id as string;
  space.delete('InboundAddress', 'orders');
  await space.reconcile('InboundAddress', 'orders');
  await reconcile(space);
  expect(stateOf(space)).toBe('False AddressNotReady');
  await space.settle(address('orders', HOOK));
  await reconcile(space);
  const second = await recordOf(space);
  expect([stateOf(space), second.address_id, second._id === first]).toEqual([
    'True Ready',
    addressOf(space)?.id,
    false,
  ]);
});

test('a change of the spec is applied', async () => {
  const space = await withReceiver();
  await change(space, { url: `${HOOK}/new`, enabled: false });
  expect(await recordOf(space)).toMatchObject({ url: `${HOOK}/new`, is_enabled: false });
  expect([stateOf(space), space.secret('more-receiver')?.url]).toEqual([
    'True Disabled',
    `${HOOK}/new`,
  ]);
});

test('D49: with a private key, its Secret has the public one, also after a change of the method', async () => {
  const space = await withReceiver({ signing: 'ed25519' });
  const { public_key } = await recordOf(space);
  expect(space.secret('more-receiver')).toEqual({ public_key, url: HOOK });
  await change(space, { signing: 'hmac' });
  expect(space.secret('more-receiver')).toEqual({
    webhook_secret: expect.stringMatching(/^whsec_/) as string,
    url: HOOK,
  });
});

const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'gateway', labels: { [RECEIVER_AUTH_LABEL]: 'true' } },
  data: { username: 'aW5sZXQ=', password: 'c2VjcmV0LTE=' },
};

test('D53: a Service of its namespace, with the authority of its certificate', async () => {
  const space = await withReceiver();
  const service = { name: 'billing', port: 8443, path: '/in' };
  space.apply(receiver('more', null as never, { service, caBundle: 'PEM' }));
  await reconcile(space);
  const url = `https://billing.${space.name}.svc:8443/in`;
  expect(await recordOf(space)).toMatchObject({ url, service: { ca: 'PEM' } });
  expect([stateOf(space), space.secret('more-receiver')?.url]).toEqual(['True Ready', url]);
});

test('D53: authentication by a Secret, which must exist, carry the label, and is read again', async () => {
  const space = await withReceiver({ auth: { basicSecretRef: { name: 'gateway' } } });
  expect([stateOf(space), await space.records('receivers')]).toEqual(['False AuthNotUsable', []]);
  expect(space.message('InboundReceiver', 'more')).toContain('gateway does not exist');
  space.apply({ ...SECRET, metadata: { name: 'gateway' } });
  await reconcile(space);
  expect(space.message('InboundReceiver', 'more')).toContain('does not have the label');
  space.apply(SECRET);
  await reconcile(space);
  const first = await recordOf(space);
  expect([stateOf(space), first.auth.basic]).toEqual(['True Ready', { username: 'inlet' }]);
  await reconcile(space);
  expect((await recordOf(space)).sealed_auth).toBe(first.sealed_auth);
  space.patch('Secret', 'gateway', { data: { password: 'c2VjcmV0LTI=' } });
  await reconcile(space);
  expect((await recordOf(space)).sealed_auth).not.toBe(first.sealed_auth);
  await change(space, { url: `${HOOK}/elsewhere`.replace('hooks', 'other') });
  expect(stateOf(space)).toBe('True Ready');
  await change(space, { auth: null });
  expect(await recordOf(space)).toMatchObject({ auth: null, sealed_auth: null });
  expect(
    JSON.stringify(await shared.bed.mongo.db.collection('events').find().toArray()),
  ).not.toContain('secret-');
});

test('an address that an earlier resource left to another account gets no receiver', async () => {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  await space.settle(address('orders', HOOK));
  space.patch('InboundAddress', 'orders', { metadata: { finalizers: null } });
  space.delete('InboundAddress', 'orders');
  await space.settle(account('heir', { email: `heir@${space.name}.example` }));
  await space.settle(address('orders', HOOK, { accountRef: { name: 'heir' } }));
  await space.settle(receiver('more', HOOK));
  expect([stateOf(space), await space.records('receivers'), space.secrets()]).toEqual([
    'False AddressNotReady',
    [],
    [],
  ]);
});

test('the record of a deleted receiver is kept for what waits', async () => {
  const space = await withReceiver();
  const { _id } = await recordOf(space);
  space.delete('InboundReceiver', 'more');
  await reconcile(space);
  const kept = await shared.bed.mongo.db.collection('receivers').findOne({ _id });
  expect(kept?.deleted_at).toBeInstanceOf(Date);
});
