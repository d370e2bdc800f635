/**
 * What all kinds have in common: finalizers, the status and its events, resources that change or
 * disappear while they are reconciled, and failures that a user can see.
 */
import { expect, test } from 'vitest';

import { definitionOf } from '../support/kube-api/definitions.ts';
import { address } from '../support/manifests.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const HOOK = 'https://hooks.example.com/inbound';
const FINALIZER = 'inlet.email/operator';
const OTHER = 'example.com/other';

const shared = useOperator();

async function namespace(): Promise<TestNamespace> {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  return space;
}
const orders = (spec: object = {}) => address('orders', HOOK, spec);
const reconcile = (space: TestNamespace, how = {}) =>
  space.reconcile('InboundAddress', 'orders', how);
const stateOf = (space: TestNamespace) => space.condition('InboundAddress', 'orders');
const resourceOf = (space: TestNamespace) => space.get('InboundAddress', 'orders');
/** The calls to the cluster meanwhile. */
async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = shared.bed.kube.calls.length;
  await work();
  return shared.bed.kube.calls.slice(before);
}

test('the finalizer is set before anything is created', async () => {
  const space = await namespace();
  space.apply(orders());
  shared.bed.kube.faults.order({ status: 500 }, { on: 'patch inboundaddresses' });
  await expect(reconcile(space)).rejects.toThrow('fault 500');
  expect([await space.records('addresses'), space.secrets()]).toEqual([[], []]);
});

test('a resource that is settled causes no calls, and no event', async () => {
  const space = await namespace();
  await space.settle(orders());
  expect(await callsOf(() => reconcile(space))).toEqual([]);
});

test('a condition that stays causes no event, but the status follows the spec', async () => {
  const space = await namespace();
  await space.settle(orders());
  space.apply(orders({ description: 'new' }));
  expect(await callsOf(() => reconcile(space))).toEqual(['patch inboundaddresses/status']);
  expect(resourceOf(space)?.status?.observedGeneration).toBe(2);
});

test('an event that cannot be written is left out', async () => {
  const space = await namespace();
  space.apply(orders());
  shared.bed.kube.faults.order({ status: 403 }, { on: 'create events' });
  expect(await reconcile(space)).toEqual({ result: 'settled' });
  expect([stateOf(space), space.events()]).toEqual(['True Ready', ['Ready']]); // of the Account
});

test('the first failures are not shown; later ones are, until the work succeeds', async () => {
  const space = await namespace();
  await space.settle(orders());
  space.apply(orders({ webhookUrl: `${HOOK}/new`, secretName: undefined }));
  shared.bed.kube.faults.order({ status: 500 }, { on: 'update secrets', times: 3 });
  for (const failures of [0, 1]) {
    await expect(reconcile(space, { failures })).rejects.toThrow('fault 500');
    expect(stateOf(space)).toBe('True Ready');
  }
  await expect(reconcile(space, { failures: 2 })).rejects.toThrow('fault 500');
  expect([stateOf(space), space.events().at(-1)]).toEqual(['False Unavailable', 'Unavailable']);
  expect(resourceOf(space)?.status?.observedGeneration).toBe(1); // its spec is not applied yet
  await reconcile(space, { failures: 3 });
  expect([stateOf(space), resourceOf(space)?.status?.observedGeneration]).toEqual([
    'True Ready',
    2,
  ]);
});

test('a failure that cannot be shown either is still the one that is reported', async () => {
  const space = await namespace();
  space.apply(orders());
  shared.bed.kube.faults.order({ status: 500, message: 'first' }, { on: 'create secrets' });
  shared.bed.kube.faults.order(
    { status: 500, message: 'second' },
    { on: 'patch inboundaddresses/status' },
  );
  await expect(reconcile(space, { failures: 2 })).rejects.toThrow('first');
});

test('a spec that this version cannot read is refused with the name of the field', async () => {
  const space = await namespace();
  const { metadata } = space.apply(orders());
  const place = { ...metadata, definition: definitionOf('InboundAddress') };
  shared.bed.kube.objects.write(place, (before) => ({
    metadata,
    ...before,
    spec: { ...before?.spec, spamRefuseAbove: 'high' }, // as another version of the CRD allows
  }));
  expect(await reconcile(space)).toEqual({ result: 'refused' });
  expect([stateOf(space), space.message('InboundAddress', 'orders')]).toEqual([
    'False InvalidSpec',
    expect.stringMatching(/^spec\.spamRefuseAbove must be a number$/),
  ]);
});

test('nothing is created for a resource that is gone, although the caches do not know it yet', async () => {
  const space = await namespace();
  space.apply(orders());
  shared.operator.look();
  space.delete('InboundAddress', 'orders');
  await expect(reconcile(space, { sees: 'before' })).rejects.toThrow('uid mismatch');
  expect([resourceOf(space), await space.records('addresses')]).toEqual([undefined, []]);
});

test.each<[string, boolean, string]>([
  ['its status is written', false, 'patch inboundaddresses/status'],
  ['its finalizer is dropped', true, 'patch inboundaddresses'],
])('a resource that goes before %s counts as removed', async (_, isDeleting, on) => {
  const space = await namespace();
  space.apply({ ...orders(), metadata: { name: 'orders', finalizers: [FINALIZER] } });
  if (isDeleting) space.delete('InboundAddress', 'orders');
  const forceRemoval = () => {
    space.patch('InboundAddress', 'orders', { metadata: { finalizers: null } });
    if (!isDeleting) space.delete('InboundAddress', 'orders');
  };
  shared.bed.kube.faults.order({ after: forceRemoval }, { on });
  expect(await reconcile(space)).toEqual({ result: 'removed' });
});

test('a resource that was deleted and created again is left to the next reconciliation', async () => {
  const space = await namespace();
  space.apply(orders());
  shared.bed.kube.faults.order(
    {
      after: () => {
        space.delete('InboundAddress', 'orders');
        space.apply(orders());
        shared.operator.look();
      },
    },
    { on: 'patch inboundaddresses' },
  );
  expect(await reconcile(space)).toEqual({ result: 'removed' });
  expect(await space.records('addresses')).toEqual([]);
  await reconcile(space);
  expect(stateOf(space)).toBe('True Ready');
});

test('the status of a former resource is not written to the one that has its name now', async () => {
  const space = await namespace();
  await space.settle(orders());
  const replace = () => {
    space.patch('InboundAddress', 'orders', { metadata: { finalizers: null } });
    space.delete('InboundAddress', 'orders');
    space.apply(orders({ description: 'later' }));
    shared.operator.look();
  };
  space.apply(orders({ description: 'former' }));
  shared.bed.kube.faults.order({ after: replace }, { on: 'create secrets' });
  space.delete('Secret', 'orders-webhook');
  expect(await reconcile(space)).toEqual({ result: 'removed' });
  expect(resourceOf(space)?.status).toBeUndefined();
});

test('a resource of the same name that only the cluster knows yet is a conflict, and tried again', async () => {
  const space = await namespace();
  space.apply(orders());
  shared.operator.look();
  space.delete('InboundAddress', 'orders');
  space.apply(orders());
  await expect(reconcile(space, { sees: 'before' })).rejects.toThrow('field is immutable');
  await reconcile(space);
  expect(stateOf(space)).toBe('True Ready');
});

test('a resource that is deleted before its finalizer is set is gone, unless others have one', async () => {
  const space = await namespace();
  space.apply({ ...orders(), metadata: { name: 'orders', finalizers: [OTHER] } });
  shared.operator.look();
  space.delete('InboundAddress', 'orders');
  await expect(reconcile(space, { sees: 'before' })).rejects.toThrow('being deleted');
  expect(await reconcile(space)).toEqual({ result: 'removed' });
  expect([resourceOf(space)?.metadata.finalizers, await space.records('addresses')]).toEqual([
    [OTHER],
    [],
  ]);
});

test('a finalizer of another controller, or of a backup, stays when the operator is done', async () => {
  const space = await namespace();
  space.apply({ ...orders(), metadata: { name: 'orders', finalizers: [FINALIZER, OTHER] } });
  await reconcile(space);
  expect(resourceOf(space)?.metadata.finalizers).toEqual([FINALIZER, OTHER]);
  space.delete('InboundAddress', 'orders');
  expect(await reconcile(space)).toEqual({ result: 'removed' });
  expect(resourceOf(space)?.metadata.finalizers).toEqual([OTHER]);
  expect(await callsOf(() => reconcile(space))).toEqual([]); // nothing is left to do
  space.patch('InboundAddress', 'orders', { metadata: { finalizers: null } });
  expect(resourceOf(space)).toBeUndefined();
});

test('a finalizer that another controller drops at the same time is not set again', async () => {
  const space = await namespace();
  space.apply({ ...orders(), metadata: { name: 'orders', finalizers: [OTHER] } });
  await reconcile(space);
  space.delete('InboundAddress', 'orders');
  shared.bed.kube.faults.order(
    {
      after: () =>
        space.patch('InboundAddress', 'orders', { metadata: { finalizers: [FINALIZER] } }),
    },
    { on: 'patch inboundaddresses' },
  );
  await expect(reconcile(space)).rejects.toThrow('has been modified');
  expect(await reconcile(space)).toEqual({ result: 'removed' });
  expect(resourceOf(space)).toBeUndefined();
});
