/** Outcomes of one batch: each event is counted once, whatever the batch has of it (D14, D28). */
import { randomBytes } from 'node:crypto';
import { MongoNetworkError } from 'mongodb';
import { expect, test } from 'vitest';

import { createDeliveries } from '../../services/adapters/mongo/deliveries/deliveries.ts';
import { createAddresses } from '../../services/adapters/mongo/addresses/addresses.ts';
import { connectMongo, ensureIndexes } from '../../services/adapters/mongo/connection.ts';
import { deliveryIndexes } from '../../services/adapters/mongo/documents/delivery-documents.ts';
import { usageIndexes } from '../../services/adapters/mongo/usage/counters.ts';
import { recountUsage } from '../../services/adapters/mongo/usage/recount.ts';
import { createSecretBox } from '../../services/adapters/mongo/secrets.ts';
import { createOutcomeRecorder } from '../../services/dispatcher/outcome-recorder.ts';
import { changeTo, mailEvent } from '../support/mail-events.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { log, newAddress, startPipeline } from '../support/pipeline.ts';
import { testMongo } from '../support/servers.ts';
import { until } from '../support/until.ts';

test('D28: two attempts of an event in one batch, from both lanes, are recorded and counted once', async () => {
  await using place = await testMongo();
  await using mongo = await connectMongo(place.uri, log);
  await ensureIndexes(mongo.db, [deliveryIndexes, usageIndexes]);
  const address = newAddress('https://receiver.example/');
  await createAddresses(mongo.db, createSecretBox([randomBytes(32)])).insert(address);
  const record = createOutcomeRecorder(
    createDeliveries(mongo.db),
    () => new Date(),
    () => undefined,
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
  expect(await mongo.db.collection('usage_daily').find().toArray()).toMatchObject([
    { received: 2, delivered: 0, failed: 2 },
  ]);
  expect(await Array.fromAsync(recountUsage(mongo.db))).toEqual([]);
  const emails = mongo.db.collection<{ _id: string; email_count: number }>('addresses');
  expect((await emails.findOne({ _id: address.id }))?.email_count).toBe(2);
});

test('an outcome that MongoDB refuses rejects alone; its batch and later outcomes are recorded', async () => {
  await using place = await testMongo();
  await using mongo = await connectMongo(place.uri, log);
  await ensureIndexes(mongo.db, [deliveryIndexes, usageIndexes]);
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
    () => undefined,
    new AbortController().signal,
    log,
  );
  const events = Array.from({ length: 40 }, () => mailEvent(address, new Date()));
  const refused = [7, 30];
  const tooLarge = 'x'.repeat(17 * 1024 * 1024); // a document has 16 MiB at most
  for (const index of refused) Object.assign(events[index] ?? {}, { mail_from: tooLarge });

  const ends = await Promise.allSettled(events.map((event) => record(changeTo('failed', event))));
  expect(ends.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual(
    refused,
  );
  expect(transactions).toBeLessThan(30); // halves instead of single outcomes
  await record(changeTo('delivered', mailEvent(address, new Date())));
  expect(await mongo.db.collection('deliveries').countDocuments()).toBe(39);
  expect(await mongo.db.collection('usage_daily').find().toArray()).toMatchObject([
    { received: 39, delivered: 1, failed: 38 },
  ]);
  expect(await Array.fromAsync(recountUsage(mongo.db))).toEqual([]);
});

test('while MongoDB is away, the first failure is logged, and a count of the others', async () => {
  const lines: object[] = [];
  const giveUp = new AbortController();
  let failures = 4;
  const record = createOutcomeRecorder(
    {
      record: async () => {
        if (failures-- > 0) throw new MongoNetworkError('connection closed');
      },
    },
    () => new Date(),
    () => undefined,
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

test('an email whose outcome MongoDB refuses is NAKed, logged once, and recorded when MongoDB accepts it', async () => {
  const lines: { event: string }[] = [];
  await using pipeline = await startPipeline({
    log: createLog('info', {}, { write: (line) => void lines.push(JSON.parse(line) as never) }),
  });
  const address = await pipeline.address('/refused');
  await pipeline.mongo.db.createCollection('deliveries').catch(() => undefined);
  const accept = (validator: object) =>
    pipeline.mongo.db.command({ collMod: 'deliveries', validator });
  const send = (subject: string) =>
    pipeline.mailer.sendMail({ from: 'a@b.example', to: address.address, subject, text: 'text' });
  const recorded = (subject: string) =>
    pipeline.mongo.db.collection('deliveries').countDocuments({ subject, status: 'delivered' });

  await accept({ subject: { $ne: 'refused' } });
  await send('refused');
  await pipeline.receiver.nth('/refused', 1);
  for (const subject of ['one', 'two']) {
    await send(subject);
    await until(`the record of ${subject}`, () => recorded(subject));
  }
  await until(
    'the email again',
    () =>
      pipeline.receiver
        .received('/refused')
        .filter(({ payload }) => payload.headers.subject === 'refused').length > 1,
  );
  expect(await recorded('refused')).toBe(0);
  await accept({});
  await until('its record', () => recorded('refused'));
  const logged = lines.filter(({ event }) => event === 'mail.handed_back');
  expect(logged).toHaveLength(1);
  expect(lines.filter(({ event }) => event === 'outcomes.not_recorded')).toEqual([]);
});
