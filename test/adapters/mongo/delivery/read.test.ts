/** Delivery records for the API: found by indexes only, in order, counted once (D14, D28, D30). */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { createDeliveries } from '../../../../services/adapters/mongo/delivery/deliveries.ts';
import { deliveryIndexes } from '../../../../services/adapters/mongo/documents/delivery-documents.ts';
import { usageIndexes } from '../../../../services/adapters/mongo/usage/counters.ts';
import type { DeliveryStatus } from '../../../../services/core/delivery/delivery.ts';
import type { DeliveryFilter } from '../../../../services/core/delivery/delivery-view.ts';
import { newId } from '../../../../services/core/id/ids.ts';
import type { MailEvent } from '../../../../services/core/delivery/mail-event.ts';
import { changeTo, mailEvent } from '../../../support/mail-events.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { useInFile } from '../../../support/use-in-file.ts';
import { wholeAccount } from '../../../../services/core/address/scope.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const LATER = new Date('2026-03-01T12:01:00Z');
const DUE = new Date('2026-03-02T12:00:00Z');

const mongo = await useInFile(startTestDatabase([deliveryIndexes, usageIndexes]));
const deliveries = createDeliveries(mongo.db);

type Facts = {
  account_id: string;
  address_id?: string;
  environment?: 'live' | 'test';
  status?: DeliveryStatus;
  receivedAt?: Date;
  dueAt?: Date;
};

async function record({
  account_id,
  address_id = 'addr_1',
  environment = 'live',
  status = 'delivered',
  receivedAt = NOW,
  dueAt = LATER,
}: Facts): Promise<MailEvent> {
  const event = mailEvent({ id: address_id, account_id, environment }, receivedAt);
  await again(event, status, dueAt);
  return event;
}

let attempts = 0;
/** No two attempts begin at the same time, and this one began after a replay. */
const again = (event: MailEvent, status: DeliveryStatus, dueAt = LATER) =>
  deliveries.record([changeTo(status, event, new Date(NOW.getTime() + attempts++), dueAt, 1)], NOW);

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute));
const anAccount = () => newId('acc', NOW, randomBytes(10));
const scopeOf = (account_id: string) => ({ account_id, environment: 'live' as const });
const idsOf = async (account_id: string, filter: DeliveryFilter, page = { limit: 50, offset: 0 }) =>
  (await deliveries.page(wholeAccount(scopeOf(account_id)), filter, page)).items.map(
    ({ event_id }) => event_id,
  );
const usageOf = (account_id: string) =>
  mongo.db
    .collection('usage_daily')
    .findOne({ account_id }, { projection: { _id: 0, received: 1, delivered: 1, failed: 1 } });

describe('lists', () => {
  test('D30: newest first by time of receipt, whatever their status, with the exact total', async () => {
    const account_id = anAccount();
    const made = [];
    for (let i = 0; i < 12; i++) {
      made.push(
        (
          await record({
            account_id,
            status: (['delivered', 'failed', 'retrying'] as const)[i % 3] ?? 'failed',
            receivedAt: new Date(NOW.getTime() + i),
          })
        ).event_id,
      );
    }
    const newestFirst = made.toReversed();
    expect(await idsOf(account_id, {})).toEqual(newestFirst);
    expect(await idsOf(account_id, {}, { limit: 5, offset: 4 })).toEqual(newestFirst.slice(4, 9));
    expect(
      await deliveries.page(wholeAccount(scopeOf(account_id)), {}, { limit: 5, offset: 100 }),
    ).toEqual({
      items: [],
      total: 12,
    });
  });

  test('due next: only what waits for a retry, by the time of the next attempt', async () => {
    const account_id = anAccount();
    const [late, soon, between] = [at(40), at(10), at(20)];
    const made: string[] = [];
    for (const dueAt of [late, soon, between])
      made.push((await record({ account_id, status: 'retrying', dueAt })).event_id);
    await record({ account_id, status: 'failed' });
    await record({ account_id: anAccount(), status: 'retrying', dueAt: at(1) });
    await record({ account_id, environment: 'test', status: 'retrying', dueAt: at(1) });
    const due = async (page: { limit: number; offset: number }) => {
      const { items, total } = await deliveries.due(wholeAccount(scopeOf(account_id)), page);
      return [items.map(({ event_id }) => made.indexOf(event_id)), total];
    };
    expect(await due({ limit: 50, offset: 0 })).toEqual([[1, 2, 0], 3]);
    expect(await due({ limit: 1, offset: 1 })).toEqual([[2], 3]);
  });

  test('only what waits for a retry is in the index of due times: other emails do not write it', async () => {
    await record({ account_id: anAccount(), status: 'retrying' });
    await record({ account_id: anAccount(), status: 'delivered' });
    await record({ account_id: anAccount(), status: 'failed' });
    const { keysPerIndex } = await mongo.db.command({ validate: 'deliveries' });
    const { account_due: inIndex, _id_: all } = keysPerIndex as Record<string, number>;
    const waiting = await mongo.db.collection('deliveries').countDocuments({ status: 'retrying' });
    expect(inIndex).toBe(waiting);
    expect(inIndex).toBeLessThan(all ?? 0);
  });

  test('filters: address, status, range of receipt, and all combined', async () => {
    const account_id = anAccount();
    const one = await record({
      account_id,
      address_id: 'addr_a',
      status: 'failed',
      receivedAt: at(1),
    });
    const two = await record({
      account_id,
      address_id: 'addr_a',
      status: 'delivered',
      receivedAt: at(2),
    });
    const three = await record({
      account_id,
      address_id: 'addr_b',
      status: 'failed',
      receivedAt: at(3),
    });
    const cases: [DeliveryFilter, MailEvent[]][] = [
      [{ receiver_ids: ['addr_a'] }, [two, one]],
      [{ receiver_ids: ['addr_a', 'addr_b'] }, [three, two, one]],
      [{ receiver_ids: ['addr_none'] }, []],
      [{ status: 'failed' }, [three, one]],
      [{ status: 'retrying' }, []],
      [{ start: at(2) }, [three, two]],
      [{ end: at(2) }, [one]],
      [{ start: at(1), end: at(3) }, [two, one]],
      [{ receiver_ids: ['addr_a'], status: 'failed', start: at(1), end: at(2) }, [one]],
      [{ start: new Date(-1) }, [three, two, one]],
    ];
    for (const [filter, expected] of cases) {
      const { items, total } = await deliveries.page(wholeAccount(scopeOf(account_id)), filter, {
        limit: 50,
        offset: 0,
      });
      expect([items.map(({ event_id }) => event_id), total]).toEqual([
        expected.map(({ event_id }) => event_id),
        expected.length,
      ]);
    }
  });

  test('D5, D11: records of another account or environment are not visible, not even by address or id', async () => {
    const [mine, other] = [anAccount(), anAccount()];
    const foreign = await record({ account_id: other, address_id: 'addr_shared' });
    const test_ = await record({
      account_id: mine,
      environment: 'test',
      address_id: 'addr_shared',
    });
    expect(await idsOf(mine, {})).toEqual([]);
    expect(await idsOf(mine, { receiver_ids: ['addr_shared'] })).toEqual([]);
    for (const { event_id } of [foreign, test_])
      expect(await deliveries.find(wholeAccount(scopeOf(mine)), event_id)).toBeUndefined();
    expect(
      await deliveries.oldest(
        wholeAccount(scopeOf(mine)),
        { status: 'delivered', receiver_ids: ['addr_shared'] },
        undefined,
        10,
      ),
    ).toEqual([]);
    expect((await deliveries.find(wholeAccount(scopeOf(other)), foreign.event_id))?.event_id).toBe(
      foreign.event_id,
    );
  });

  test('records that are asked for at the same time share a query, and keep their scopes', async () => {
    const [mine, other] = [anAccount(), anAccount()];
    const own = await record({ account_id: mine, address_id: 'addr_own' });
    const foreign = await record({ account_id: other, address_id: 'addr_foreign' });
    const limited = (address_ids: string[]) => ({ ...scopeOf(mine), address_ids });
    const requested = [
      [wholeAccount(scopeOf(mine)), own],
      [wholeAccount(scopeOf(mine)), foreign],
      [wholeAccount(scopeOf(other)), foreign],
      [limited(['addr_own']), own],
      [limited(['addr_another']), own],
      [limited(['addr_foreign']), foreign],
    ] as const;
    const found = await Promise.all(
      requested.map(([scope, { event_id }]) => deliveries.find(scope, event_id)),
    );
    expect(found.map((one) => one?.address_id)).toEqual([
      'addr_own',
      undefined,
      'addr_foreign',
      'addr_own',
      undefined,
      undefined,
    ]);
  });

  test('every list is read in index order, never sorted, and counted without reading documents', async () => {
    const base = {
      account_id: 'acc_x',
      environment: 'live',
      status: { $in: ['pending', 'retrying', 'delivered', 'failed'] },
    };
    const collection = mongo.db.collection<{ _id: string }>('deliveries');
    for (const [query, hint] of [
      [base, 'account_status_id'],
      [{ ...base, status: 'failed', _id: { $gte: 'evt_0', $lt: 'evt_1' } }, 'account_status_id'],
      [{ ...base, address_id: 'addr_x' }, 'address_status_id'],
      [{ ...base, address_id: 'addr_x', _id: { $gte: 'evt_0' } }, 'address_status_id'],
    ] as const) {
      expect(
        planOf(await collection.find(query, { hint }).sort({ _id: -1 }).explain('queryPlanner')),
      ).not.toMatch(/COLLSCAN|"SORT"/);
      const count = planOf(
        await collection
          .aggregate([{ $match: query }, { $group: { _id: 1, n: { $sum: 1 } } }], { hint })
          .explain('queryPlanner'),
      );
      expect(count).not.toMatch(/COLLSCAN|"FETCH"/);
    }
  });
});

test('final deliveries are found for a bulk replay, oldest first, after a cursor', async () => {
  const account_id = anAccount();
  const made = [];
  for (let i = 0; i < 5; i++)
    made.push(
      await record({
        account_id,
        status: i === 2 ? 'retrying' : 'failed',
        receivedAt: new Date(NOW.getTime() + i),
      }),
    );
  const [first, second, , fourth, fifth] = made.map(({ event_id }) => event_id);
  const ended = async (after: string | undefined, limit: number, filter: DeliveryFilter = {}) =>
    (
      await deliveries.oldest(
        wholeAccount(scopeOf(account_id)),
        { ...filter, status: 'failed' },
        after,
        limit,
      )
    )?.map(({ event_id }) => event_id);
  expect(await ended(undefined, 3)).toEqual([first, second, fourth]);
  expect(await ended(second, 3)).toEqual([fourth, fifth]);
  expect(await ended(second, 3, { end: new Date(NOW.getTime() + 4) })).toEqual([fourth]);
  expect(
    (
      await deliveries.oldest(wholeAccount(scopeOf(account_id)), { status: 'failed' }, undefined, 1)
    )?.[0],
  ).toEqual({
    event_id: first,
    account_id,
    address_id: 'addr_1',
    stored_at: { partition: 0, sequence: 1 },
    revision: 0,
  });
});

describe('a record reset for a replay', () => {
  test.each<['delivered' | 'failed', object]>([
    ['delivered', { received: 1, delivered: 0, failed: 0 }],
    ['failed', { received: 1, delivered: 0, failed: 0 }],
  ])(
    'D28: a %s delivery becomes pending, its schedule starts again, and the counters follow',
    async (status, counters) => {
      const account_id = anAccount();
      const event = await record({ account_id, status: 'retrying' });
      await again(event, status);
      await deliveries.markReplayed([{ event_id: event.event_id, dueAt: DUE }], LATER);
      expect(
        await deliveries.find(wholeAccount(scopeOf(account_id)), event.event_id),
      ).toMatchObject({
        status: 'pending',
        attempts_before_replay: 2,
        next_attempt_at: DUE,
        updated_at: LATER,
        attempts: [{}, {}],
      });
      expect(await usageOf(account_id)).toEqual(counters);
      await again(event, 'delivered');
      expect(
        await deliveries.find(wholeAccount(scopeOf(account_id)), event.event_id),
      ).toMatchObject({
        status: 'delivered',
        next_attempt_at: null,
        attempts: [{}, {}, {}],
      });
      expect(await usageOf(account_id)).toEqual({ received: 1, delivered: 1, failed: 0 });
    },
  );

  test('a delivered email whose replay fails is failed: the last attempt decides', async () => {
    const account_id = anAccount();
    const event = await record({ account_id });
    await deliveries.markReplayed([{ event_id: event.event_id, dueAt: DUE }], LATER);
    await again(event, 'retrying');
    expect(await deliveries.find(wholeAccount(scopeOf(account_id)), event.event_id)).toMatchObject({
      status: 'retrying',
      next_attempt_at: LATER,
    });
    await again(event, 'failed');
    expect(await usageOf(account_id)).toEqual({ received: 1, delivered: 0, failed: 1 });
  });

  test('a delivery in progress is unchanged while others are reset', async () => {
    const account_id = anAccount();
    const [ended, retrying] = [
      await record({ account_id, status: 'failed' }),
      await record({ account_id, status: 'retrying', dueAt: new Date(Date.now() + 60_000) }),
    ];
    await deliveries.markReplayed(
      [ended, retrying].map(({ event_id }) => ({ event_id, dueAt: DUE })),
      LATER,
    );
    expect(await deliveries.find(wholeAccount(scopeOf(account_id)), ended.event_id)).toMatchObject({
      status: 'pending',
    });
    expect(
      await deliveries.find(wholeAccount(scopeOf(account_id)), retrying.event_id),
    ).toMatchObject({
      status: 'retrying',
      attempts_before_replay: 0,
    });
  });

  test('two concurrent resets count once', async () => {
    const account_id = anAccount();
    const events = await Promise.all(
      Array.from({ length: 20 }, () => record({ account_id, status: 'failed' })),
    );
    const mark = () =>
      deliveries.markReplayed(
        events.map(({ event_id }) => ({ event_id, dueAt: DUE })),
        LATER,
      );
    await Promise.all([mark(), mark(), mark(), deliveries.markReplayed([], LATER)]);
    expect(await usageOf(account_id)).toEqual({ received: 20, delivered: 0, failed: 0 });
  });
});

const planOf = (explained: object): string => JSON.stringify(explained);
