/** The wait before the audit ends when all mail is final, or when nothing changes any more. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';

import { connectMongo, type Mongo } from '../../services/adapters/mongo/database/connection.ts';
import { connectNats, type Nats } from '../../services/adapters/stream/connection/connection.ts';
import { createStoreMail } from '../../services/adapters/stream/store.ts';
import {
  DISPATCHER_CONSUMER,
  ensureConsumer,
  ensureStreams,
  mailStream,
  type Streams,
  StreamsConfig,
} from '../../services/adapters/stream/events/streams.ts';
import { mailEvent } from '../support/mail-events.ts';
import { newAddress } from '../support/new-address.ts';
import { log } from '../support/pipeline.ts';
import { startTestNats, testMongo } from '../support/servers.ts';
import { settle } from './settle.ts';

let parts: AsyncDisposableStack;
let place: { nats: Nats; mongo: Mongo };
let streams: Streams;
beforeEach(async () => {
  parts = new AsyncDisposableStack();
  const { uri } = parts.use(await testMongo());
  const { url } = parts.use(await startTestNats());
  const nats = parts.use(await connectNats({ url, name: 'test' }, log));
  place = { nats, mongo: parts.use(await connectMongo(uri, log)) };
  streams = await ensureStreams(nats, z.object(StreamsConfig).parse({ PARTITIONS: 1 }));
  await ensureConsumer(streams.manager, mailStream(0), 30_000);
  const event = mailEvent(newAddress('https://receiver.example/'), new Date());
  await createStoreMail(streams)(event, [Buffer.from('{}')], randomBytes(32).toString('hex'));
});
afterEach(() => parts.disposeAsync());

const record = (status: string) => place.mongo.db.collection('deliveries').insertOne({ status });

async function acknowledge(): Promise<void> {
  const consumer = await streams.client.consumers.get(mailStream(0), DISPATCHER_CONSUMER);
  const message = await consumer.next();
  expect(await message?.ackAck()).toBe(true);
}

test('an email that no dispatcher takes ends the wait, and is reported', async () => {
  await record('delivered');
  expect(await settle(place, 1, () => undefined, 1_000)).toMatchObject({
    onStreams: 1,
    final: 1,
    isComplete: false,
  });
});

test('an email without a final record ends the wait, and is reported', async () => {
  await acknowledge();
  await record('retrying');
  expect(await settle(place, 1, () => undefined, 1_000)).toMatchObject({
    onStreams: 0,
    final: 0,
    isComplete: false,
  });
});

test('it waits for an email in flight', async () => {
  let isSettled = false;
  const settled = settle(place, 1, () => undefined).finally(() => (isSettled = true));
  await record('delivered');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(isSettled).toBe(false);
  await acknowledge();
  expect(await settled).toMatchObject({ onStreams: 0, final: 1, isComplete: true });
});
