/**
 * The gateway's end of the queue: on disk once acknowledged, duplicates dropped, large payloads in
 * the bucket, no room in a full partition.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

import { createStoreMail, type StoreMail } from '../../../services/adapters/stream/store.ts';
import { connectNats, type Nats } from '../../../services/adapters/stream/connection/connection.ts';
import {
  ensureStreams,
  mailStream,
  type Streams,
  StreamsConfig,
} from '../../../services/adapters/stream/events/streams.ts';
import { newId } from '../../../services/core/id/ids.ts';
import { partitionOf, subjects } from '../../../services/core/delivery/mail-event.ts';
import { INLINE_PAYLOAD_MAX_BYTES } from '../../../services/core/mail/mail-size.ts';
import { type PayloadPiece, writtenBytes } from '../../../services/core/webhook/payload-bytes.ts';
import { log } from '../../support/pipeline.ts';
import { startTestNats } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { mailEvent } from '../../support/mail-events.ts';
import { readObject } from '../../support/stored-bytes.ts';

let nats: Nats;
let streams: Streams;
let storeMail: StoreMail;
const parts = new AsyncDisposableStack();
beforeAll(async () => {
  nats = parts.use(
    await connectNats({ url: parts.use(await startTestNats()).url, name: 'test' }, log),
  );
  streams = await ensureStreams(nats, z.object(StreamsConfig).parse({ PARTITIONS: '3' }));
  storeMail = createStoreMail(streams);
});
afterAll(() => parts.disposeAsync());

const anEvent = (changes: { subject?: string | null } = {}) => {
  const id = newId('addr', new Date(), randomBytes(10));
  return mailEvent({ id, account_id: 'acc_1', environment: 'live' }, new Date(), changes);
};
const aDigest = () => randomBytes(32).toString('hex');
const messages = async () =>
  (
    await Promise.all(
      [0, 1, 2].map((partition) => streams.manager.streams.info(mailStream(partition))),
    )
  ).reduce((sum, { state }) => sum + state.messages, 0);
/** Where the newest event of this address is stored. */
const placeOf = async (event: ReturnType<typeof anEvent>, digest: string) => {
  const partition = partitionOf(digest, 3);
  const message = await streams.manager.streams.getMessage(mailStream(partition), {
    last_by_subj: subjects.mail(partition, event),
  });
  return { partition, sequence: message?.seq };
};
const body = (event: { event_id: string }) => readObject(streams, streams.bodies, event.event_id);
const isSame = (found: Uint8Array | undefined, payload: Uint8Array) =>
  found !== undefined && Buffer.compare(found, payload) === 0;
const LARGE = randomBytes(INLINE_PAYLOAD_MAX_BYTES + 1);

test('an event is stored in the partition of its digest, under the subject of its address', async () => {
  const event = anEvent();
  const digest = `00000004${aDigest().slice(8)}`;
  expect(await storeMail(event, [Buffer.from('{"a":'), Buffer.from('1}')], digest)).toEqual({
    isRepeat: false,
  });
  const message = await streams.manager.streams.getMessage('MAIL-1', {
    last_by_subj: subjects.mail(1, event),
  });
  expect(message?.string()).toBe('{"a":1}');
  expect(JSON.parse(message?.header.get('Inlet-Event') ?? '')).toEqual({
    ...event,
    payload_bytes: 7,
    payload_in: 'message',
  });
});

test('subjects and names beyond ASCII are stored unchanged', async () => {
  const event = anEvent({ subject: 'Grüße 🎉 "\\\r\n\u2028' });
  await storeMail(event, [Buffer.from('{}')], `00000003${aDigest().slice(8)}`);
  const message = await streams.manager.streams.getMessage('MAIL-0', {
    last_by_subj: subjects.mail(0, event),
  });
  expect(JSON.parse(message?.header.get('Inlet-Event') ?? '')).toMatchObject({
    subject: event.subject,
  });
});

test('reading bodies leaves no consumers on their bucket, which can have only a thousand', async () => {
  const event = anEvent();
  await storeMail(event, [LARGE], aDigest());
  for (let i = 0; i < 10; i++) expect(isSame(await body(event), LARGE)).toBe(true);
  await until(
    'the end of all consumers',
    async () => (await streams.bodies.status()).streamInfo.state.consumer_count === 0,
  );
});

test('a repeated email is not stored again and gets the event id of the first one', async () => {
  const [first, second] = [anEvent(), anEvent()];
  const digest = aDigest();
  await storeMail(first, [Buffer.from('{}')], digest);
  const before = await messages();
  const storedAt = await placeOf(first, digest);
  expect(await storeMail(second, [Buffer.from('{}')], digest)).toEqual({
    isRepeat: true,
    first: { eventId: first.event_id, storedAt },
  });
  expect(await messages()).toBe(before);
});

test('of a first email that is no longer stored, its place is known', async () => {
  const [first, second] = [anEvent(), anEvent()];
  const digest = aDigest();
  await storeMail(first, [Buffer.from('{}')], digest);
  const storedAt = await placeOf(first, digest);
  await streams.manager.streams.purge(mailStream(storedAt.partition));
  expect(await storeMail(second, [Buffer.from('{}')], digest)).toEqual({
    isRepeat: true,
    first: { eventId: undefined, storedAt },
  });
});

test.each([
  [INLINE_PAYLOAD_MAX_BYTES, 'message'],
  [INLINE_PAYLOAD_MAX_BYTES + 1, 'bucket'],
  [30 * 1024 * 1024, 'bucket'],
])('a payload of %d bytes is stored in the %s, byte for byte', async (bytes, place) => {
  const event = anEvent();
  const payload = randomBytes(bytes);
  await storeMail(
    event,
    [payload.subarray(0, 1000), payload.subarray(1000)],
    `00000002${aDigest().slice(8)}`,
  );
  const message = await streams.manager.streams.getMessage('MAIL-2', {
    last_by_subj: subjects.mail(2, event),
  });
  expect(JSON.parse(message?.header.get('Inlet-Event') ?? '')).toMatchObject({
    payload_in: place,
    payload_bytes: bytes,
  });
  expect(isSame(place === 'message' ? message?.data : await body(event), payload)).toBe(true);
});

test('when a large email is repeated, the first body stays and the second is removed', async () => {
  const [first, second] = [anEvent(), anEvent()];
  const digest = aDigest();
  await storeMail(first, [LARGE], digest);
  const storedAt = await placeOf(first, digest);
  expect(await storeMail(second, [LARGE], digest)).toEqual({
    isRepeat: true,
    first: { eventId: first.event_id, storedAt },
  });
  expect(isSame(await body(first), LARGE)).toBe(true);
  expect(await body(second)).toBeUndefined();
});

test('an event that is published twice, because its first acknowledgment was lost, keeps its body', async () => {
  const event = anEvent();
  const digest = aDigest();
  await storeMail(event, [LARGE], digest);
  expect(await storeMail(event, [LARGE], digest)).toEqual({ isRepeat: false });
  expect(isSame(await body(event), LARGE)).toBe(true);
});

test('an account at its limit, which the chart sets, reports that it is full', async () => {
  const accounts = '{ INLET { jetstream: {max_file: 100000}, users: [{user: a, password: a}] } }';
  const server = { accounts, no_auth_user: 'a' };
  await using small = await connectNats(
    { url: parts.use(await startTestNats({ server })).url, name: 'test' },
    log,
  );
  const config = z.object(StreamsConfig).parse({ PARTITIONS: '1' });
  const storeUntilFull = createStoreMail(await ensureStreams(small, config));
  await storeUntilFull(anEvent(), [randomBytes(60_000)], aDigest());
  expect(await storeUntilFull(anEvent(), [randomBytes(60_000)], aDigest())).toBe('full');
});

/** Of two partitions. */
const inFirst = () => `00000002${aDigest().slice(8)}`;

test('D192: an email whose partition is full is stored in another one, and folds there', async () => {
  await using small = await connectNats(
    { url: parts.use(await startTestNats()).url, name: 'test' },
    log,
  );
  const settings = { PARTITIONS: '2', STREAM_MAX_BYTES: '100000' };
  const opened = await ensureStreams(small, z.object(StreamsConfig).parse(settings));
  const store = createStoreMail(opened);
  const storeOne = (digest: string) => store(anEvent(), [randomBytes(60_000)], digest);
  expect(await storeOne(inFirst())).toEqual({ isRepeat: false });
  const second = inFirst();
  expect(await storeOne(second)).toEqual({ isRepeat: false });
  expect(await storeOne(second)).toMatchObject({
    isRepeat: true,
    first: { storedAt: { partition: 1, sequence: 1 } },
  });
  expect(await storeOne(inFirst())).toBe('full');
  for (const partition of [0, 1]) {
    const { state } = await opened.manager.streams.info(mailStream(partition));
    expect(state.messages).toBe(1);
  }
});

test('a full partition reports that it is full and keeps what it has', async () => {
  await using small = await connectNats(
    { url: parts.use(await startTestNats()).url, name: 'test' },
    log,
  );
  const storeUntilFull = createStoreMail(
    await ensureStreams(
      small,
      z.object(StreamsConfig).parse({ PARTITIONS: '1', STREAM_MAX_BYTES: '100000' }),
    ),
  );
  await storeUntilFull(anEvent(), [randomBytes(60_000)], aDigest());
  expect(await storeUntilFull(anEvent(), [randomBytes(60_000)], aDigest())).toBe('full');
  expect((await small.connection.request('$JS.API.STREAM.INFO.MAIL-0')).json()).toMatchObject({
    state: { messages: 1 },
  });
});

test('pieces of every kind, of several emails at the same time, are stored byte for byte', async () => {
  const pieces: PayloadPiece[] = [
    Buffer.from('{"a":"'),
    { base64Of: randomBytes(3_000_001) },
    Buffer.from('","b":"'),
    { jsonOf: '\u0001ü"'.repeat(300_000) },
    Buffer.from('"}'),
  ];
  const events = Array.from({ length: 4 }, () => anEvent());
  await Promise.all(events.map((event) => storeMail(event, pieces, aDigest())));
  const stored = await Promise.all(events.map(body));
  expect(stored.map((one) => isSame(one, writtenBytes(pieces)))).toEqual([true, true, true, true]);
});

test('of memory that grew while an email arrived, only the filled part is stored', async () => {
  const memory = new SharedArrayBuffer(0, { maxByteLength: 4_000_000 });
  memory.grow(700_000);
  const content = Buffer.from(memory, 0, 700_000).fill(randomBytes(1000));
  const event = anEvent();
  await storeMail(event, [{ base64Of: content.subarray(7) }], aDigest());
  const base64 = Buffer.from(content.subarray(7).toString('base64'));
  expect(isSame(await body(event), base64)).toBe(true);
});

test('a full bucket reports that it is full, and stores mail again once it has room', async () => {
  const { config, state } = (await streams.bodies.status()).streamInfo;
  const event = anEvent();
  await streams.manager.streams.update(config.name, { max_bytes: state.bytes + 700_000 });
  expect(await storeMail(event, [randomBytes(2_000_000)], aDigest())).toBe('full');
  await streams.manager.streams.update(config.name, { max_bytes: -1 });
  expect(await storeMail(event, [randomBytes(2_000_000)], aDigest())).toEqual({
    isRepeat: false,
  });
});
