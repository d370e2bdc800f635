/** Which region publishes an event to the notifications of its account (D87). */
import { expect, test } from 'vitest';

import { createUsageEvents } from '../../../../services/adapters/mongo/audit/events.ts';
import { createOutbox } from '../../../../services/adapters/mongo/notification/outbox.ts';
import { startTestDatabase } from '../../../support/test-database.ts';

test('one region publishes an event; another one takes its place after a minute', async () => {
  await using mongo = await startTestDatabase();
  await createUsageEvents(mongo.db).add([
    {
      account_id: 'acc_1',
      environment: 'live',
      type: 'token.created',
      address_id: null,
      timestamp: new Date(),
      data: {},
    },
  ]);
  await mongo.db.collection('events').createIndex({ to_notify: 1, _id: 1 }, { name: 'to_notify' });
  const outbox = createOutbox(mongo.db, { list: () => Promise.resolve([]) });
  const [due] = await outbox.due(10);
  if (due === undefined) throw new Error('no event is due');
  const now = new Date();
  const later = new Date(now.getTime() + 61_000);
  const claims = [];
  for (const [region, at] of [
    ['north', now],
    ['north', now],
    ['south', now],
    [undefined, now],
    ['south', later],
    ['north', later],
  ] as const)
    claims.push(await outbox.claim(due.event, region, at));
  expect(claims).toEqual([true, true, false, false, true, false]);
  expect(await outbox.due(10)).toEqual([due]); // without the claim

  await outbox.published(due.event);
  expect(await outbox.claim(due.event, 'north', later)).toBe(false);
  expect(await mongo.db.collection('events').findOne()).not.toHaveProperty('notified_by');
});
