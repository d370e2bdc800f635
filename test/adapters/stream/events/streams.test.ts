/**
 * The streams: created by the first process, updated to the settings, found by processes with fewer
 * partitions.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';

import {
  connectNats,
  type Nats,
} from '../../../../services/adapters/stream/connection/connection.ts';
import {
  ensureConsumer,
  ensureStreams,
  existingPartitions,
  mailStream,
  retryStream,
  StreamsConfig,
} from '../../../../services/adapters/stream/events/streams.ts';
import { log } from '../../../support/pipeline.ts';
import { startTestNats, type TestServer } from '../../../support/servers.ts';

const DAY_NS = 86_400_000_000_000;

let server: TestServer;
let nats: Nats;
let parts: AsyncDisposableStack;
beforeEach(async () => {
  parts = new AsyncDisposableStack();
  server = parts.use(await startTestNats());
  nats = parts.use(await connectNats({ url: server.url, name: 'test' }, log));
});
afterEach(() => parts.disposeAsync());

const settings = (env: Record<string, string> = {}): StreamsConfig =>
  z.object(StreamsConfig).parse(env);

async function configs(): Promise<Record<string, unknown>> {
  const { manager } = await ensureStreams(nats, settings({ PARTITIONS: '1' }));
  const all: Record<string, unknown> = {};
  for await (const { config } of manager.streams.list()) all[config.name] = config;
  return all;
}

test('defaults: four partitions per lane and the other streams, all on disk; a full lane drops nothing', async () => {
  await ensureStreams(nats, settings());
  const made = await configs();
  expect(Object.keys(made).toSorted((one, other) => one.localeCompare(other))).toEqual([
    'DEAD',
    'FAILED',
    'MAIL-0',
    'MAIL-1',
    'MAIL-2',
    'MAIL-3',
    'OBJ_BODIES',
    'OBJ_RAW',
    'RETRY-0',
    'RETRY-1',
    'RETRY-2',
    'RETRY-3',
  ]);
  expect(made['MAIL-2']).toMatchObject({
    subjects: ['mail.2.>'],
    storage: 'file',
    discard: 'new',
    num_replicas: 1,
    max_bytes: -1,
    max_age: 0,
    duplicate_window: 4_200_000_000_000,
  });
  expect(made['RETRY-2']).toMatchObject({
    subjects: ['retry.2.>'],
    storage: 'file',
    discard: 'new',
    retention: 'workqueue',
    max_age: 0,
  });
  expect(made.FAILED).toMatchObject({
    subjects: ['failed.>'],
    storage: 'file',
    retention: 'limits',
    max_age: 30 * DAY_NS,
  });
  // A body outlives the FAILED event that refers to it.
  expect(made.OBJ_BODIES).toMatchObject({ storage: 'file', max_age: 31 * DAY_NS });
});

test('creating them again changes nothing and loses nothing', async () => {
  const { client, manager } = await ensureStreams(nats, settings());
  await client.publish('mail.0.acc.addr', 'kept');
  const before = await configs();
  await ensureStreams(nats, settings());
  expect(await configs()).toEqual(before);
  expect((await manager.streams.info('MAIL-0')).state.messages).toBe(1);
});

test('changed settings are applied to existing streams, which keep their mail', async () => {
  const { client, manager } = await ensureStreams(nats, settings());
  await client.publish('mail.0.acc.addr', 'kept');
  await ensureStreams(
    nats,
    settings({ STREAM_MAX_BYTES: '123456789', DUPLICATE_WINDOW: '3m', FAILED_RETENTION: '2d' }),
  );
  const made: Record<string, unknown> = {};
  for await (const { config } of manager.streams.list()) made[config.name] = config;
  expect(made['MAIL-0']).toMatchObject({
    max_bytes: 123_456_789,
    duplicate_window: 180_000_000_000,
  });
  expect(made['RETRY-3']).toMatchObject({ max_bytes: 123_456_789 });
  expect(made.FAILED).toMatchObject({ max_age: 2 * DAY_NS, max_bytes: -1 });
  expect(made.OBJ_BODIES).toMatchObject({ max_age: 3 * DAY_NS });
  expect((await manager.streams.info('MAIL-0')).state.messages).toBe(1);
});

test.each(['FAILED_RETENTION=0s', 'FAILED_RETENTION=119s', 'LINK_LIFETIME=0s'])(
  '%s is refused: JetStream would store for ever, or refuse the stream',
  (setting) => {
    const [name = '', value = ''] = setting.split('=');
    expect(() => settings({ [name]: value })).toThrow('must be at least 2m');
  },
);

test('five processes may start at the same time', async () => {
  const others = await Promise.all(
    Array.from({ length: 5 }, (_, i) =>
      connectNats({ url: server.url, name: `starting-${i}` }, log),
    ),
  );
  for (const one of others) parts.use(one);
  const all = await Promise.all(others.map((one) => ensureStreams(one, settings())));
  await Promise.all(
    all.map(async ({ manager }) => {
      for (let i = 0; i < 4; i++) await ensureConsumer(manager, mailStream(i), 30_000);
    }),
  );
  expect(new Set(await existingPartitions(all[0]?.manager as never))).toEqual(
    new Set([0, 1, 2, 3]),
  );
});

test('partitions can be added; a process whose setting says fewer finds them all', async () => {
  const old = await ensureStreams(nats, settings({ PARTITIONS: '2' }));
  const grown = await ensureStreams(nats, settings({ PARTITIONS: '5' }));
  expect(new Set(await existingPartitions(old.manager))).toEqual(new Set([0, 1, 2, 3, 4]));
  expect([old.partitions, grown.partitions]).toEqual([2, 5]);
  await ensureStreams(nats, settings({ PARTITIONS: '2' }));
  expect(await existingPartitions(grown.manager)).toHaveLength(5);
});

test('the consumer is durable; redeliveries and waiting mail never stop it; its settings can change', async () => {
  const { manager } = await ensureStreams(nats, settings({ PARTITIONS: '1' }));
  for (const stream of [mailStream(0), retryStream(0)]) {
    await ensureConsumer(manager, stream, 30_000);
    await ensureConsumer(manager, stream, 60_000);
    const { config } = await manager.consumers.info(stream, 'dispatcher');
    expect(config).toMatchObject({
      durable_name: 'dispatcher',
      ack_policy: 'explicit',
      max_deliver: -1,
      max_ack_pending: -1,
      ack_wait: 60_000_000_000,
    });
  }
});

test('when a stream cannot be created, the error names it', async () => {
  await expect(ensureStreams(nats, settings({ STREAM_REPLICAS: '3' }))).rejects.toThrow(
    'create or update stream MAIL-0',
  );
});
