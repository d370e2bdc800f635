/**
 * A JetStream account at its limit: bodies of delivered emails go before an email is refused, and
 * before small emails lose their replay window (D163).
 */
import { expect, test } from 'vitest';

import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import { openMailStreams } from '../../../services/adapters/stream/replay.ts';
import { keptFrom } from '../../../services/adapters/stream/purge.ts';
import { createStorageRoom } from '../../../services/platform/servers/storage-room.ts';
import { log, type Pipeline, startPipeline } from '../../support/pipeline.ts';
import { until } from '../../support/until.ts';

const MIB = 1024 * 1024;
const LIMIT = 14 * MIB;
const LARGE = 'x'.repeat(2 * MIB);
const accounts = `{ INLET { jetstream: {max_file: ${LIMIT}}, users: [{user: a, password: a}] } }`;
const natsServer = { server: { accounts, no_auth_user: 'a' } };

const send = (pipeline: Pipeline, to: string, text: string) =>
  pipeline.mailer.sendMail({ from: 'a@b.example', to, subject: text.slice(0, 9), text }).then(
    () => 250,
    (error: { responseCode?: number }) => error.responseCode ?? 0,
  );

test('large emails are accepted while delivered ones can go; small ones and waiting ones stay', async () => {
  await using pipeline = await startPipeline({
    natsServer,
    env: { PARTITIONS: '1', RETRY_SCHEDULE: '1h' },
  });
  const streams = await openMailStreams(pipeline.nats);
  const bodies = async () => {
    const { state } = await streams.manager.streams.info('OBJ_BODIES');
    return state.bytes;
  };
  const records = pipeline.mongo.db.collection<{
    address_id: string;
    status: string;
    payload_in: string;
  }>('deliveries');
  const [small, large, waiting] = [
    await pipeline.address('/small'),
    await pipeline.address('/large'),
    await pipeline.address('/waiting'),
  ];
  pipeline.receiver.answer('/waiting', () => 503);
  expect(await send(pipeline, small.address, 'small')).toBe(250);
  expect(await send(pipeline, waiting.address, LARGE)).toBe(250);
  for (let mails = 1; mails <= 12; mails++) {
    expect([mails, await send(pipeline, large.address, LARGE)]).toEqual([mails, 250]);
    await until('it to be delivered', async () => {
      const found = await records.countDocuments({ address_id: large.id, status: 'delivered' });
      return found === mails;
    });
  }
  // what made room: the oldest bodies of delivered emails, which their records say
  const removed = await records.countDocuments({
    address_id: large.id,
    payload_in: 'removed',
  });
  expect(removed).toBeGreaterThanOrEqual(12 - LIMIT / LARGE.length);
  expect(await records.countDocuments({ address_id: waiting.id, payload_in: 'bucket' })).toBe(1);
  expect((await streams.manager.streams.info('MAIL-0')).state.first_seq).toBe(1);
  expect(await keptFrom(streams)).toEqual([]); // the window of small emails is whole

  // from 80 % on, before anything is refused
  const room = createStorageRoom(streams, createDeliveries(pipeline.mongo.db), log);
  const stored = async () => (await streams.manager.getAccountInfo()).storage;
  for (let mails = 13; (await stored()) <= LIMIT * 0.8; mails++) {
    expect(await send(pipeline, large.address, LARGE)).toBe(250);
    await until('it to be delivered', async () => {
      const found = await records.countDocuments({ address_id: large.id, status: 'delivered' });
      return found === mails;
    });
  }
  expect(await room.keepFree()).toBeGreaterThan(0);
  expect(await stored()).toBeLessThanOrEqual(LIMIT * 0.8);
  expect(await room.keepFree()).toBe(0);

  // emails that wait are never removed: then large ones are refused
  const before = await bodies();
  const replies: number[] = [];
  while (replies.at(-1) !== 452 && replies.length < 12)
    replies.push(await send(pipeline, waiting.address, LARGE));
  expect(replies.at(-1)).toBe(452);
  expect(await bodies()).toBeGreaterThanOrEqual(before);
  expect(await send(pipeline, small.address, 'small too')).toBe(250);
  const waits = replies.filter((reply) => reply === 250).length + 1;
  const kept = { address_id: waiting.id, payload_in: 'bucket' };
  await until('their records', async () => (await records.countDocuments(kept)) === waits);
});
