/** Records that requests and sweeps end: what a request has overtaken, and what no stream has (D165, D167). */
import { expect, test } from 'vitest';

import { createDeliveries } from '../../../../services/adapters/mongo/delivery/deliveries.ts';
import { INDEXES } from '../../../../services/adapters/mongo/stores.ts';
import { recountUsage } from '../../../../services/adapters/mongo/usage/recount.ts';
import { wholeAccount } from '../../../../services/core/address/scope.ts';
import type { DispatchEvent } from '../../../../services/core/delivery/delivery-event.ts';
import type { Attempt, DeliveryStatus } from '../../../../services/core/delivery/delivery.ts';
import type { MailEvent } from '../../../../services/core/delivery/mail-event.ts';
import { changeTo, mailEvent } from '../../../support/mail-events.ts';
import { newAddress } from '../../../support/new-address.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { useInFile } from '../../../support/use-in-file.ts';

const HOUR_MS = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms);

const mongo = await useInFile(
  startTestDatabase([INDEXES.deliveries, INDEXES.notificationDeliveries, INDEXES.usage]),
);
const deliveries = createDeliveries(mongo.db);

const ATTEMPT: Attempt = {
  at: ago(HOUR_MS),
  duration_ms: 5,
  outcome: 'busy',
  status_code: 503,
  error: null,
  excerpt: 'a secret of the receiver',
  location: 'https://receiver.example/secret',
};

let attempts = 0;
/** Each begins at a time of its own: another attempt of the same time would be the same one. */
const anAttempt = () => ({ ...ATTEMPT, at: new Date(ATTEMPT.at.getTime() + attempts++) });

/** Records an attempt, or without one that it waits, as of a time. */
async function record(
  event: MailEvent,
  status: DeliveryStatus,
  { at = ago(HOUR_MS), revision = 0, next }: { at?: Date; revision?: number; next?: Date } = {},
) {
  const change = changeTo(status, event, undefined, next ?? at, revision);
  return deliveries.record(
    [status === 'pending' ? change : ({ ...change, attempt: anAttempt() } as DispatchEvent)],
    at,
  );
}

const anEvent = () => mailEvent(newAddress('https://receiver.example/'), ago(2 * HOUR_MS));
const scopeOf = ({ account_id }: MailEvent) => wholeAccount({ account_id, environment: 'live' });
const found = async (event: MailEvent) => {
  const delivery = await deliveries.find(scopeOf(event), event.event_id);
  if (delivery === undefined) throw new Error('no record');
  return delivery;
};
const usageIsRight = async () => expect(await Array.fromAsync(recountUsage(mongo.db))).toEqual([]);

test.each<[DeliveryStatus, DeliveryStatus]>([
  ['failed', 'pending'],
  ['retrying', 'pending'],
  ['delivered', 'delivered'],
])(
  'D165: an attempt that ends as %s after a replay began leaves the record %s',
  async (outcome, expected) => {
    const event = anEvent();
    await record(event, 'failed');
    const revisions = await deliveries.markReplayed(
      [{ event_id: event.event_id, dueAt: new Date() }],
      new Date(),
    );
    expect(revisions).toEqual(new Map([[event.event_id, 1]]));
    const late = { kind: outcome === 'delivered' ? 'acknowledge' : 'redeliver' };
    expect(await record(event, outcome)).toEqual(new Map([[event.event_id, late]]));
    expect(await found(event)).toMatchObject({ status: expected, attempts: [{}, {}] });
    const kept = new Map([
      [event.event_id, { kind: expected === 'delivered' ? 'acknowledge' : 'keep' }],
    ]);
    expect(await record(event, 'failed', { revision: 1 })).toEqual(kept);
    await usageIsRight();
  },
);

test('D165: a replay is taken once, whatever the clocks of the processes say', async () => {
  const event = anEvent();
  await record(event, 'delivered');
  const times = [ago(0), ago(24 * HOUR_MS), ago(-24 * HOUR_MS), new Date(0)];
  const marks = await Promise.all(
    times.map((time) => deliveries.markReplayed([{ event_id: event.event_id, dueAt: time }], time)),
  );
  const revisions = marks.flatMap((mark) => [...mark.values()]).toSorted((a, b) => a - b);
  expect(revisions[0]).toBe(1);
  expect(new Set(revisions).size).toBe(revisions.length);
  await usageIsRight();
});

test.each<DeliveryStatus>(['pending', 'retrying'])(
  'D167: a %s record that is overdue can be retried, canceled, erased and replayed',
  async (status) => {
    for (const request of ['retry', 'cancel', 'replay']) {
      const [overdue, due] = [anEvent(), anEvent()];
      await record(overdue, status);
      await record(due, status, { at: new Date() });
      for (const [event, isChanged] of [
        [overdue, true],
        [due, false],
      ] as const) {
        const scope = scopeOf(event);
        const replays = [{ event_id: event.event_id, dueAt: new Date() }];
        const changed =
          request === 'retry'
            ? await deliveries.makeDue(scope, event.event_id, new Date())
            : request === 'cancel'
              ? await deliveries.cancel(scope, event.event_id, {}, new Date())
              : (await deliveries.markReplayed(replays, new Date())).get(event.event_id);
        expect([request, changed !== undefined]).toEqual([request, isChanged]);
        expect((await found(event)).revision).toBe(isChanged ? 1 : undefined);
      }
      if (request !== 'cancel') continue;
      const erased = await deliveries.markErased(scopeOf(overdue), overdue.event_id, new Date());
      expect(erased).toMatchObject({ status: 'failed', subject: null, mail_from: '' });
    }
    await usageIsRight();
  },
);

test('D168: what an attempt records after an erasure has no content', async () => {
  const event = anEvent();
  await record(event, 'retrying');
  await deliveries.cancel(scopeOf(event), event.event_id, {}, new Date());
  await deliveries.markErased(scopeOf(event), event.event_id, new Date());
  await record(event, 'delivered', { at: new Date() });
  const stored = await found(event);
  expect(stored).toMatchObject({ status: 'delivered', attempts: [{}, { excerpt: null }] });
  expect(JSON.stringify(stored)).not.toMatch(/secret/);
});

test('D167: overdue records are found page by page, in order, by an index; they end once', async () => {
  await mongo.db.collection('deliveries').deleteMany({});
  await mongo.db.collection('usage_daily').deleteMany({});
  const events: MailEvent[] = [];
  for (let n = 0; n < 7; n++) {
    const event = anEvent();
    events.push(event);
    await record(event, n < 3 ? 'pending' : 'retrying', { at: ago(HOUR_MS - n) });
  }
  await record(anEvent(), 'delivered');
  await record(anEvent(), 'retrying', { next: ago(-HOUR_MS) }); // it sleeps
  await record(anEvent(), 'pending', { at: new Date() });

  const before = ago(HOUR_MS / 4);
  const pages: string[][] = [];
  for (let after; pages.length < 5;) {
    const page = await deliveries.overdue(before, undefined, after, 2);
    pages.push(page.map(({ event_id }) => event_id));
    after = page.at(-1);
    if (page.length < 2) break;
  }
  expect(pages.map(({ length }) => length)).toEqual([2, 2, 2, 1]);
  expect(new Set(pages.flat())).toEqual(new Set(events.map(({ event_id }) => event_id)));
  expect(await deliveries.overdue(before, 'elsewhere', undefined, 10)).toEqual([]);

  const all = await deliveries.overdue(before, undefined, undefined, 10);
  for (const delivery of all) {
    const ends = await Promise.all([1, 2].map(() => deliveries.endOverdue(delivery, new Date())));
    expect(ends.filter(Boolean)).toEqual([true]);
  }
  for (const event of events)
    expect(await found(event)).toMatchObject({ status: 'failed', ended_as: 'lost' });
  const lost = { 'data.event_id': { $in: events.map(({ event_id }) => event_id) } };
  const stored = mongo.db.collection('events');
  expect(await stored.countDocuments({ ...lost, type: 'email.lost' })).toBe(7);
  expect(await stored.countDocuments({ ...lost, 'data.outcome': 'lost' })).toBe(7);
  await usageIsRight();
});

test('D167: an email is queued again once, and only as it was read', async () => {
  const event = anEvent();
  await record(event, 'pending');
  const read = await found(event);
  expect(await deliveries.markRequeued(read, new Date())).toBe(1);
  expect(await deliveries.markRequeued(read, new Date())).toBeUndefined();
  expect(await deliveries.endOverdue(read, new Date())).toBe(false);
  expect(await found(event)).toMatchObject({ revision: 1, requeued_at: expect.any(Date) });
});

test('D169: what waits for an account is counted up to a limit, in both environments', async () => {
  const address = newAddress('https://receiver.example/');
  for (const [n, status] of (['pending', 'retrying', 'delivered', 'failed'] as const).entries())
    await record(
      { ...mailEvent(address, ago(HOUR_MS)), environment: n % 2 === 0 ? 'live' : 'test' },
      status,
    );
  expect(await deliveries.countWaiting(address.account_id, 10)).toBe(2);
  expect(await deliveries.countWaiting(address.account_id, 1)).toBe(1);
});
