/** Large payloads that a thread stores: the same bytes and the same errors as without a thread. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

import { createBodies } from '../../../services/adapters/stream/bodies.ts';
import {
  type BodyThread,
  createBodyThread,
} from '../../../services/adapters/stream/body-thread.ts';
import { createMailQueue } from '../../../services/adapters/stream/mail-queue.ts';
import { connectNats } from '../../../services/adapters/stream/connection.ts';
import {
  ensureStreams,
  type Streams,
  StreamsConfig,
} from '../../../services/adapters/stream/streams.ts';
import { newId } from '../../../services/core/ids.ts';
import { type PayloadPiece, writtenBytes } from '../../../services/core/mail/payload-bytes.ts';
import { log } from '../../support/pipeline.ts';
import { startTestNats } from '../../support/servers.ts';

let streams: Streams;
let thread: BodyThread;
const parts = new AsyncDisposableStack();
beforeAll(async () => {
  const { url } = parts.use(await startTestNats());
  streams = await ensureStreams(
    parts.use(await connectNats({ url, name: 'test' }, log)),
    z.object(StreamsConfig).parse({ PARTITIONS: '1' }),
  );
  thread = parts.use(createBodyThread({ url, name: 'test-bodies' }));
});
afterAll(() => parts.disposeAsync());

const anId = () => newId('evt', new Date(), randomBytes(10));
const shared = (bytes: Buffer) => {
  const memory = Buffer.from(new SharedArrayBuffer(bytes.byteLength));
  bytes.copy(memory);
  return memory;
};
const isSame = (found: Uint8Array | undefined, bytes: Uint8Array) =>
  found !== undefined && Buffer.compare(found, bytes) === 0;

test('pieces of every kind, of several emails at the same time, are stored byte for byte', async () => {
  const pieces: PayloadPiece[] = [
    Buffer.from('{"a":"'),
    { base64Of: shared(randomBytes(3_000_001)) },
    Buffer.from('","b":"'),
    shared(Buffer.from('text'.repeat(300_000))),
    Buffer.from('"}'),
  ];
  const ids = Array.from({ length: 4 }, anId);
  await Promise.all(
    ids.map((id, index) => (index % 2 === 0 ? thread.bodies : thread.rawMails).put(id, pieces)),
  );
  const kept = await Promise.all(
    ids.map((id, index) =>
      createBodies(index % 2 === 0 ? streams.bodies : streams.rawMails).get(id),
    ),
  );
  expect(kept.map((one) => isSame(one, writtenBytes(pieces)))).toEqual([true, true, true, true]);
});

test('of memory that grew while an email arrived, only the filled part is stored', async () => {
  const memory = new SharedArrayBuffer(0, { maxByteLength: 4_000_000 });
  memory.grow(700_000);
  const content = Buffer.from(memory, 0, 700_000).fill(randomBytes(1000));
  const id = anId();
  await thread.bodies.put(id, [{ base64Of: content.subarray(7) }]);
  expect(
    isSame(
      await createBodies(streams.bodies).get(id),
      Buffer.from(content.subarray(7).toString('base64')),
    ),
  ).toBe(true);
});

test('a full bucket reports that it is full, and accepts mail again once it has room', async () => {
  const { config } = (await streams.bodies.status()).streamInfo;
  const event = {
    event_id: anId(),
    account_id: 'acc_1',
    environment: 'live' as const,
    address_id: 'addr_1',
    mail_from: 'a@b.example',
    from: null,
    subject: null,
    size_bytes: 1,
    received_at_ms: Date.now(),
  };
  const queue = createMailQueue(streams, undefined, thread.bodies);
  const { bytes } = (await streams.bodies.status()).streamInfo.state;
  await streams.manager.streams.update(config.name, { max_bytes: bytes + 700_000 });
  expect(await queue.store(event, [randomBytes(2_000_000)], randomBytes(32).toString('hex'))).toBe(
    'full',
  );
  await streams.manager.streams.update(config.name, { max_bytes: -1 });
  expect(
    await queue.store(event, [randomBytes(2_000_000)], randomBytes(32).toString('hex')),
  ).toEqual({ isRepeat: false, eventId: event.event_id });
});

test('a put whose thread is stopped fails', async () => {
  const stopping = createBodyThread({ url: 'nats://127.0.0.1:1', name: 'test-bodies' });
  const put = stopping.bodies.put(anId(), [randomBytes(1000)]);
  await Promise.all([expect(put).rejects.toThrow(/./), stopping[Symbol.asyncDispose]()]);
});
