/**
 * The end of the replay window: settled mail is removed from its partition, other mail never is.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { createLog } from '../../../services/adapters/process/log.ts';
import { keptFrom, purgeMail } from '../../../services/adapters/stream/purge.ts';
import { createStoreMail, type StoreMail } from '../../../services/adapters/stream/store.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import {
  DISPATCHER_CONSUMER,
  ensureConsumer,
  ensureStreams,
  mailStream,
  type Streams,
  StreamsConfig,
} from '../../../services/adapters/stream/events/streams.ts';
import { startTestNats } from '../../support/servers.ts';
import { GIVE_UP_MS } from '../../support/until.ts';

const STREAM = mailStream(0);
let parts = new AsyncDisposableStack();
let streams: Streams;
let storeMail: StoreMail;

beforeEach(async () => {
  await parts.disposeAsync();
  parts = new AsyncDisposableStack();
  const nats = parts.use(
    await connectNats(
      { url: parts.use(await startTestNats()).url, name: 'test' },
      createLog('silent'),
    ),
  );
  streams = await ensureStreams(nats, z.object(StreamsConfig).parse({ PARTITIONS: '1' }));
  await ensureConsumer(streams.manager, STREAM, 30_000);
  storeMail = createStoreMail(streams);
});
afterAll(() => parts.disposeAsync());

async function store(mails: number, bytes = 10): Promise<void> {
  for (let i = 0; i < mails; i++) expect(await storeOne(bytes)).toEqual({ isRepeat: false });
}

const storeOne = (bytes: number) =>
  storeMail(
    {
      event_id: `evt_${randomBytes(6).toString('hex')}`,
      account_id: 'acc_1',
      environment: 'live',
      address_id: 'addr_1',
      mail_from: '',
      from: null,
      subject: null,
      size_bytes: 1,
      received_at_ms: 1,
    },
    [randomBytes(bytes)],
    randomBytes(32).toString('hex'),
  );

/** Pulls the next `of` emails, which are stored, and acknowledges these, by position from 1. */
async function settle(of: number, places: number[]): Promise<void> {
  const consumer = await streams.client.consumers.get(STREAM, DISPATCHER_CONSUMER);
  let place = 0;
  for await (const message of await consumer.fetch({ max_messages: of, expires: GIVE_UP_MS })) {
    place++;
    if (places.includes(place)) await message.ackAck();
  }
}

const sequences = async () => {
  const { state } = await streams.manager.streams.info(STREAM);
  return [state.first_seq, state.last_seq];
};
const inTheFuture = () => new Date(Date.now() + 60_000);

test('settled mail older than the window is removed, newer mail stays', async () => {
  await store(5);
  await settle(5, [1, 2, 3, 4, 5]);
  await sleep(20);
  const windowStart = new Date();
  await sleep(20);
  await store(3);
  await settle(3, [1, 2, 3]);
  expect(await purgeMail(streams, windowStart)).toBe(5);
  expect(await sequences()).toEqual([6, 8]);
  expect(await purgeMail(streams, windowStart)).toBe(0);
});

test('contents that were removed or erased from a partition end no other window', async () => {
  await store(8);
  await settle(8, [1, 2, 3, 4, 5, 6, 7, 8]);
  await sleep(20);
  const windowStart = new Date();
  await sleep(20);
  await store(24);
  await settle(
    24,
    Array.from({ length: 24 }, (_, place) => place + 1),
  );
  for (let seq = 12; seq <= 28; seq++) await streams.manager.streams.deleteMessage(STREAM, seq);
  expect(await purgeMail(streams, windowStart)).toBe(8);
  expect(await sequences()).toEqual([9, 32]);
});

test('unsettled mail stays, however old it is, and so does everything after it', async () => {
  await store(5);
  await settle(5, [1, 2, 4, 5]);
  expect(await purgeMail(streams, inTheFuture())).toBe(2);
  expect(await sequences()).toEqual([3, 5]);
});

test('nothing is removed from an empty partition, or when nothing is settled', async () => {
  expect(await purgeMail(streams, inTheFuture())).toBe(0);
  await store(2);
  expect(await purgeMail(streams, inTheFuture())).toBe(0);
  expect(await sequences()).toEqual([1, 2]);
});

const limitTo = (max_bytes: number) => streams.manager.streams.update(STREAM, { max_bytes });

describe('a partition with a limit', () => {
  test('that is nearly full removes its oldest settled emails, as many as are needed', async () => {
    await limitTo(24_000);
    expect(await keptFrom(streams)).toEqual([]);
    await store(9, 2_000);
    await settle(9, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await purgeMail(streams, new Date(0))).toBe(1);
    expect(await sequences()).toEqual([2, 9]);
    const [from] = await keptFrom(streams);
    const first = await streams.manager.streams.getMessage(STREAM, { seq: 2 });
    expect(from).toEqual(first?.time);
    expect(await purgeMail(streams, new Date(0))).toBe(0);
  });

  test('removes no email that is not settled', async () => {
    await limitTo(24_000);
    await store(10, 2_000);
    await settle(10, [2, 3, 4]);
    expect(await purgeMail(streams, new Date(0))).toBe(0);
    expect(await keptFrom(streams)).toEqual([]);
  });

  test('refuses no email while it has settled ones, and then every one', async () => {
    await limitTo(100_000);
    await store(40, 2_000);
    await settle(
      40,
      [...Array(30).keys()].map((place) => place + 1),
    );
    const results = await Promise.all(Array.from({ length: 60 }, () => storeOne(2_000)));
    const stored = results.filter((result) => result !== 'full').length;
    expect(stored).toBeGreaterThanOrEqual(30); // the room of those that were settled
    expect(stored).toBeLessThan(60);
    expect((await sequences())[0]).toBe(31); // the first one that is not settled
    expect(await storeOne(2_000)).toBe('full');
  });

  test('makes room for an email that is larger than what it usually frees', async () => {
    await limitTo(400_000);
    await store(140, 2_000);
    await settle(
      140,
      [...Array(140).keys()].map((place) => place + 1),
    );
    expect(await storeOne(200_000)).toEqual({ isRepeat: false });
  });
});
