/**
 * Counters stay correct under concurrent changes (D14, D28), and a recount finds and corrects
 * errors.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSession } from 'mongodb';
import { expect, test } from 'vitest';

import { createDeliveries } from '../../../../services/adapters/mongo/delivery/deliveries.ts';
import { deliveryIndexes } from '../../../../services/adapters/mongo/documents/delivery-documents.ts';
import {
  connectMongo,
  ensureIndexes,
  type Mongo,
} from '../../../../services/adapters/mongo/database/connection.ts';
import {
  createCountUsage,
  usageIndexes,
} from '../../../../services/adapters/mongo/usage/counters.ts';
import { recountUsage } from '../../../../services/adapters/mongo/usage/recount.ts';
import type { DispatchEvent } from '../../../../services/core/delivery/delivery-event.ts';
import type { DeliveryStatus } from '../../../../services/core/delivery/delivery.ts';
import { QUARTER_MS } from '../../../../services/core/billing/period.ts';
import { changeTo, mailEvent } from '../../../support/mail-events.ts';
import { newAddress } from '../../../support/new-address.ts';
import { log } from '../../../support/pipeline.ts';
import { testMongo } from '../../../support/servers.ts';
import { fc, slowRuns } from '../../../support/random.ts';
import { useInFile } from '../../../support/use-in-file.ts';

const START = new Date('2026-02-28T23:00:00Z');
const STATUSES: DeliveryStatus[] = ['pending', 'retrying', 'delivered', 'failed'];

const { uri } = await useInFile(testMongo());
const processes = [
  await useInFile(connectMongo(uri, log)),
  await useInFile(connectMongo(uri, log)),
];
await ensureIndexes(first().db, [deliveryIndexes, usageIndexes]);

function first(): Mongo {
  const [mongo] = processes;
  if (mongo === undefined) throw new Error('not connected');
  return mongo;
}

const differences = () => Array.fromAsync(recountUsage(first().db));

const addresses = [
  newAddress('https://receiver.example/'),
  newAddress('https://receiver.example/', { environment: 'test' }),
];

test('spec 2.2: dispatchers that record the same events at random and die leave no difference', async () => {
  const step = fc.record({
    event: fc.nat(9),
    status: fc.constantFrom(...STATUSES),
    process: fc.nat(1),
    dies: fc.boolean(),
    replays: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const events = Array.from({ length: 10 }, (_, i) =>
        mailEvent(addresses[i % 2] ?? newAddress(''), new Date(START.getTime() + i * 737_000)),
      );
      await Promise.all(
        steps.map(async ({ event: n, status, process, dies, replays }, i) => {
          const { db } = processes[process] ?? first();
          const event = events[n] ?? mailEvent(newAddress(''), START);
          const changes: DispatchEvent[] = [
            changeTo(status, event),
            ...(n === 9 ? [] : [changeTo(status, events[9] ?? event)]),
          ];
          if (dies) await recordAndDie(process, changes);
          else await createDeliveries(db).record(changes, new Date(START.getTime() + i));
          if (replays)
            await createDeliveries(db).markReplayed(
              [{ event_id: event.event_id, dueAt: START }],
              START,
            );
        }),
      );
      expect(await differences()).toEqual([]);
    }),
    slowRuns(8),
  );
});

/** Up to 8 ms, the same sequence on every run. */
const delays = fc.sample(fc.nat(8), 1000);
const delayMs = () => delays.pop() ?? 4;

/**
 * A process that loses its connection while writing: its transaction is either committed or
 * aborted. The server would notice within a minute; the test aborts it immediately.
 */
async function recordAndDie(process: number, changes: DispatchEvent[]): Promise<void> {
  const mongo = await connectMongo(uriOf((processes[process] ?? first()).client), log);
  const sessions: unknown[] = [];
  const withSession = mongo.client.withSession.bind(mongo.client);
  mongo.client.withSession = ((run: (session: ClientSession) => Promise<void>) =>
    withSession((session) => {
      sessions.push(session.id);
      return run(session);
    })) as typeof withSession;
  const recording = createDeliveries(mongo.db)
    .record(changes, START)
    .catch(() => undefined);
  await sleep(delayMs());
  await mongo.client.close(true);
  await first().db.admin().command({ killSessions: sessions });
  await recording;
}

const uriOf = (client: Mongo['client']) =>
  `mongodb://${client.options.hosts.map(String).join(',')}/${first().db.databaseName}` +
  `?replicaSet=${client.options.replicaSet ?? ''}`;

test('each error is reported once and corrected: a counter too high, too low, or without deliveries', async () => {
  const address = newAddress('https://receiver.example/');
  const { db } = first();
  const events = Array.from({ length: 6 }, (_, i) =>
    mailEvent(address, new Date(START.getTime() + i * QUARTER_MS)),
  );
  await createDeliveries(db).record(
    events.map((event) => changeTo('delivered', event)),
    START,
  );
  const usage = db.collection<{ _id: string }>('usage_daily');
  const _id = `${address.account_id}:live:2026-02-28`;
  await usage.updateOne({ _id }, { $inc: { received: 1, 'quarters.92.delivered': -1 } });
  await usage.deleteOne({ _id: `${address.account_id}:live:2026-03-01` });
  await usage.insertOne({
    _id: `${address.account_id}:test:2026-03-01`,
    account_id: address.account_id,
    environment: 'test',
    day: '2026-03-01',
    received: 3,
    delivered: 3,
    failed: 0,
  } as { _id: string });
  expect(
    (await differences()).map(({ environment, day, counted, right }) => [
      environment,
      day,
      counted?.received,
      right?.received,
    ]),
  ).toEqual([
    ['live', '2026-02-28', 5, 4],
    ['live', '2026-03-01', undefined, 2],
    ['test', '2026-03-01', 3, undefined],
  ]);
  expect(await differences()).toEqual([]);
  expect(await usage.findOne({ _id })).toMatchObject({
    received: 4,
    quarters: { 92: { received: 1, delivered: 1 }, 95: { received: 1 } },
  });
});

test('D14: ranges of quarter hours within a day, across days and beyond', async () => {
  const address = newAddress('https://receiver.example/');
  const { db } = first();
  const day = Date.parse('2026-03-10');
  const times = [
    -QUARTER_MS,
    -1,
    0,
    QUARTER_MS - 1,
    QUARTER_MS,
    30 * QUARTER_MS,
    96 * QUARTER_MS,
    400 * QUARTER_MS,
  ];
  await createDeliveries(db).record(
    times.map((ms) => changeTo('delivered', mailEvent(address, new Date(day + ms)))),
    START,
  );
  const count = async (from: number, to: number) =>
    (
      await createCountUsage(db)(address, {
        start: new Date(day + from * QUARTER_MS),
        end: new Date(day + to * QUARTER_MS),
      })
    ).received;
  expect([
    await count(0, 1),
    await count(-1, 1),
    await count(0, 96),
    await count(1, 97),
    await count(-96, 500),
    await count(2, 30),
    await count(97, 400),
  ]).toEqual([2, 4, 4, 3, 8, 0, 0]);
});
