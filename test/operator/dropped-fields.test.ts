/** A resource with a field that has no effect says so: docs/upgrade.md. */
import { expect, test } from 'vitest';

import { address } from '../support/manifests.ts';
import { createNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const shared = useOperator();
const URL = 'https://hooks.example.com/inbound';

test('V.4: an address without a rule that it should have works, and is not ready', async () => {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  await space.settle(address('orders', URL));
  space.patch('InboundAddress', 'orders', {
    metadata: {
      managedFields: [{ fieldsV1: { 'f:spec': { 'f:webhookUrl': {}, 'f:rules': {} } } }],
    },
  });
  await space.reconcile('InboundAddress', 'orders');
  expect(space.condition('InboundAddress', 'orders')).toBe('False FieldsDropped');
  expect(space.message('InboundAddress', 'orders')).toMatch(/^spec\.rules had no effect: /);
  expect(space.secret('orders-webhook')).toMatchObject({ webhook_url: URL });
  expect(space.events()).toEqual(['Ready', 'Ready', 'FieldsDropped']);

  const rules = [{ name: 'spam', when: 'spam.score > 5', action: 'hold' }];
  await space.settle(address('orders', URL, { rules }));
  expect(space.condition('InboundAddress', 'orders')).toBe('True Ready');
});
