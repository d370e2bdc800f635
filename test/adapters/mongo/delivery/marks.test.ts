/** What a request decided about an email counts for deliveries that are recorded later (D168). */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import { createDeliveries } from '../../../../services/adapters/mongo/delivery/deliveries.ts';
import { INDEXES } from '../../../../services/adapters/mongo/stores.ts';
import { recountUsage } from '../../../../services/adapters/mongo/usage/recount.ts';
import type { DispatchEvent } from '../../../../services/core/delivery/delivery-event.ts';
import { wholeAccount } from '../../../../services/core/address/scope.ts';
import type { DeliveryStatus } from '../../../../services/core/delivery/delivery.ts';
import { type MailEvent, receiverEventId } from '../../../../services/core/delivery/mail-event.ts';
import { newId } from '../../../../services/core/id/ids.ts';
import { changeTo, mailEvent } from '../../../support/mail-events.ts';
import { newAddress } from '../../../support/new-address.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { useInFile } from '../../../support/use-in-file.ts';

const NOW = new Date();

const mongo = await useInFile(
  startTestDatabase([
    INDEXES.deliveries,
    INDEXES.notificationDeliveries,
    INDEXES.emailMarks,
    INDEXES.usage,
  ]),
);
const deliveries = createDeliveries(mongo.db);

/** An email of an address, and its event at a further receiver. */
function anEmail(fields: Partial<MailEvent> = {}) {
  const own = { ...mailEvent(newAddress('https://receiver.example/'), NOW), ...fields };
  const receiver = newId('rcv', NOW, randomBytes(10));
  const email = { address_id: own.address_id, event_id: own.event_id };
  const further: MailEvent = {
    ...own,
    address_id: receiver,
    email,
    event_id: receiverEventId(own.event_id, receiver),
  };
  return { own, further };
}

const REDELIVER = { kind: 'redeliver' };
const HELD: Partial<MailEvent> = { ruling: { action: 'hold', rules: [] } as never };
const found = async ({ account_id, event_id }: MailEvent) =>
  (await deliveries.find(wholeAccount({ account_id, environment: 'live' }), event_id))!;
const usageIsRight = async () => expect(await Array.fromAsync(recountUsage(mongo.db))).toEqual([]);

test.each<[DeliveryStatus, DeliveryStatus]>([
  ['pending', 'failed'],
  ['retrying', 'failed'],
  ['delivered', 'delivered'],
  ['failed', 'failed'],
])(
  'an email that is erased: a record that is made later as %s has no content',
  async (made, is) => {
    const { own, further } = anEmail();
    await deliveries.record([changeTo('delivered', own)], NOW);
    await deliveries.markEmail(own, own.event_id, 'erased', {}, NOW);
    const overtaken = await deliveries.record([{ ...changeTo(made, further), isNew: true }], NOW);
    expect(overtaken).toEqual(new Map([[further.event_id, REDELIVER]]));
    expect(await found(further)).toMatchObject({
      status: is,
      mail_from: '',
      subject: null,
      from: null,
      next_attempt_at: null,
      content_erased_at: expect.any(Date),
    });
    expect((await found(own)).subject).toBe('hi'); // the request erases what is recorded itself
    const [state] = (await deliveries.states([further.event_id])).values();
    expect(state?.content_erased_at).toBeDefined();
    await usageIsRight();
  },
);

test('an email that is released or dropped: so is what is recorded later; an erasure stays one', async () => {
  for (const made of ['held', 'pending'] as const) {
    const released = anEmail(HELD);
    await deliveries.markEmail(released.own, released.own.event_id, 'released', {}, NOW);
    const change = changeTo(made, released.further);
    expect([...(await deliveries.record([change], NOW)).values()]).toEqual([REDELIVER]);
    expect(await found(released.further)).toMatchObject({ status: 'pending', released_at: NOW });

    const dropped = anEmail(HELD);
    await deliveries.markEmail(dropped.own, dropped.own.event_id, 'dropped', {}, NOW);
    const other = changeTo(made, dropped.further);
    expect([...(await deliveries.record([other], NOW)).values()]).toEqual([REDELIVER]);
    expect((await found(dropped.further)).status).toBe('dropped');
  }
  const { own, further } = anEmail(HELD);
  await deliveries.markEmail(own, own.event_id, 'erased', {}, NOW);
  await deliveries.markEmail(own, own.event_id, 'released', {}, NOW);
  await deliveries.record([changeTo('pending', further)], NOW);
  expect((await found(further)).content_erased_at).toBeDefined();
  await usageIsRight();
});

const unread = (event: MailEvent): DispatchEvent => ({
  ...changeTo('pending', event),
  kind: 'kept',
  unread: { at: NOW, bytes: 1, until: NOW },
  found: undefined,
});
const ofOne = (account_id: string) => {
  const emails = (['pending', 'retrying', 'held', 'unread', 'delivered', 'failed'] as const).map(
    (is) => ({ is, event: anEmail({ account_id, ...(is === 'held' && HELD) }).own }),
  );
  const changes = emails.map(({ is, event }) =>
    is === 'unread' ? unread(event) : changeTo(is, event),
  );
  const records = async () =>
    new Map(
      await Promise.all(emails.map(async ({ is, event }) => [is, await found(event)] as const)),
    );
  return { changes, records };
};

test('an account that is closed: held email whose content was erased before ends, too', async () => {
  const account = newId('acc', NOW, randomBytes(10));
  const { own } = anEmail({ account_id: account, ...HELD });
  await deliveries.record([changeTo('held', own)], NOW);
  await deliveries.markErased(wholeAccount(own), own.event_id, NOW);
  expect(await found(own)).toMatchObject({ status: 'held' });
  await deliveries.endAll(account, true, NOW);
  expect(await found(own)).toMatchObject({ status: 'failed' });
});

test.each([
  ['what is recorded before and after that ends, and is not leased', false],
  ['and erased: no content is left of any email', true],
])('an account that is closed: %s', async (_, isErased) => {
  const account = newId('acc', NOW, randomBytes(10));
  const [before, after, stranger] = [ofOne(account), ofOne(account), ofOne('acc_open')];
  await deliveries.record([...before.changes, ...stranger.changes], NOW);
  const [email] = before.changes;
  expect(await deliveries.endAll(account, isErased, NOW)).toBe(4);
  expect(await deliveries.endAll(account, false, NOW)).toBe(0); // which takes no erasure back
  await deliveries.record(after.changes, NOW);
  await deliveries.record([changeTo('retrying', email!.mail)], NOW);
  for (const records of [await before.records(), await after.records()])
    for (const [was, record] of records) {
      const { status, unread: waits, next_attempt_at, canceled_at, subject } = record;
      expect({
        was,
        status,
        waits,
        next_attempt_at,
        subject,
        isCanceled: canceled_at !== undefined,
      }).toEqual({
        was,
        status: was === 'delivered' ? 'delivered' : 'failed',
        waits: undefined,
        next_attempt_at: null,
        subject: isErased ? null : 'hi',
        isCanceled: was !== 'delivered' && was !== 'failed',
      });
    }
  const others = await stranger.records();
  expect(others.get('held')?.status).toBe('held');
  expect(others.get('unread')?.unread).toBeDefined();
  await usageIsRight();
});

test('an email that was erased stays so when its account is closed before its record', async () => {
  const { own } = anEmail();
  await deliveries.markEmail(own, own.event_id, 'erased', {}, NOW);
  await deliveries.endAll(own.account_id, false, NOW);
  await deliveries.record([changeTo('pending', own)], NOW);
  expect(await found(own)).toMatchObject({ status: 'failed', subject: null });
});

test('a mark changes nothing that it is not for', async () => {
  const { own, further } = anEmail();
  const stranger = anEmail();
  await deliveries.markEmail(own, own.event_id, 'released', {}, NOW); // rules do not hold it
  await deliveries.markEmail(stranger.own, further.event_id, 'erased', {}, NOW);
  const settled = await deliveries.record([changeTo('delivered', further)], NOW);
  expect([...settled.values()]).toEqual([{ kind: 'acknowledge' }]);
  expect((await found(further)).subject).toBe('hi');
});

test('whichever comes first, the request or the record: one of them sees the other', async () => {
  const emails = Array.from({ length: 40 }, () => anEmail());
  await Promise.all(
    emails.map(async ({ own, further }) => {
      const request = async () => {
        await deliveries.markEmail(own, own.event_id, 'erased', {}, NOW);
        const scope = wholeAccount({ account_id: own.account_id, environment: 'live' });
        for (const { event_id } of await deliveries.findAll(scope, [further.event_id]))
          await deliveries.markErased(scope, event_id, NOW);
      };
      await Promise.all([request(), deliveries.record([changeTo('delivered', further)], NOW)]);
    }),
  );
  for (const { further } of emails) expect((await found(further)).subject).toBeNull();
});
