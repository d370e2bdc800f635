/**
 * D34: an email is visible within two seconds of its 250, as pending until its first attempt ends,
 * and is counted once. A fast first attempt costs no write more.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { afterEach, expect, test } from 'vitest';

import { createLog } from '../../../services/adapters/process/log.ts';
import { createVisibility } from '../../../services/dispatcher/pacing/visibility.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { type Pipeline, type PipelineOptions, startPipeline } from '../../support/pipeline.ts';
import { atMost } from '../../support/slowdown.ts';
import { until } from '../../support/until.ts';
import {
  counted,
  emailCount,
  records,
  VISIBLE_WITHIN_MS,
  watchRecords,
} from '../delivery-records.ts';

const parts: AsyncDisposable[] = [];
afterEach(async () => {
  for (const part of parts.splice(0).toReversed()) await part[Symbol.asyncDispose]();
});

async function start(options: PipelineOptions): Promise<Pipeline> {
  const pipeline = await startPipeline(options);
  parts.push(pipeline);
  return pipeline;
}

test('a backlog that cannot be read is logged once, and at the end with a count', async () => {
  const lines: Record<string, unknown>[] = [];
  const recorded = createLog('info', {}, { write: (line) => lines.push(JSON.parse(line)) });
  let tries = 0;
  const io = {
    showPending: async () => undefined,
    readBacklog: async () => {
      tries++;
      throw new Error('no leader');
    },
  };
  const visibility = createVisibility(io, recorded);
  for (const partition of [0, 1]) visibility.watch(partition, () => true);
  await until('several tries', () => tries >= 4);
  expect(lines).toMatchObject([{ level: 'warn', event: 'backlog.not_read', error: 'no leader' }]);
  await visibility[Symbol.asyncDispose]();
  expect(lines).toMatchObject([{}, { event: 'backlog.not_read', repeated: tries - 1 }]);
});

test('a slow receiver: pending within two seconds, and counted; then delivered, counted once', async () => {
  const pipeline = await start({});
  let finish: (() => void) | undefined;
  pipeline.receiver.answer('/slow', () => (response) => {
    finish = () => void response.writeHead(200).end();
  });
  const address = await pipeline.address('/slow');
  const watched = watchRecords(pipeline);
  await watched.send(address.address, 'slow');
  const { ms, statuses } = await watched.slowest();
  expect(ms).toBeLessThan(atMost(VISIBLE_WITHIN_MS));
  expect(statuses).toEqual(['pending']);
  expect(await emailCount(pipeline, address)).toBe(1);
  expect(await counted(pipeline)).toEqual({ received: 1, delivered: 0, failed: 0 });

  finish?.();
  const delivered = await until('its delivery', () =>
    records(pipeline).findOne({ status: 'delivered' }),
  );
  expect(delivered.attempts).toHaveLength(1);
  expect(await records(pipeline).countDocuments()).toBe(1);
  expect(await emailCount(pipeline, address)).toBe(1);
  expect(await counted(pipeline)).toEqual({ received: 1, delivered: 1, failed: 0 });
});

test('a slow receiver: the API has the email within two seconds, wherever it is asked', async () => {
  const whole = await startInProcess();
  parts.push(whole);
  let finish: (() => void) | undefined;
  whole.pipeline.receiver.answer('/slow-api', () => (response) => {
    finish = () => void response.writeHead(200).end();
  });
  const { id, address } = await whole.address('/slow-api');
  await whole.send(address, 'slow');
  const repliedAt = Date.now();
  type Found = { data: { event_id: string; status: string }[] };
  const get = async <T>(path: string) => {
    const { status, body } = await whole.api.ask('GET', `/v1${path}`);
    expect(status).toBe(200);
    return body as T;
  };
  let askedAt = 0;
  const listed = await until('it to be listed', async () => {
    askedAt = Date.now(); // on a busy machine the answer takes its time
    return (await get<Found>(`/deliveries?address_id=${id}`)).data[0];
  });
  expect(askedAt - repliedAt).toBeLessThan(atMost(VISIBLE_WITHIN_MS));
  expect(listed.status).toBe('pending');
  const { event_id } = listed;
  expect(await get(`/deliveries/${event_id}`)).toMatchObject({ status: 'pending', attempts: [] });
  expect(await get(`/addresses/${id}`)).toMatchObject({ email_count: 1 });
  expect(await get('/usage')).toMatchObject({ emails: { total: 1, today: 1, successful: 0 } });
  expect(await get('/usage/events?event_type=email.received')).toMatchObject({
    data: [{ address_id: id, data: { webhook_status: 'pending' } }],
  });
  finish?.();
});

test('a fast first attempt writes one record, once, and no consumer reads its headers', async () => {
  const pipeline = await start({});
  const { db } = pipeline.mongo;
  const address = await pipeline.address('/fast');
  await db.command({ profile: 2 });
  for (let n = 0; n < 40; n++)
    await pipeline.mailer.sendMail({ from: 'a@b.example', to: address.address, subject: `${n}` });
  await until(
    'all to be delivered',
    async () => (await records(pipeline).countDocuments({ status: 'delivered' })) === 40,
  );
  await sleep(1_500); // nothing follows
  await db.command({ profile: 0 });
  const writes = await db
    .collection<{ op: string; ns: string; ninserted?: number; command: object }>('system.profile')
    .find({ ns: /\.deliveries$/, op: { $in: ['insert', 'update', 'remove'] } })
    .toArray();
  expect(writes.filter(({ op }) => op !== 'insert')).toEqual([]);
  expect(writes.reduce((sum, { ninserted = 0 }) => sum + ninserted, 0)).toBe(40);
  const manager = await jetstreamManager(pipeline.nats.connection);
  for (const stream of ['MAIL-0', 'MAIL-1'])
    expect((await manager.streams.info(stream)).state.consumer_count).toBe(1);
});
