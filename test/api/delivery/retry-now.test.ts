/** D35: a request makes the next attempt of a sleeping delivery due now, or ends the delivery. */
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { describe, expect, test } from 'vitest';

import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import type { StoredUsageEvent } from '../../../services/adapters/mongo/audit/events.ts';
import { retryStream } from '../../../services/adapters/stream/events/streams.ts';
import type { Delivery } from '../../../services/core/delivery/delivery.ts';
import { subjects } from '../../../services/core/delivery/mail-event.ts';
import { until } from '../../support/until.ts';
import type { Answer } from '../../support/start-api.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { wholeAccount } from '../../../services/core/address/scope.ts';
import { retryLane } from './retry-lane.ts';

const whole = await useInFile(startInProcess({ RETRY_SCHEDULE: '1h,2h,3h' }));

type Shown = {
  event_id: string;
  status: string;
  outcome: string | null;
  next_attempt_at: string | null;
  attempts: { outcome: string }[];
};
const get = async (id: string) =>
  (await whole.api.ask('GET', `/v1/deliveries/${id}`)).body as unknown as Shown;
const ask = (id: string, action: 'retry' | 'cancel' | 'replay'): Promise<Answer> =>
  whole.api.ask('POST', `/v1/deliveries/${id}/${action}`);
const posts = (path: string) => whole.pipeline.receiver.received(path).length;
const scope = () => ({ account_id: whole.api.account.id, environment: 'live' as const });

async function listed(addressId: string, status: string): Promise<Shown[]> {
  const { body } = await whole.api.ask(
    'GET',
    `/v1/deliveries?limit=100&address_id=${addressId}&status=${status}`,
  );
  return body.data as Shown[];
}

/** Sends emails to a new address whose receiver is down; resolves once they sleep. */
async function asleep(path: string, emails = 1, firstAnswer = 503) {
  whole.pipeline.receiver.answer(path, (count) => (count <= emails ? firstAnswer : 200));
  const address = await whole.address(path);
  for (let n = 0; n < emails; n++) await whole.send(address.address, `${path} ${n}`);
  const found = await until('all to sleep', async () => {
    const sleeping = await listed(address.id, 'retrying');
    return sleeping.length === emails ? sleeping : undefined;
  });
  return {
    addressId: address.id,
    ids: found.map(({ event_id }) => event_id),
    id: found[0]!.event_id,
  };
}

const ended = (id: string, status: string) =>
  until(`${id} to be ${status}`, async () => {
    const delivery = await get(id);
    return delivery.status === status ? delivery : undefined;
  });

describe('POST /deliveries/{event_id}/retry', () => {
  test('makes the next attempt now, once; a delivery that slept for an hour is delivered', async () => {
    const { id } = await asleep('/fixed');
    const { status, body } = await ask(id, 'retry');
    expect([status, body.status]).toEqual([200, 'retrying']);
    expect(Date.parse(String(body.next_attempt_at))).toBeLessThanOrEqual(Date.now());
    expect((await ended(id, 'delivered')).attempts).toMatchObject([
      { outcome: 'busy' },
      { outcome: 'accepted' },
    ]);
    const second = await whole.pipeline.receiver.nth('/fixed', 2);
    expect(second.payload.metadata.retry_count).toBe(1);
    await sleep(1_000);
    expect(posts('/fixed')).toBe(2);
    expect((await retryLane(whole, id)).messages).toBe(0);
  });

  test('when that attempt fails, the schedule continues, and the request can be repeated', async () => {
    const { id } = await asleep('/still-down', 1);
    whole.pipeline.receiver.answer('/still-down', (count) => (count < 4 ? 503 : 200));
    for (const attempts of [2, 3]) {
      expect((await ask(id, 'retry')).status).toBe(200);
      const delivery = await until('the attempt', async () => {
        const found = await get(id);
        return found.attempts.length === attempts ? found : undefined;
      });
      expect(delivery.status).toBe('retrying');
      const hours = (Date.parse(String(delivery.next_attempt_at)) - Date.now()) / 3_600_000;
      expect(Math.floor(hours + 0.01)).toBe(attempts); // 2 h after the second attempt, then 3 h
    }
    expect((await ask(id, 'retry')).status).toBe(200);
    expect((await ended(id, 'delivered')).attempts).toHaveLength(4);
  });

  test('of 20 requests at the same time, one makes an attempt', async () => {
    const { id } = await asleep('/twenty');
    const open: (() => void)[] = [];
    whole.pipeline.receiver.answer('/twenty', () => (response) => {
      open.push(() => void response.writeHead(503).end()); // in flight until all have asked
    });
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await ask(id, 'retry')).status),
    );
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    await whole.pipeline.receiver.nth('/twenty', 2);
    for (const finish of open) finish();
    await until('the attempt', async () => (await get(id)).attempts.length === 2);
    await sleep(1_000);
    expect([posts('/twenty'), (await get(id)).attempts.length]).toEqual([2, 2]);
  });

  test('is 409 conflict when nothing sleeps: in flight, delivered, failed', async () => {
    const { id } = await asleep('/in-flight');
    const open: (() => void)[] = [];
    whole.pipeline.receiver.answer('/in-flight', () => (response) => {
      open.push(() => void response.writeHead(200).end());
    });
    expect((await ask(id, 'retry')).status).toBe(200);
    await whole.pipeline.receiver.nth('/in-flight', 2);
    expect(await ask(id, 'retry')).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect(await ask(id, 'cancel')).toMatchObject({ status: 409, body: { error: 'conflict' } });
    for (const finish of open) finish();
    await ended(id, 'delivered');
    expect(posts('/in-flight')).toBe(2);
    expect((await ask(id, 'retry')).status).toBe(409);
    expect((await ask(id, 'cancel')).status).toBe(409);

    const refused = await asleep('/refused-later');
    whole.pipeline.receiver.answer('/refused-later', () => 400);
    await ask(refused.id, 'retry');
    await ended(refused.id, 'failed');
    expect((await ask(refused.id, 'retry')).status).toBe(409);
  });

  test('a request that crashed before it replaced the message: the next one, or the message itself, does', async () => {
    const schedule = createDeliveries(whole.api.mongo.db);
    const first = await asleep('/crashed-api');
    await until('its message', async () => (await retryLane(whole, first.id)).messages === 1);
    await schedule.makeDue(wholeAccount(scope()), first.id, new Date());
    // 409: the dispatcher looked at the record after the change, and the attempt is made or in flight
    expect([200, 409]).toContain((await ask(first.id, 'retry')).status);
    expect((await ended(first.id, 'delivered')).attempts).toHaveLength(2);

    await using brief = await startInProcess({ RETRY_SCHEDULE: '4s' });
    brief.pipeline.receiver.answer('/brief', (count) => (count === 1 ? 503 : 200));
    const address = await brief.address('/brief');
    await brief.send(address.address, 'brief');
    const record = () =>
      brief.api.mongo.db
        .collection<{ _id: string; address_id: string; status: string; attempts: unknown[] }>(
          'deliveries',
        )
        .findOne({ address_id: address.id });
    const retrying = await until('its sleep', async () => {
      const found = await record();
      return found?.status === 'retrying' ? found : undefined;
    });
    const changed = await createDeliveries(brief.api.mongo.db).makeDue(
      wholeAccount({ account_id: brief.api.account.id, environment: 'live' }),
      retrying._id,
      new Date(),
    );
    expect(changed?.revision).toBe(1);
    await until('its end', async () => (await record())?.status === 'delivered');
    await sleep(500);
    expect((await record())?.attempts).toHaveLength(2);
    expect(brief.pipeline.receiver.received('/brief')).toHaveLength(2);
  });
});

/** A dispatcher writes the record of a failed attempt before its message in the RETRY lane. */
test.each([
  ['retry', 'delivered', 2],
  ['cancel', 'failed', 1],
] as const)('%s before the message is in the RETRY lane', async (action, status, attempts) => {
  const path = `/early-${action}`;
  const { id } = await asleep(path);
  const { connection } = whole.pipeline.nats;
  const manager = await jetstreamManager(connection);
  const record = await whole.api.mongo.db
    .collection<Delivery & { _id: string }>('deliveries')
    .findOne({ _id: id });
  const { partition } = record!.stored_at;
  const stream = retryStream(partition);
  const subject = subjects.retry(partition, { ...record!, event_id: id });
  const message = await until('its message', () =>
    manager.streams.getMessage(stream, { last_by_subj: subject }).catch(() => null),
  );
  await manager.streams.deleteMessage(stream, message.seq);
  expect((await ask(id, action)).status).toBe(200);
  await jetstream(connection).publish(message.subject, message.data, { headers: message.header });
  expect((await ended(id, status)).attempts).toHaveLength(attempts);
  await until('the end of its message', async () => (await retryLane(whole, id)).messages === 0);
  expect(posts(path)).toBe(attempts);
});

describe('POST /deliveries/{event_id}/cancel', () => {
  test('ends the delivery as failed with the outcome canceled; it can be replayed', async () => {
    const before = await failedCount();
    const { id, addressId } = await asleep('/canceled');
    const { status, body } = await ask(id, 'cancel');
    expect([status, body.status, body.outcome]).toEqual([200, 'failed', 'canceled']);
    expect(body).toMatchObject({ next_attempt_at: null, attempts: [{ outcome: 'busy' }] });
    expect(await get(id)).toEqual(body);
    expect(await listed(addressId, 'failed')).toMatchObject([{ outcome: 'canceled' }]);
    expect(await failedCount()).toBe(before + 1);
    const events = whole.api.mongo.db.collection<StoredUsageEvent>('events');
    expect(await events.findOne({ 'data.event_id': id, type: 'webhook.failed' })).toMatchObject({
      data: { outcome: 'canceled' },
      token_id: /^token_/,
      request_id: /./,
    });
    await until('the end of its message', async () => (await retryLane(whole, id)).messages === 0);
    expect(posts('/canceled')).toBe(1);

    expect((await ask(id, 'replay')).status).toBe(200);
    expect(await ended(id, 'delivered')).toMatchObject({ outcome: 'accepted' });
    expect(await failedCount()).toBe(before);
  });

  test('races with a retry: one of them wins, for each of 25 deliveries', async () => {
    const { ids } = await asleep('/race', 25);
    const results = await Promise.all(
      ids.map(async (id, i) => {
        const order = i % 2 === 0 ? (['retry', 'cancel'] as const) : (['cancel', 'retry'] as const);
        const [first, second] = await Promise.all(order.map((action) => ask(id, action)));
        const answers = { [order[0]]: first?.status, [order[1]]: second?.status };
        return { id, isCanceled: answers.cancel === 200, isRetried: answers.retry === 200 };
      }),
    );
    expect(results.filter(({ isCanceled, isRetried }) => isCanceled === isRetried)).toEqual([]);
    for (const { id, isCanceled } of results) {
      const { attempts, outcome } = await ended(id, isCanceled ? 'failed' : 'delivered');
      expect([attempts.length, outcome]).toEqual(isCanceled ? [1, 'canceled'] : [2, 'accepted']);
    }
    await sleep(500);
    const retried = results.filter(({ isRetried }) => isRetried).length;
    expect(posts('/race')).toBe(25 + retried);
  });
});

test('POST /deliveries/replay with status=retrying makes all due, page by page, once each', async () => {
  const { addressId, ids } = await asleep('/bulk', 7);
  const body = { status: 'retrying', address_id: addressId, limit: 4 };
  const first = await whole.api.ask('POST', '/v1/deliveries/replay', { body });
  expect(first.body).toMatchObject({ queued: 4, skipped: { no_longer_kept: 0, under_way: 0 } });
  const rest = await whole.api.ask('POST', '/v1/deliveries/replay', {
    body: { ...body, cursor: first.body.next_cursor },
  });
  expect(rest.body).toMatchObject({ queued: 3, next_cursor: null });
  for (const id of ids) expect((await ended(id, 'delivered')).attempts).toHaveLength(2);
  await sleep(500);
  expect(posts('/bulk')).toBe(14);
  const none = await whole.api.ask('POST', '/v1/deliveries/replay', { body });
  expect(none.body).toMatchObject({ queued: 0 });
});

async function failedCount(): Promise<number> {
  const { body } = await whole.api.ask('GET', '/v1/usage');
  return (body.emails as { failed: number }).failed;
}
