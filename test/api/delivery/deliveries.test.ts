/** Deliveries in the API: lists, attempts, payloads, replays. */
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';

import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import { createReplayStore, openMailStreams } from '../../../services/adapters/stream/replay.ts';
import { DeliveryListItem, DeliveryView } from '../../../services/core/delivery/delivery-view.ts';
import { createReplays } from '../../../services/api/delivery/replays.ts';
import { signatureHolds } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';
import type { Answer } from '../../support/start-api.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { wholeAccount } from '../../../services/core/address/scope.ts';

const whole = await useInFile(startInProcess());

type Item = { event_id: string; status: string; attempt_count: number };
const get = (path: string, ask = {}): Promise<Answer> => whole.api.ask('GET', path, ask);
const post = (path: string, ask = {}): Promise<Answer> => whole.api.ask('POST', path, ask);
const list = async (query: string) =>
  (await get(`/v1/deliveries?${query}`)).body as { data: Item[]; pagination: { total: number } };

/** Whether the RETRY lane is empty and nothing from it is in flight. */
async function lanesAreEmpty(): Promise<boolean> {
  const infos = await Promise.all(
    ['RETRY-0', 'RETRY-1'].map((stream) =>
      whole.pipeline.nats.connection.request(`$JS.API.STREAM.INFO.${stream}`),
    ),
  );
  return infos.every((info) => info.json<{ state: { messages: number } }>().state.messages === 0);
}

/** Sends an email to a new address and waits until its delivery is final. */
async function delivered(path: string, status: 'delivered' | 'failed', subject = path) {
  const address = await whole.address(path);
  await whole.send(address.address, subject);
  return { address, event: await ended(address.id, status) };
}

const ended = (addressId: string, status: string) =>
  until(
    `a ${status} delivery`,
    async () => (await list(`address_id=${addressId}&status=${status}`)).data[0],
  );

describe('GET /deliveries', () => {
  test('items show the status of each email, without content or secrets', async () => {
    const { address, event } = await delivered('/listed', 'delivered', 'a subject');
    expect(DeliveryListItem.strict().parse(event)).toMatchObject({
      address_id: address.id,
      status: 'delivered',
      mail_from: 'ann@sender.example',
      from: '"Ann" <ann@sender.example>',
      subject: 'a subject',
      attempt_count: 1,
      next_attempt_at: null,
    });
    expect(JSON.stringify(await list(`address_id=${address.id}`))).not.toMatch(/text of|whsec_/);
  });

  test('spec 2.8: the envelope, with filters', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const { address } = await delivered('/enveloped', 'delivered');
    expect(await list(`address_id=${address.id}&start_date=${today}&limit=1`)).toMatchObject({
      data: [{}],
      pagination: { limit: 1, offset: 0, total: 1, has_more: false },
    });
    for (const query of [
      'status=failed',
      'status=waiting',
      'end_date=2026-01-01',
      'start_date=2999-01-01T00:00:00Z',
    ])
      expect((await list(`address_id=${address.id}&${query}`)).pagination.total).toBe(0);
  });

  test('a search finds what arrived over SMTP by sender, recipient, subject and problems', async () => {
    const { address, event } = await delivered('/searched', 'delivered', 'Quarterly Zebra report');
    const [localPart = ''] = address.address.split('@');
    const idsOf = async (query: string) =>
      (await list(`address_id=${address.id}&${query}`)).data.map(({ event_id }) => event_id);
    for (const query of [
      'subject=ZEBRA%20quarterly',
      'sender=ann@sender.example',
      'sender=@sender.example',
      'sender=Ann',
      `recipient=${encodeURIComponent(address.address)}`,
      `recipient=${localPart}&subject=zebra&status=delivered`,
      'subject=zeb*',
      'subject=zeb*&status=delivered',
      'subject=zeb*%20quarterly',
      'sender=ann*&subject=quart*',
    ])
      expect([query, await idsOf(query)]).toEqual([query, [event.event_id]]);
    for (const query of [
      'subject=zeb',
      'subject=ebra*',
      'has=attachment',
      'sender=bob',
      'verdict=spam',
      'verdict=spf%3Dfail,dmarc%3Dfail',
    ])
      expect([query, await idsOf(query)]).toEqual([query, []]);
    expect(await list('subject=zebra')).toMatchObject({ data: [event], pagination: { total: 1 } });
  });

  test.each([
    ['subject=', 'subject', 'too_small'],
    [`sender=${'x'.repeat(201)}`, 'sender', 'too_long'],
    ['verdict=spf%3Dpass', 'verdict', 'invalid_value'],
    ['limit=101', 'limit', 'too_big'],
    ['status=lost', 'status', 'invalid_value'],
    ['start_date=today', 'start_date', 'invalid_value'],
    ['end_date=2026-02-30', 'end_date', 'invalid_value'],
    ['from=2026-01-01', 'from', 'unknown_field'],
    ['address_id=a&address_id=b', 'address_id', 'invalid_type'],
  ])('D4: ?%s is 422', async (query, field, code) => {
    expect(await get(`/v1/deliveries?${query}`)).toMatchObject({
      status: 422,
      body: { details: { field, code } },
    });
  });
});

describe('GET /deliveries/{event_id}', () => {
  test('shows every attempt: time, status code, latency, error, excerpt', async () => {
    whole.pipeline.receiver.answer('/attempts', (count) =>
      count === 1
        ? { status: 503, body: 'come again' }
        : count === 2
          ? (response) => response.destroy()
          : 200,
    );
    const { event } = await delivered('/attempts', 'delivered');
    const { status, body } = await get(`/v1/deliveries/${event.event_id}`);
    expect(status).toBe(200);
    expect(DeliveryView.strict().parse(body)).toMatchObject({
      event_id: event.event_id,
      status: 'delivered',
      attempts: [
        {
          outcome: 'busy',
          status_code: 503,
          error: null,
          excerpt: 'come again',
          latency_ms: expect.any(Number) as number,
        },
        {
          outcome: 'unreachable',
          status_code: null,
          error: expect.any(String) as string,
          excerpt: null,
        },
        { outcome: 'accepted', status_code: 200, error: null },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('_headers');
    const shown = DeliveryView.parse(
      (await get(`/v1/deliveries/${event.event_id}?include=headers`)).body,
    );
    expect(shown.attempts.map((one) => one.response_headers?.length !== 0)).toEqual([
      true,
      false,
      true,
    ]);
    for (const { request_headers: sent } of shown.attempts) {
      expect(sent).toContainEqual({ name: 'webhook-id', value: event.event_id });
      expect(sent).toContainEqual({ name: 'webhook-signature', value: 'v1,***' });
    }
  });
});

describe('GET /deliveries/{event_id}/payload', () => {
  test('is the body exactly as it was last sent', async () => {
    whole.pipeline.receiver.answer('/payload', (count) => (count === 1 ? 503 : 200));
    const { event } = await delivered('/payload', 'delivered', 'ünï');
    const response = await fetch(`${whole.api.url}/v1/deliveries/${event.event_id}/payload`, {
      headers: { authorization: `Bearer ${whole.api.token}` },
    });
    expect([
      response.status,
      response.headers.get('content-type'),
      response.headers.get('cache-control'),
    ]).toEqual([200, 'application/json', 'no-store']);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(
      whole.pipeline.receiver.received('/payload')[1]?.raw,
    );
  });

  test('of a large email is read from the bucket; once it is removed, the response is 404', async () => {
    const { id, address } = await whole.address('/large');
    await whole.pipeline.mailer.sendMail({
      from: 'ann@sender.example',
      to: address,
      subject: 'large',
      text: 'x'.repeat(700_000),
    });
    const { event_id } = await ended(id, 'delivered');
    expect((await get(`/v1/deliveries/${event_id}/payload`)).body).toMatchObject({ event_id });
    const { Objm } = await import('@nats-io/obj');
    await (await new Objm(whole.pipeline.nats.connection).open('BODIES')).delete(event_id);
    for (const [method, path] of [
      ['GET', 'payload'],
      ['POST', 'replay'],
    ] as const) {
      const { status, body } = await whole.api.ask(method, `/v1/deliveries/${event_id}/${path}`);
      expect([status, body]).toEqual([
        404,
        { error: 'not_found', message: expect.stringContaining('no longer stored') as string },
      ]);
    }
    expect((await get(`/v1/deliveries/${event_id}`)).body).toMatchObject({ status: 'delivered' });
  });
});

describe('POST /deliveries/{event_id}/replay', () => {
  test('sends a delivered email again: same event_id, counted retry, new signature', async () => {
    const { address, event } = await delivered('/again', 'delivered');
    const { status, body } = await post(`/v1/deliveries/${event.event_id}/replay`);
    expect([status, body]).toMatchObject([
      200,
      {
        event_id: event.event_id,
        status: 'pending',
        attempts: [{}],
        next_attempt_at: expect.any(String) as string,
      },
    ]);
    const second = await whole.pipeline.receiver.nth('/again', 2);
    expect(second.payload).toMatchObject({
      event_id: event.event_id,
      metadata: { retry_count: 1 },
    });
    expect(signatureHolds(second, address.webhook_secret)).toBe(true);
    await until(
      'both attempts',
      async () =>
        ((await get(`/v1/deliveries/${event.event_id}`)).body.attempts as object[]).length === 2,
    );
    expect((await get(`/v1/deliveries/${event.event_id}`)).body).toMatchObject({
      status: 'delivered',
      next_attempt_at: null,
    });
    const usage = await whole.api.mongo.db
      .collection('usage_daily')
      .findOne({ account_id: whole.api.account.id });
    expect(Number(usage?.received)).toBe(Number(usage?.delivered) + Number(usage?.failed));
  });

  test('is 409 after 1,000 attempts', async () => {
    const { event } = await delivered('/often', 'delivered');
    await whole.api.mongo.db
      .collection<{ _id: string }>('deliveries')
      .updateOne({ _id: event.event_id }, { $set: { attempt_count: 1_000 } });
    expect(await post(`/v1/deliveries/${event.event_id}/replay`)).toMatchObject({
      status: 409,
      body: { message: 'This delivery has had 1000 attempts and cannot be replayed again' },
    });
    expect((await get(`/v1/deliveries/${event.event_id}`)).body.attempt_count).toBe(1_000);
  });

  test('a failed delivery gets the whole schedule again, at the current URL', async () => {
    whole.pipeline.receiver.answer('/broken', () => 400);
    const { address, event } = await delivered('/broken', 'failed');
    whole.pipeline.receiver.answer('/mended', (count) => (count <= 2 ? 503 : 200));
    await whole.api.ask('PATCH', `/v1/addresses/${address.id}`, {
      body: { webhook_url: whole.pipeline.receiver.url('/mended') },
    });
    expect((await post(`/v1/deliveries/${event.event_id}/replay`)).status).toBe(200);
    await ended(address.id, 'delivered');
    expect(
      whole.pipeline.receiver
        .received('/mended')
        .map(({ payload }) => payload.metadata.retry_count),
    ).toEqual([1, 2, 3]);
    expect(whole.pipeline.receiver.received('/broken')).toHaveLength(1);
  });

  test('a replay that fails is failed, and can be replayed again', async () => {
    whole.pipeline.receiver.answer('/hopeless', () => 410);
    const { address, event } = await delivered('/hopeless', 'failed');
    for (const attempts of [2, 3]) {
      expect((await post(`/v1/deliveries/${event.event_id}/replay`)).status).toBe(200);
      await until(
        'another failure',
        async () =>
          (await list(`address_id=${address.id}&status=failed`)).data[0]?.attempt_count ===
          attempts,
      );
      await until('the lane to let go', lanesAreEmpty);
    }
  });

  test('D5: during an attempt it is 409 conflict', async () => {
    const { event } = await delivered('/twice', 'delivered');
    const answers = await Promise.all(
      [1, 2, 3].map(() => post(`/v1/deliveries/${event.event_id}/replay`)),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ error: 'conflict' });
    await whole.pipeline.receiver.nth('/twice', 2);
    await until(
      'its end',
      async () => (await get(`/v1/deliveries/${event.event_id}`)).body.status === 'delivered',
    );
    expect(whole.pipeline.receiver.received('/twice')).toHaveLength(2);
  });
});

test('D165: a replay is recorded first, so that no dispatcher settles it by an older record', async () => {
  const { event } = await delivered('/marked-late', 'delivered');
  const deliveries = createDeliveries(whole.api.mongo.db);
  const store = createReplayStore(await openMailStreams(whole.pipeline.nats), () => undefined);
  const published: number[] = [];
  const slow: typeof store = {
    ...store,
    enqueue: async (delivery, ...rest) => {
      published.push(delivery.revision ?? 0);
      await setTimeout(3_000); // longer than clocks were trusted to agree
      return store.enqueue(delivery, ...rest);
    },
  };
  const replays = createReplays({ deliveries, store: slow, rate: 50, clock: () => new Date() });
  const scope = wholeAccount({ account_id: whole.api.account.id, environment: 'live' });
  await replays.one(scope, event.event_id);
  await whole.pipeline.receiver.nth('/marked-late', 2);
  await until(
    'its end',
    async () => (await get(`/v1/deliveries/${event.event_id}`)).body.status === 'delivered',
  );
  expect(published).toEqual([1]);
  expect((await get(`/v1/deliveries/${event.event_id}`)).body.attempts).toHaveLength(2);
});

describe('POST /deliveries/replay', () => {
  test.each(['cursor', 'address_id'])(
    'a %s that is no id is 422: it would be stored',
    async (field) => {
      for (const text of ['a'.repeat(65), 'evt_01$ne', ''])
        expect(await post('/v1/deliveries/replay', { body: { [field]: text } })).toMatchObject({
          status: 422,
          body: { details: { field } },
        });
    },
  );

  test('replays failed deliveries, oldest first, at a constant rate, page by page', async () => {
    whole.pipeline.receiver.answer('/bulk', (count) => (count <= 6 ? 400 : 200));
    const { id, address } = await whole.address('/bulk');
    for (let i = 0; i < 6; i++) await whole.send(address, `mail ${i}`);
    await until(
      'six failures',
      async () => (await list(`address_id=${id}&status=failed`)).pagination.total === 6,
    );

    const first = await post('/v1/deliveries/replay', { body: { address_id: id, limit: 4 } });
    expect([first.status, first.body]).toEqual([
      200,
      {
        queued: 4,
        skipped: { no_longer_kept: 0, under_way: 0 },
        next_cursor: expect.stringMatching(/^evt_/) as string,
      },
    ]);
    const second = await post('/v1/deliveries/replay', {
      body: { address_id: id, limit: 4, cursor: first.body.next_cursor },
    });
    expect(second.body).toEqual({
      queued: 2,
      skipped: { no_longer_kept: 0, under_way: 0 },
      next_cursor: null,
    });

    await until(
      'six deliveries',
      async () => (await list(`address_id=${id}&status=delivered`)).pagination.total === 6,
    );
    expect(whole.pipeline.receiver.received('/bulk')).toHaveLength(12);
  });

  test('replays only what a search finds; the audit trail names its fields without their words', async () => {
    whole.pipeline.receiver.answer('/narrow', (count) => (count <= 3 ? 400 : 200));
    const { id, address } = await whole.address('/narrow');
    for (const subject of ['Walrus one', 'Seal', 'Walrus two']) await whole.send(address, subject);
    await until(
      'three failures',
      async () => (await list(`address_id=${id}&status=failed`)).pagination.total === 3,
    );

    const search = { subject: 'walrus', sender: '@sender.example', recipient: address };
    const first = await post('/v1/deliveries/replay', { body: { ...search, limit: 1 } });
    expect(first.body).toMatchObject({ queued: 1, next_cursor: expect.any(String) as string });
    const second = await post('/v1/deliveries/replay', {
      body: { ...search, limit: 1, cursor: first.body.next_cursor },
    });
    expect(second.body).toMatchObject({ queued: 1, next_cursor: null });
    await until(
      'two deliveries',
      async () => (await list(`address_id=${id}&status=delivered`)).pagination.total === 2,
    );
    expect((await list(`address_id=${id}&status=failed`)).data).toMatchObject([
      { subject: 'Seal' },
    ]);

    const { body } = await get('/v1/usage/events?event_type=delivery.replayed&limit=1');
    expect(body).toMatchObject({
      data: [
        { data: { queued: 1, filter: { searched: ['sender', 'recipient', 'subject'], limit: 1 } } },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('walrus');
  });

  test('a search that takes too long is 422, and replays nothing', async () => {
    const replays = createReplays({
      deliveries: {
        ...createDeliveries(whole.api.mongo.db),
        oldest: () => Promise.resolve(undefined),
      },
      store: createReplayStore(await openMailStreams(whole.pipeline.nats), () => undefined),
      rate: 50,
      clock: () => new Date(),
    });
    const scope = { account_id: whole.api.account.id, environment: 'live' } as const;
    const filter = { status: 'failed', terms: ['subject:walrus'] } as const;
    await expect(
      replays.many(wholeAccount(scope), filter, { cursor: undefined, limit: 10 }),
    ).rejects.toMatchObject({ kind: 'validation_failed', details: { field: 'start_date' } });
  });

  test('due times are staggered', async () => {
    whole.pipeline.receiver.answer('/paced', (count) => (count <= 10 ? 400 : 200));
    const { id, address } = await whole.address('/paced');
    for (let i = 0; i < 10; i++) await whole.send(address, `mail ${i}`);
    await until(
      'ten failures',
      async () => (await list(`address_id=${id}&status=failed`)).pagination.total === 10,
    );
    await post('/v1/deliveries/replay', { body: { address_id: id } });
    const stored = await whole.api.mongo.db
      .collection('deliveries')
      .find({ address_id: id })
      .sort({ _id: 1 })
      .toArray();
    const due = stored.map(({ next_attempt_at }) => (next_attempt_at as Date).getTime());
    expect(due.map((at) => at - (due[0] ?? 0))).toEqual([
      0, 20, 40, 60, 80, 100, 120, 140, 160, 180,
    ]); // 50 a second
  });

  test('reports deliveries that it skipped because their email is no longer stored', async () => {
    const { address, event } = await delivered('/vanished', 'delivered');
    await whole.api.mongo.db
      .collection<{ _id: string }>('deliveries')
      .updateOne(
        { _id: event.event_id },
        { $set: { stored_at: { partition: 0, sequence: 999_999 } } },
      );
    expect(
      (
        await post('/v1/deliveries/replay', {
          body: { address_id: address.id, status: 'delivered' },
        })
      ).body,
    ).toEqual({ queued: 0, skipped: { no_longer_kept: 1, under_way: 0 }, next_cursor: null });
  });

  test('delivered emails are replayed only when the status says so', async () => {
    const { address } = await delivered('/fine', 'delivered');
    expect(
      (await post('/v1/deliveries/replay', { body: { address_id: address.id } })).body,
    ).toMatchObject({ queued: 0 });
  });

  test.each([
    [{ status: 'pending' }, 'status', 'invalid_value'],
    [{ limit: 2001 }, 'limit', 'too_big'],
    [{ start_date: 5 }, 'start_date', 'invalid_type'],
    [{ all: true }, 'all', 'unknown_field'],
  ])('D4: %j is 422', async (body, field, code) => {
    expect(await post('/v1/deliveries/replay', { body })).toMatchObject({
      status: 422,
      body: { details: { field, code } },
    });
  });
});
