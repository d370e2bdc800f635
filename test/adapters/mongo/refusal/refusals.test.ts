/** Refusals of several gateways are one record; an account has a maximum, and each record an end. */
import { expect, test } from 'vitest';

import {
  createUsageEvents,
  usageEventIndexes,
} from '../../../../services/adapters/mongo/audit/events.ts';
import { createRefusals } from '../../../../services/adapters/mongo/refusal/refusal-list.ts';
import {
  createAddRefusals,
  createRefusingMailboxes,
  refusalIndexes,
} from '../../../../services/adapters/mongo/refusal/refusals.ts';
import { refusalOf, kindOf, type RefusedOnce } from '../../../../services/core/refusal/refusal.ts';
import { noSuchAddress } from '../../../../services/core/smtp/smtp-reply.ts';
import { noticeRefusing, OFTEN } from '../../../../services/api/refusal/refusing-sweep.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { useInFile } from '../../../support/use-in-file.ts';

const mongo = await useInFile(startTestDatabase([refusalIndexes, usageEventIndexes]));
const DAY_MS = 86_400_000;
const at = (minute: number) => new Date(Date.UTC(2099, 0, 1, 12, minute));

const onceAt = (account_id: string, mailbox: string): RefusedOnce => ({
  owner: { account_id, environment: 'live', address_id: null, name: '@own.example' },
  command: 'rcpt',
  reply: noSuchAddress,
  mailbox,
  sender: '',
  remoteIp: '192.0.2.7',
  heloDomain: 'x',
});
function refusal(account_id: string, mailbox: string, minute: number) {
  const once = onceAt(account_id, mailbox);
  return refusalOf(once, kindOf(once), at(minute));
}
const all = (account_id: string) =>
  createRefusals(mongo.db).page(
    { account_id, environment: 'live', address_ids: null },
    {},
    { limit: 10, offset: 0 },
  );

test('two gateways write one record, which ends after its last email', async () => {
  const add = createAddRefusals(mongo.db, 14 * DAY_MS);
  const [first, second] = [7, 9].map((minute) => refusal('acc_1', 'a@own.example', minute));
  if (!first || !second) throw new Error('two');
  await Promise.all([add([first]), add([second])]);
  await add([first]);
  expect((await all('acc_1')).items).toEqual([{ ...second, first_at: at(7), count: 3 }]);
  const [stored] = await mongo.db.collection('refusals').find({ account_id: 'acc_1' }).toArray();
  expect(stored?.until).toEqual(new Date(at(9).getTime() + 14 * DAY_MS));
  const indexes = await mongo.db.collection('refusals').indexes();
  expect(indexes).toContainEqual(
    expect.objectContaining({ key: { until: 1 }, expireAfterSeconds: 0 }),
  );
});

test('the oldest records of an account make room, and only those', async () => {
  const add = createAddRefusals(mongo.db, DAY_MS, 3);
  await add([refusal('acc_3', 'x@own.example', 0)]);
  const five = Array.from({ length: 5 }, (_, n) => refusal('acc_2', `${n}@own.example`, n));
  expect(await add(five)).toBe(2);
  expect((await all('acc_2')).items.map(({ mailbox }) => mailbox)).toEqual([
    '4@own.example',
    '3@own.example',
    '2@own.example',
  ]);
  expect((await all('acc_3')).total).toBe(1);
});

test('a mailbox that is refused often is an event of its account, once a day', async () => {
  const noon = new Date(Date.UTC(2099, 5, 1, 12, 30));
  const add = createAddRefusals(mongo.db, DAY_MS);
  const refusals = (mailbox: string, sender: string, count: number, when = noon) => {
    const once = { ...onceAt('acc_9', mailbox), sender };
    return { ...refusalOf(once, kindOf(once), when), count };
  };
  await add([
    refusals('often@own.example', 'a@sender.example', OFTEN),
    refusals('often@own.example', 'b@sender.example', 1),
    refusals('seldom@own.example', '', OFTEN),
    refusals('earlier@own.example', '', 2 * OFTEN, new Date(noon.getTime() - 3_600_000)),
  ]);
  const events = createUsageEvents(mongo.db);
  const refusingMailboxes = createRefusingMailboxes(mongo.db);
  for (const minutes of [0, 5, 24 * 60])
    await noticeRefusing(
      { refusingMailboxes, events },
      new Date(noon.getTime() + minutes * 60_000),
    );
  expect(await mongo.db.collection('events').find({ account_id: 'acc_9' }).toArray()).toMatchObject(
    [
      {
        type: 'address.refusing',
        address_id: null,
        data: { mailbox: 'often@own.example', refusals: OFTEN + 1, reason: 'no_such_address' },
        to_notify: true,
      },
    ],
  );
});
