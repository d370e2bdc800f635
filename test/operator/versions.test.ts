/** Resources of the version before v1 stay what they are: docs/upgrade.md, From v1alpha1 to v1. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { connectKube, type Kube, type NewObject } from '../../services/adapters/kube/client.ts';
import { FORMER_VERSION, GROUP } from '../../services/core/kube/custom-resource.ts';
import { RESOURCES } from '../../services/operator/cluster/permissions.ts';
import type { Stored } from '../support/kube-api/objects.ts';
import { address, inFormerVersion } from '../support/manifests.ts';
import { createNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const shared = useOperator();
const FORMER = { ...RESOURCES.InboundAddress, version: FORMER_VERSION };

/** Of a user who has not changed any manifest. */
let kube: Kube;
beforeAll(async () => {
  kube = connectKube({ kubeconfig: await shared.bed.kube.kubeconfig(), timeoutMs: 10_000 });
});
afterAll(() => kube[Symbol.dispose]());

test('X.1: an address that is written in v1alpha1 becomes ready, and is the same one in v1', async () => {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  const manifest = inFormerVersion(address('orders', 'https://hooks.example.com/inbound'));
  const metadata = { namespace: space.name, name: 'orders' };
  const sent = { ...manifest, metadata } as unknown as NewObject;
  const created = await kube.create<Stored>(FORMER, sent);
  await space.reconcile('InboundAddress', 'orders');

  const former = await kube.get<Stored>(FORMER, space.name, 'orders');
  const current = await kube.get<Stored>(RESOURCES.InboundAddress, space.name, 'orders');
  expect([former.apiVersion, current.apiVersion]).toEqual([
    'inlet.email/v1alpha1',
    'inlet.email/v1',
  ]);
  expect({ ...former, apiVersion: current.apiVersion }).toEqual(current);
  expect(current.metadata.uid).toBe(created.metadata.uid);
  expect(space.condition('InboundAddress', 'orders')).toBe('True Ready');
  const { items } = await kube.list(FORMER, space.name, {});
  expect(items.map(({ apiVersion }) => apiVersion)).toEqual([`${GROUP}/${FORMER_VERSION}`]);
});

test('X.1: its Secret, which names v1alpha1 as its owner, is still its own', async () => {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  const manifest = address('orders', 'https://hooks.example.com/inbound');
  await space.settle(inFormerVersion(manifest));
  const before = space.secret('orders-webhook');
  const [owner] = space.get('Secret', 'orders-webhook')?.metadata.ownerReferences ?? [];
  const ownerReferences = [{ ...owner, apiVersion: `${GROUP}/${FORMER_VERSION}` }];
  space.patch('Secret', 'orders-webhook', { metadata: { ownerReferences } });
  await space.settle(manifest);
  expect(space.condition('InboundAddress', 'orders')).toBe('True Ready');
  expect(space.secret('orders-webhook')).toEqual(before);
  expect((await space.records('addresses')).length).toBe(1);
});
