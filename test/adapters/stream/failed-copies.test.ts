/** FAILED has one copy of an email, which is as young as its last failure (D191). */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import { createKeepFailed } from '../../../services/adapters/stream/undelivered/failed-copies.ts';
import { createObjects } from '../../../services/adapters/stream/objects/objects.ts';
import {
  ensureStreams,
  FAILED_STREAM,
  StreamsConfig,
} from '../../../services/adapters/stream/events/streams.ts';
import { subjects } from '../../../services/core/delivery/mail-event.ts';
import { mailEvent } from '../../support/mail-events.ts';
import { newAddress } from '../../support/new-address.ts';
import { log } from '../../support/pipeline.ts';
import { startTestNats } from '../../support/servers.ts';
import { readObject } from '../../support/stored-bytes.ts';

test('a copy is replaced by one of a later revision, with its body, and by no other', async () => {
  await using server = await startTestNats();
  await using nats = await connectNats({ url: server.url, name: 'test' }, log);
  const streams = await ensureStreams(nats, z.object(StreamsConfig).parse({ PARTITIONS: '1' }));
  const keepFailed = createKeepFailed(streams, { withinMs: 10_000 });
  const event = {
    ...mailEvent(newAddress('https://receiver.example/'), new Date()),
    payload_bytes: 700_000,
    payload_in: 'bucket' as const,
  };
  const body = randomBytes(700_000);
  await createObjects(streams.bodies).put(event.event_id, [body]);
  const bodyStoredAt = async () => (await streams.bodies.info(event.event_id))?.mtime;
  const copy = () =>
    streams.manager.streams.getMessage(FAILED_STREAM, { last_by_subj: subjects.failed(event) });

  await keepFailed(event, Buffer.alloc(0), 0);
  const [first, firstBody] = [await copy(), await bodyStoredAt()];
  await keepFailed(event, Buffer.alloc(0), 0); // after a crash before the acknowledgment
  expect((await copy())?.seq).toBe(first?.seq);
  await sleep(5);
  await keepFailed(event, Buffer.alloc(0), 2);
  const second = await copy();
  expect(second?.time.getTime()).toBeGreaterThan(first?.time.getTime() ?? Infinity);
  expect(await bodyStoredAt()).not.toBe(firstBody);
  expect((await readObject(streams, streams.bodies, event.event_id))?.equals(body)).toBe(true);
  await keepFailed(event, Buffer.alloc(0), 1); // of a dispatcher that was slow
  expect((await copy())?.seq).toBe(second?.seq);
  const { state } = await streams.manager.streams.info(FAILED_STREAM);
  expect(state.messages).toBe(1);

  await streams.bodies.delete(event.event_id); // no body is no reason to lose the copy
  await keepFailed(event, Buffer.alloc(0), 3);
  expect((await copy())?.seq).not.toBe(second?.seq);
});
