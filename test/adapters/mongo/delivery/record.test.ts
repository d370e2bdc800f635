/**
 * Delivery records and their counters: correct under redeliveries, late copies and concurrent
 * writes of the same event (D14, D28).
 */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { createDeliveries } from '../../../../services/adapters/mongo/delivery/deliveries.ts';
import { createAddresses } from '../../../../services/adapters/mongo/address/addresses.ts';
import { deliveryIndexes } from '../../../../services/adapters/mongo/documents/delivery-documents.ts';
import { connectMongo } from '../../../../services/adapters/mongo/database/connection.ts';
import { createSecretBox } from '../../../../services/adapters/mongo/database/secrets.ts';
import { usageIndexes } from '../../../../services/adapters/mongo/usage/counters.ts';
import { summaryOf } from '../../../../services/core/delivery/delivery-view.ts';
import { lastRetryCount } from '../../../../services/core/delivery/last-attempt.ts';
import type { Address } from '../../../../services/core/address/address.ts';
import type { Attempt, DeliveryStatus } from '../../../../services/core/delivery/delivery.ts';
import { newId } from '../../../../services/core/id/ids.ts';
import type { DispatchEvent } from '../../../../services/core/delivery/delivery-event.ts';
import type { MailEvent } from '../../../../services/core/delivery/mail-event.ts';
import { changeTo, mailEvent } from '../../../support/mail-events.ts';
import { newAddress } from '../../../support/new-address.ts';
import { log } from '../../../support/pipeline.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { useInFile } from '../../../support/use-in-file.ts';
import { wholeAccount } from '../../../../services/core/address/scope.ts';

const NOW = new Date('2026-03-01T12:00:00Z');

const mongo = await useInFile(startTestDatabase([deliveryIndexes, usageIndexes]));
const other = await useInFile(connectMongo(mongo.uri, log));
const deliveries = createDeliveries(mongo.db);

async function anAddress(fields?: Partial<Address>): Promise<Address> {
  const address = newAddress('https://receiver.example/', fields);
  await createAddresses(mongo.db, createSecretBox([randomBytes(32)])).insert(address);
  return address;
}

const anEvent = (address: Address, receivedAt = NOW) => mailEvent(address, receivedAt);

const ATTEMPT: Attempt = {
  at: NOW,
  duration_ms: 5,
  outcome: 'busy',
  status_code: 503,
  error: null,
  excerpt: null,
};
const AN_ATTEMPT = { ...ATTEMPT, at: expect.any(Date) as Date };
const LATER = new Date('2026-03-01T12:01:00Z');
const change = (event: MailEvent, status: DeliveryStatus) =>
  changeTo(status, event, undefined, LATER);

const recordOf = (event: MailEvent) =>
  mongo.db
    .collection<{ _id: string; attempts: unknown[] }>('deliveries')
    .findOne({ _id: event.event_id });
const usageOf = async ({ account_id }: Address) =>
  await mongo.db
    .collection('usage_daily')
    .find(
      { account_id },
      { projection: { _id: 0, day: 1, environment: 1, received: 1, delivered: 1, failed: 1 } },
    )
    .sort({ day: 1 })
    .toArray();
const countOf = async ({ id }: Address) =>
  (
    await mongo.db
      .collection<{ _id: string; email_count: number }>('addresses')
      .findOne({ _id: id })
  )?.email_count;

test('D28: an event that only seems to be new has its attempt added, and is counted once', async () => {
  const address = await anAddress();
  const [known, fresh, later] = [anEvent(address), anEvent(address), anEvent(address)];
  await deliveries.record([change(known, 'pending'), change(later, 'pending')], NOW);
  const asNew = [known, fresh].map((event) => ({ ...change(event, 'failed'), isNew: true }));
  // beside a change of a record that exists: its error must not hide the duplicate key
  await deliveries.record([...asNew, change(later, 'failed')], NOW);
  for (const event of [known, fresh, later])
    expect(await recordOf(event)).toMatchObject({ status: 'failed', attempts: [AN_ATTEMPT] });
  expect(await usageOf(address)).toMatchObject([{ received: 3, delivered: 0, failed: 3 }]);
  expect(await countOf(address)).toBe(3);
});

test('a first attempt creates the record with all fields of the event', async () => {
  const address = await anAddress();
  const event = anEvent(address);
  await deliveries.record([change(event, 'retrying')], NOW);
  expect(await recordOf(event)).toMatchObject({
    account_id: address.account_id,
    address_id: address.id,
    environment: 'live',
    status: 'retrying',
    mail_from: 'ann@sender.example',
    from: 'Ann <ann@sender.example>',
    subject: 'hi',
    size_bytes: 99,
    received_at: NOW,
    attempts: [AN_ATTEMPT],
    next_attempt_at: LATER,
    updated_at: NOW,
  });
  expect(await deliveries.states([event.event_id, 'evt_unknown'])).toEqual(
    new Map([
      [
        event.event_id,
        expect.objectContaining({ status: 'retrying', attempts: 1, next_attempt_at: LATER }),
      ],
    ]),
  );
});

test('a batch counts each event by account, environment and day of receipt', async () => {
  const account_id = newId('acc', NOW, randomBytes(10));
  const [live, test_] = [
    await anAddress({ account_id }),
    await anAddress({ account_id, environment: 'test' }),
  ];
  const yesterday = new Date('2026-02-28T23:59:59.999Z');
  const events = [anEvent(live), anEvent(live), anEvent(live, yesterday), anEvent(test_)];
  await deliveries.record(
    events.map((event, i) => change(event, i === 1 ? 'failed' : 'delivered')),
    NOW,
  );
  expect(await usageOf(live)).toEqual(
    expect.arrayContaining([
      { day: '2026-02-28', environment: 'live', received: 1, delivered: 1, failed: 0 },
      { day: '2026-03-01', environment: 'live', received: 2, delivered: 1, failed: 1 },
      { day: '2026-03-01', environment: 'test', received: 1, delivered: 1, failed: 0 },
    ]),
  );
  expect([await countOf(live), await countOf(test_)]).toEqual([3, 1]);
});

test('an outcome is recorded even if its address no longer exists', async () => {
  const address = newAddress('https://receiver.example/');
  const event = anEvent(address);
  await deliveries.record([change(event, 'delivered')], NOW);
  expect(await recordOf(event)).toMatchObject({ status: 'delivered' });
  expect(await usageOf(address)).toMatchObject([{ received: 1 }]);
});

test('two dispatchers that write the same events concurrently count each once and lose no attempt', async () => {
  const address = await anAddress();
  const events = Array.from({ length: 40 }, () => anEvent(address));
  const rival = createDeliveries(other.db);
  await Promise.all([
    ...events.map((event) => deliveries.record([change(event, 'delivered')], NOW)),
    rival.record(
      events.map((event) => change(event, 'retrying')),
      NOW,
    ),
    rival.record(events.map((event) => change(event, 'delivered')).toReversed(), NOW),
  ]);
  expect(await usageOf(address)).toEqual([
    { day: '2026-03-01', environment: 'live', received: 40, delivered: 40, failed: 0 },
  ]);
  expect(await countOf(address)).toBe(40);
  for (const event of events) expect((await recordOf(event))?.attempts).toHaveLength(3);
});

const countsOf = async (event: MailEvent) =>
  mongo.db
    .collection<{ _id: string; attempts: Attempt[]; attempt_count?: number }>('deliveries')
    .findOne({ _id: event.event_id });

describe('attempts of a record', () => {
  test('are counted, and the last 100 are kept', async () => {
    const event = anEvent(await anAddress());
    for (let n = 1; n <= 103; n++)
      await deliveries.record(
        [
          {
            ...change(event, 'retrying'),
            attempt: { ...ATTEMPT, at: new Date(n), duration_ms: n },
          } as DispatchEvent,
        ],
        NOW,
      );
    const stored = await countsOf(event);
    expect(stored?.attempt_count).toBe(103);
    expect(stored?.attempts.map(({ duration_ms }) => duration_ms)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 4),
    );
    expect((await deliveries.states([event.event_id])).get(event.event_id)?.attempts).toBe(103);
    const found = await deliveries.find(wholeAccount(event), event.event_id);
    expect(found && [summaryOf(found).attempt_count, lastRetryCount(found)]).toEqual([103, 102]);
    const { items } = await deliveries.page(wholeAccount(event), {}, { limit: 1, offset: 0 });
    expect(items[0]?.attempt_count).toBe(103);

    await deliveries.record([change(event, 'failed')], NOW);
    await deliveries.markReplayed([{ event_id: event.event_id, dueAt: NOW }], NOW);
    const replayed = (await deliveries.states([event.event_id])).get(event.event_id);
    expect(replayed).toMatchObject({ attempts: 104, attempts_before_replay: 104 });
  });

  test('that an earlier release wrote without a count are counted', async () => {
    const event = anEvent(await anAddress());
    await deliveries.record([change(event, 'retrying')], NOW);
    await mongo.db
      .collection<{ _id: string; attempts: Attempt[] }>('deliveries')
      .updateOne(
        { _id: event.event_id },
        { $unset: { attempt_count: '' }, $push: { attempts: ATTEMPT } },
      );
    expect((await deliveries.states([event.event_id])).get(event.event_id)?.attempts).toBe(2);
    await deliveries.record([change(event, 'delivered')], NOW);
    expect((await countsOf(event))?.attempt_count).toBe(3);
  });

  test('that fill the record are cut by the next outcome, so that it can be written', async () => {
    const event = anEvent(await anAddress());
    await deliveries.record([change(event, 'retrying')], NOW);
    const large = { ...ATTEMPT, error: 'x'.repeat(3_200) };
    const records = mongo.db.collection<{ _id: string; attempts: Attempt[] }>('deliveries');
    for (let added = 0; added < 5_000; added += 500)
      await records.updateOne(
        { _id: event.event_id },
        { $push: { attempts: { $each: Array.from({ length: 500 }, () => large) } } },
      );
    await expect(
      records.updateOne(
        { _id: event.event_id },
        { $push: { attempts: { ...large, error: 'x'.repeat(1_000_000) } } },
      ),
    ).rejects.toThrow(/16777216|too large|size/i);
    await deliveries.record([change(event, 'delivered')], NOW);
    const stored = await countsOf(event);
    expect([stored?.attempts.length, stored?.attempt_count]).toEqual([100, 5_002]);
  });

  test('with 1,000 of them, a bulk replay leaves the delivery out', async () => {
    const address = await anAddress();
    const [once, often] = [anEvent(address), anEvent(address)];
    await deliveries.record([change(once, 'failed'), change(often, 'failed')], NOW);
    await mongo.db
      .collection<{ _id: string }>('deliveries')
      .updateOne({ _id: often.event_id }, { $set: { attempt_count: 1_000 } });
    const found = await deliveries.oldest(
      wholeAccount(address),
      { status: 'failed' },
      undefined,
      10,
    );
    expect(found?.map(({ event_id }) => event_id)).toEqual([once.event_id]);
  });
});

test('a batch of emails and notifications is recorded by the prefix of each id; only emails count', async () => {
  const address = await anAddress();
  const email = anEvent(address);
  const notification = {
    ...email,
    event_id: newId('nevt', NOW, randomBytes(10)),
    address_id: 'ntf_1',
  };
  await deliveries.record([change(email, 'delivered'), change(notification, 'retrying')], NOW);
  expect(await recordOf(notification)).toBeNull();
  expect(await usageOf(address)).toMatchObject([{ received: 1, delivered: 1, failed: 0 }]);
  const ids = [email.event_id, notification.event_id];
  const states = await deliveries.states(ids);
  expect(ids.map((id) => states.get(id)?.status)).toEqual(['delivered', 'retrying']);
  expect((await deliveries.find(wholeAccount(address), notification.event_id))?.address_id).toBe(
    'ntf_1',
  );
  expect(await deliveries.findEmail(wholeAccount(address), notification.event_id)).toBeUndefined();
  expect((await deliveries.findEmail(wholeAccount(address), email.event_id))?.address_id).toBe(
    address.id,
  );

  await deliveries.record([change(notification, 'delivered')], NOW);
  await deliveries.markReplayed(
    ids.map((event_id) => ({ event_id, dueAt: LATER })),
    NOW,
  );
  const replayed = await deliveries.states(ids);
  expect(ids.map((id) => replayed.get(id)?.status)).toEqual(['pending', 'pending']);
  expect(await usageOf(address)).toMatchObject([{ received: 1, delivered: 0, failed: 0 }]);
});

test('an empty batch is not an error', async () => {
  await expect(deliveries.record([], NOW)).resolves.toEqual(new Map());
  expect(await deliveries.states([])).toEqual(new Map());
});
