/** Outcomes of one batch: each event is counted once, whatever the batch has of it (D14, D28). */
import { randomBytes } from 'node:crypto';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { expect, test } from 'vitest';

import type { MailEvent } from '../../../services/core/delivery/mail-event.ts';
import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import { createAddresses } from '../../../services/adapters/mongo/address/addresses.ts';
import { deliveryIndexes } from '../../../services/adapters/mongo/documents/delivery-documents.ts';
import { usageIndexes } from '../../../services/adapters/mongo/usage/counters.ts';
import { recountUsage } from '../../../services/adapters/mongo/usage/recount.ts';
import { createSecretBox } from '../../../services/adapters/mongo/database/secrets.ts';
import { createOutcomeRecorder } from '../../../services/dispatcher/outcome/outcome-recorder.ts';
import { changeTo, mailEvent } from '../../support/mail-events.ts';
import { readQueueFacts } from '../../../services/adapters/stream/facts.ts';
import { openMailStreams } from '../../../services/adapters/stream/replay.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { newAddress } from '../../support/new-address.ts';
import { log, startPipeline } from '../../support/pipeline.ts';
import { startTestDatabase } from '../../support/test-database.ts';
import { until } from '../../support/until.ts';
import { counted } from '../delivery-records.ts';

const REDELIVER = { kind: 'redeliver' } as const;
const NO_METRICS = { recorded: () => undefined, refused: () => undefined };

test('D28: two attempts of an event in one batch, from both lanes, are recorded and counted once', async () => {
  await using mongo = await startTestDatabase([deliveryIndexes, usageIndexes]);
  const address = newAddress('https://receiver.example/');
  await createAddresses(mongo.db, createSecretBox([randomBytes(32)])).insert(address);
  const record = createOutcomeRecorder(
    createDeliveries(mongo.db),
    () => new Date(),
    NO_METRICS,
    new AbortController().signal,
    log,
  );
  const [known, fresh] = [mailEvent(address, new Date()), mailEvent(address, new Date())];
  await record(changeTo('retrying', known));
  await Promise.all([
    record(changeTo('failed', known)),
    record(changeTo('failed', fresh)),
    record(changeTo('pending', fresh)),
    record(changeTo('failed', known)),
    record(changeTo('failed', fresh)),
  ]);

  const found = await mongo.db
    .collection<{ _id: string; attempts: unknown[]; status: string }>('deliveries')
    .find()
    .toArray();
  const facts = found.map(({ _id, status, attempts }) => [_id, status, attempts.length]);
  expect(new Set(facts)).toEqual(
    new Set([
      [known.event_id, 'failed', 3],
      [fresh.event_id, 'failed', 2],
    ]),
  );
  expect(await counted({ mongo })).toEqual({ received: 2, delivered: 0, failed: 2 });
  expect(await Array.fromAsync(recountUsage(mongo.db))).toEqual([]);
  const emails = mongo.db.collection<{ _id: string; email_count: number }>('addresses');
  expect((await emails.findOne({ _id: address.id }))?.email_count).toBe(2);
});

test('an outcome that MongoDB refuses is refused alone; its batch and later outcomes are recorded', async () => {
  await using mongo = await startTestDatabase([deliveryIndexes, usageIndexes]);
  const address = newAddress('https://receiver.example/');
  await createAddresses(mongo.db, createSecretBox([randomBytes(32)])).insert(address);
  let transactions = 0;
  const deliveries = createDeliveries(mongo.db);
  const record = createOutcomeRecorder(
    {
      record: (...args) => {
        transactions++;
        return deliveries.record(...args);
      },
    },
    () => new Date(),
    NO_METRICS,
    new AbortController().signal,
    log,
  );
  const events = Array.from({ length: 40 }, () => mailEvent(address, new Date()));
  const refused = [7, 30];
  const tooLarge = 'x'.repeat(17 * 1024 * 1024); // a document has 16 MiB at most
  for (const index of refused) Object.assign(events[index] ?? {}, { mail_from: tooLarge });

  const recorded = await Promise.all(events.map((event) => record(changeTo('failed', event))));
  expect(recorded.flatMap((result, index) => (result ? [] : [index]))).toEqual(refused);
  expect(transactions).toBeLessThan(30); // halves instead of single outcomes
  await record(changeTo('delivered', mailEvent(address, new Date())));
  expect(await mongo.db.collection('deliveries').countDocuments()).toBe(39);
  expect(await counted({ mongo })).toEqual({ received: 39, delivered: 1, failed: 38 });
  expect(await Array.fromAsync(recountUsage(mongo.db))).toEqual([]);
});

test('D168: all who record the same email in one batch learn that a request was faster', async () => {
  const event = mailEvent(newAddress('https://receiver.example/'), new Date());
  const record = createOutcomeRecorder(
    { record: async (changes) => new Map(changes.map(({ mail }) => [mail.event_id, REDELIVER])) },
    () => new Date(),
    NO_METRICS,
    new AbortController().signal,
    log,
  );
  const both = [record(changeTo('pending', event)), record(changeTo('pending', event))];
  expect(await Promise.all(both)).toEqual([REDELIVER, REDELIVER]);
});

test('an error that Inlet does not know delays its own outcome only', async () => {
  const giveUp = new AbortController();
  const address = newAddress('https://receiver.example/');
  const [strange, ...others] = Array.from({ length: 20 }, () => mailEvent(address, new Date()));
  const written = new Set<string>();
  let isStrange = true;
  const record = createOutcomeRecorder(
    {
      record: async (changes) => {
        if (isStrange && changes.some(({ mail }) => mail === strange))
          throw new MongoServerError({ message: 'never seen', code: 99_999 });
        for (const { mail } of changes) written.add(mail.event_id);
        return new Map();
      },
    },
    () => new Date(),
    NO_METRICS,
    giveUp.signal,
    log,
  );
  const last = record(changeTo('failed', strange as MailEvent));
  await Promise.all(others.map((event) => record(changeTo('failed', event))));
  await record(changeTo('failed', mailEvent(address, new Date()))); // the next batch
  expect([written.size, written.has(strange?.event_id ?? '')]).toEqual([20, false]);
  isStrange = false;
  await last;
  expect(written.size).toBe(21);
});

test('while MongoDB is away, the first failure is logged, and a count of the others', async () => {
  const lines: object[] = [];
  const giveUp = new AbortController();
  let failures = 4;
  const record = createOutcomeRecorder(
    {
      record: async () => {
        if (failures-- > 0) throw new MongoNetworkError('connection closed');
        return new Map();
      },
    },
    () => new Date(),
    NO_METRICS,
    giveUp.signal,
    createLog('warn', {}, { write: (line) => void lines.push(JSON.parse(line) as object) }),
  );
  await record(
    changeTo('delivered', mailEvent(newAddress('https://receiver.example/'), new Date())),
  );
  expect(lines).toMatchObject([{ event: 'outcomes.not_recorded', outcomes: 1 }]);
  giveUp.abort();
  expect(lines.slice(1)).toMatchObject([{ event: 'outcomes.not_recorded', repeated: 3 }]);
});

test('an outcome that MongoDB refuses is reported, delays no other, and ends no email', async () => {
  const lines: { event: string }[] = [];
  await using pipeline = await startPipeline({
    env: { RETRY_SCHEDULE: '1s,10m' },
    log: createLog('info', {}, { write: (line) => void lines.push(JSON.parse(line) as never) }),
  });
  const address = await pipeline.address('/refused');
  await pipeline.mongo.db.createCollection('deliveries').catch(() => undefined);
  const validator = { subject: { $nin: ['accepted', 'busy'] } };
  await pipeline.mongo.db.command({ collMod: 'deliveries', validator });
  pipeline.receiver.answer('/refused', (count) => (count === 1 ? 503 : 200));
  const send = (subject: string) =>
    pipeline.mailer.sendMail({ from: 'a@b.example', to: address.address, subject, text: 'text' });
  await send('busy');
  await pipeline.receiver.nth('/refused', 1);
  for (const subject of ['accepted', 'one', 'two']) await send(subject);
  const { manager } = await openMailStreams(pipeline.nats);
  await until('all to be settled', async () => {
    const { lanes } = await readQueueFacts({ manager });
    return lanes.every(({ ready, pending }) => ready + pending === 0);
  });
  const received = pipeline.receiver
    .received('/refused')
    .map(({ payload }) => payload.headers.subject);
  expect(new Set(received)).toEqual(new Set(['accepted', 'busy', 'one', 'two']));
  expect(received).toHaveLength(5); // the busy one is tried again
  const records = pipeline.mongo.db.collection('deliveries').find({ address_id: address.id });
  expect((await records.toArray()).map(({ subject }) => subject as string).toSorted()).toEqual([
    'one',
    'two',
  ]);
  expect((await manager.streams.info('FAILED')).state.messages).toBe(0);
  expect(lines.filter(({ event }) => event === 'outcome.refused')).toHaveLength(3);
  const page = await (await fetch(pipeline.metricsUrls.dispatcher)).text();
  expect(page).toMatch(/^inlet_outcomes_refused_total\{.*\} 3$/m);
});
