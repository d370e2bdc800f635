/**
 * The queue metrics, from a real JetStream: new mail, retries, ages and room. They are absent while
 * NATS is down.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';

import { createMeter } from '../../../services/adapters/process/meter.ts';
import { createStoreMail } from '../../../services/adapters/stream/store.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import { readQueueFacts } from '../../../services/adapters/stream/facts.ts';
import { readBacklog } from '../../../services/adapters/stream/events/headers.ts';
import { registerQueueGauges } from '../../../services/adapters/stream/gauges.ts';
import {
  DISPATCHER_CONSUMER,
  ensureConsumer,
  ensureStreams,
  mailStream,
  retryStream,
  type Streams,
  StreamsConfig,
} from '../../../services/adapters/stream/events/streams.ts';
import { log } from '../../support/pipeline.ts';
import { startTestNats, type TestServer } from '../../support/servers.ts';
import { mailEvent } from '../../support/mail-events.ts';
import { atMost } from '../../support/slowdown.ts';

let parts = new AsyncDisposableStack();
let server: TestServer;
let streams: Streams;
beforeEach(async () => {
  await parts.disposeAsync();
  parts = new AsyncDisposableStack();
  server = parts.use(await startTestNats());
  const nats = parts.use(await connectNats({ url: server.url, name: 'test' }, log));
  streams = await ensureStreams(
    nats,
    z.object(StreamsConfig).parse({ PARTITIONS: '1', STREAM_MAX_BYTES: '1000000' }),
  );
});
afterAll(() => parts.disposeAsync());

const withConsumers = async () => {
  await ensureConsumer(streams.manager, mailStream(0), 30_000);
  await ensureConsumer(streams.manager, retryStream(0), 30_000);
};

async function store(mails: number): Promise<void> {
  const storeMail = createStoreMail(streams);
  for (let i = 0; i < mails; i++) {
    const event = mailEvent(
      { id: 'addr_1', account_id: 'acc_1', environment: 'live' },
      new Date(1),
    );
    await storeMail(event, [randomBytes(10)], randomBytes(32).toString('hex'));
  }
}

const mailLane = async () =>
  (await readQueueFacts(streams)).lanes.find(({ lane }) => lane === 'mail');

test('new mail is ready, then pending, then gone; its age is that of the oldest unsettled email', async () => {
  await withConsumers();
  expect(await mailLane()).toMatchObject({
    partition: 0,
    ready: 0,
    pending: 0,
    oldestAt: undefined,
  });
  await store(3);
  const first = await mailLane();
  expect(first).toMatchObject({ ready: 3, pending: 0 });
  const consumer = await streams.client.consumers.get(mailStream(0), DISPATCHER_CONSUMER);
  const [one, two] = [await consumer.next(), await consumer.next()];
  expect(await mailLane()).toMatchObject({ ready: 1, pending: 2, oldestAt: first?.oldestAt });
  await two?.ackAck(); // the oldest is still in progress
  expect(await mailLane()).toMatchObject({ ready: 1, pending: 1, oldestAt: first?.oldestAt });
  await one?.ackAck();
  const last = await mailLane();
  expect(last).toMatchObject({ ready: 1, pending: 0 });
  expect(last?.oldestAt?.getTime()).toBeGreaterThanOrEqual(first?.oldestAt?.getTime() ?? Infinity);
  expect(last?.oldestAt).not.toEqual(first?.oldestAt);
});

test('mail counts before any dispatcher has created the consumer', async () => {
  await store(2);
  const facts = await mailLane();
  expect(facts).toMatchObject({ ready: 2, pending: 0 });
  expect(facts?.oldestAt).toBeInstanceOf(Date);
});

test('the backlog: an email that cannot be shown, as at a stop, fails the reading and not the process', async () => {
  await withConsumers();
  await store(2);
  const reading = readBacklog(streams, 0, () => Promise.reject(new Error('MongoDB is away')));
  await expect(reading).rejects.toThrow('MongoDB is away');
});

test('streams report their size and their limit', async () => {
  await store(2);
  const { streams: facts, storage } = await readQueueFacts(streams);
  expect(facts.map(({ name }) => name).toSorted()).toEqual([
    'DEAD',
    'FAILED',
    'MAIL-0',
    'OBJ_BODIES',
    'OBJ_RAW',
    'RETRY-0',
  ]);
  expect(facts.find(({ name }) => name === 'MAIL-0')).toMatchObject({
    messages: 2,
    maxBytes: 1_000_000,
  });
  expect(facts.find(({ name }) => name === 'FAILED')).toMatchObject({
    messages: 0,
    maxBytes: undefined,
  });
  expect(storage.usedBytes).toBeGreaterThan(0);
});

test('a JetStream account with a limit reports it', async () => {
  await using limited = await startTestNats({
    server: {
      accounts: '{INLET: {jetstream: {max_file: 50MB}, users: [{user: inlet, password: secret}]}}',
    },
  });
  await using nats = await connectNats(
    { url: limited.url, name: 'test', user: 'inlet', password: 'secret' },
    log,
  );
  const { storage } = await readQueueFacts(
    await ensureStreams(nats, z.object(StreamsConfig).parse({ PARTITIONS: '1' })),
  );
  expect(storage).toEqual({ usedBytes: expect.any(Number), maxBytes: 50 * 2 ** 20 });
});

test('the backlog for autoscaling counts new mail and no waiting retry', async () => {
  await withConsumers();
  await store(4);
  for (let i = 0; i < 5; i++) await streams.client.publish(`retry.0.acc.addr.evt_${i}`, 'asleep');
  const registry = new Registry();
  registerQueueGauges(createMeter(registry), () => readQueueFacts(streams));
  const text = await registry.metrics();
  expect(text).toMatch(/^inlet_dispatcher_backlog_mails 4$/m);
  expect(text).toMatch(/^inlet_queue_mails\{lane="retry",partition="0",state="ready"\} 5$/m);
  expect(text).toMatch(/^inlet_queue_age_seconds\{lane="retry",partition="0"\} \d/m);
  expect(text).toMatch(/^inlet_stream_max_bytes\{stream="MAIL-0"\} 1000000$/m);
});

test('while NATS is down, /metrics still answers, without stale values', async () => {
  await withConsumers();
  const registry = new Registry();
  registerQueueGauges(createMeter(registry), () => readQueueFacts(streams));
  expect(await registry.metrics()).toMatch(/^inlet_dispatcher_backlog_mails 0$/m);
  await server.kill();
  await sleep(1_100); // a reading is reused for a second
  const startedAt = performance.now();
  expect(await registry.metrics()).not.toMatch(/^inlet_/m);
  expect(performance.now() - startedAt).toBeLessThan(atMost(8_000)); // Prometheus waits for ten seconds
});

test('only the first scrape waits for a NATS that does not answer', async () => {
  const registry = new Registry();
  const answers = Promise.withResolvers<undefined>();
  let isFirst = true;
  registerQueueGauges(createMeter(registry), async () => {
    if (!isFirst) await answers.promise;
    isFirst = false;
    return readQueueFacts(streams);
  });
  const scrape = async () => {
    await sleep(1_100); // a reading is reused for a second
    const startedMs = performance.now();
    const text = await registry.metrics();
    return { has: text.includes('inlet_stream_bytes{'), ms: performance.now() - startedMs };
  };
  expect(await scrape()).toMatchObject({ has: true });
  const [first, second] = [await scrape(), await scrape()];
  expect([first.has, second.has]).toEqual([false, false]);
  expect(first.ms).toBeGreaterThan(2_500);
  expect(second.ms).toBeLessThan(first.ms / 2);
  answers.resolve(undefined);
  expect(await scrape()).toMatchObject({ has: true });
});

test('scrapes at the same time share one reading', async () => {
  let readings = 0;
  const registry = new Registry();
  registerQueueGauges(createMeter(registry), async () => {
    readings++;
    return readQueueFacts(streams);
  });
  await Promise.all([registry.metrics(), registry.metrics(), registry.metrics()]);
  expect(readings).toBe(1);
});
