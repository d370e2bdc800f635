/** Outcomes of one batch: each event is counted once, whatever the batch has of it (D14, D28). */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import { createAddresses } from '../../services/adapters/mongo/addresses.ts';
import { connectMongo, ensureIndexes } from '../../services/adapters/mongo/connection.ts';
import { createDeliveries, deliveryIndexes } from '../../services/adapters/mongo/deliveries.ts';
import { usageIndexes } from '../../services/adapters/mongo/metering/counters.ts';
import { recountUsage } from '../../services/adapters/mongo/metering/recount.ts';
import { createSecretBox } from '../../services/adapters/mongo/secrets.ts';
import { createOutcomeRecorder } from '../../services/dispatcher/outcome-recorder.ts';
import { changeTo, mailEvent } from '../support/mail-events.ts';
import { log, newAddress } from '../support/pipeline.ts';
import { testMongo } from '../support/servers.ts';

test('D28: two attempts of an event in one batch, from both lanes, are recorded and counted once', async () => {
  await using place = await testMongo();
  await using mongo = await connectMongo(place.uri, log);
  await ensureIndexes(mongo.db, [deliveryIndexes, usageIndexes]);
  const address = newAddress('https://receiver.example/');
  await createAddresses(mongo.db, createSecretBox([randomBytes(32)])).insert(address);
  const record = createOutcomeRecorder(
    createDeliveries(mongo.client, mongo.db),
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
  expect(await Array.fromAsync(recountUsage(mongo.client, mongo.db))).toEqual([]);
  const emails = mongo.db.collection<{ _id: string; email_count: number }>('addresses');
  expect((await emails.findOne({ _id: address.id }))?.email_count).toBe(2);
});
