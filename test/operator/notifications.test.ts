/** An AccountNotification resource becomes a notification and a Secret. */
import { expect, test } from 'vitest';

import { notification } from '../support/manifests.ts';
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

test('a change of the spec is applied to the record and to the Secret', async () => {
  const space = await withPager();
  await change(space, { url: `${HOOK}/new`, types: ['token.created'] });
  expect(await recordOf(space)).toMatchObject({ url: `${HOOK}/new`, types: ['token.created'] });
  expect(space.secret('pager-notification')?.url).toBe(`${HOOK}/new`);
  await change(space, { url: `${HOOK}/new`, enabled: false });
  expect([stateOf(space), (await recordOf(space)).is_enabled]).toEqual(['True Disabled', false]);
});
