/** The audit trail (spec 2.3, 4.2, 6.3; D11, D15, D30). */
import { beforeEach, expect, test } from 'vitest';

import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import { createUsageEvents } from '../../../services/adapters/mongo/audit/events.ts';
import type { DeliveryStatus } from '../../../services/core/delivery/delivery.ts';
import { timestamp } from '../../../services/core/time/timestamp.ts';
import { changeTo, mailEvent } from '../../support/mail-events.ts';
import { HOOK, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

type Shown = {
  id: string;
  type: string;
  address_id: string;
  timestamp: string;
  data: Record<string, unknown>;
};

const api = await useInFile(startTestApi());
let token: string;
let scope: { account_id: string; environment: 'live' | 'test' };
beforeEach(async () => {
  const account = await api.newAccount();
  scope = { account_id: account.id, environment: 'live' };
  ({ token } = await api.issue({ accountId: account.id }));
});

const DAY_MS = 86_400_000;
const ago = (ms: number) => new Date(Date.now() - ms);

async function receive(at: Date, ...statuses: DeliveryStatus[]) {
  const address = await api.store(scope);
  const event = mailEvent(address, at);
  for (const [i, status] of statuses.entries())
    await createDeliveries(api.mongo.db).record(
      [changeTo(status, event, new Date(at.getTime() + i * 1_000))],
      at,
    );
  return { address, event };
}

async function events(
  query = '',
  as = token,
): Promise<{ data: Shown[]; pagination: Record<string, unknown> }> {
  const { status, body } = await api.ask('GET', `/v1/usage/events${query}`, { token: as });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body as Awaited<ReturnType<typeof events>>;
}

test('spec 2.3: email.received, with the current webhook_status', async () => {
  const { address, event } = await receive(ago(10_000), 'retrying');
  expect(await events('?event_type=email.received')).toEqual({
    data: [
      {
        id: event.event_id,
        type: 'email.received',
        address_id: address.id,
        timestamp: timestamp(new Date(event.received_at_ms)),
        data: {
          from: 'Ann <ann@sender.example>',
          subject: 'hi',
          size_bytes: 99,
          webhook_status: 'retrying',
        },
      },
    ],
    pagination: { limit: 100, offset: 0, total: 1, has_more: false },
  });
  await createDeliveries(api.mongo.db).record([changeTo('delivered', event)], new Date());
  expect((await events('?event_type=email.received')).data[0]?.data.webhook_status).toBe(
    'delivered',
  );
});

test('without deliveries:read, an event does not say who wrote an email, or about what', async () => {
  const { event } = await receive(ago(10_000), 'delivered');
  const usage = { accountId: scope.account_id, permissions: ['usage:read' as const] };
  const { data } = await events('', (await api.issue(usage)).token);
  const { event_id } = event;
  const shown = { size_bytes: 99, webhook_status: 'delivered' };
  expect(data.map((one) => [one.type, one.data])).toEqual([
    ['webhook.delivered', { ...shown, event_id, status_code: 200 }],
    ['email.received', shown],
  ]);
});

test('D15, D29: a change is an event, even if another clock is ahead; a change without effect is not', async () => {
  const { id } = await api.store({ ...scope, updated_at: ago(-60_000) });
  for (const description of ['new', 'new', 'newer'])
    expect(
      (await api.ask('PATCH', `/v1/addresses/${id}`, { token, body: { description } })).status,
    ).toBe(200);
  expect(
    (await events('?event_type=address.updated')).data.map(({ data }) => data.changed),
  ).toEqual([{ description: 'newer' }, { description: 'new' }]);
});

test('by_people: only changes that somebody made, whatever else happened', async () => {
  const { address } = await receive(ago(10_000), 'retrying', 'delivered');
  const change = {
    ...scope,
    type: 'address.updated' as const,
    address_id: address.id,
    data: { changed: {} },
  };
  await createUsageEvents(api.mongo.db).add([
    { ...change, timestamp: ago(3_000), session_id: 'ses_of_a_person' },
    { ...change, timestamp: ago(2_000), token_id: 'tok_of_a_program' },
  ]);
  expect((await events()).data.length).toBeGreaterThan(3);
  const { data, pagination } = await events('?by_people=true');
  expect(data).toMatchObject([
    { type: 'address.updated', data: { session_id: 'ses_of_a_person' } },
  ]);
  expect(pagination).toMatchObject({ total: 1 });
});

test('D15: each attempt is an event, newest first, with the fields of its email', async () => {
  const { address, event } = await receive(
    ago(10_000),
    'pending',
    'retrying',
    'retrying',
    'failed',
  );
  const { data, pagination } = await events();
  expect(data.map(({ type }) => type)).toEqual([
    'webhook.failed',
    'webhook.retrying',
    'webhook.retrying',
    'email.received',
  ]);
  expect(pagination).toMatchObject({ total: 4, has_more: false });
  expect(data[0]).toMatchObject({
    address_id: address.id,
    data: {
      event_id: event.event_id,
      status_code: 503,
      from: 'Ann <ann@sender.example>',
      subject: 'hi',
      size_bytes: 99,
      webhook_status: 'failed',
    },
  });
});

test('spec 4.2, 4.5, D30: filters, pages and exact totals across both kinds', async () => {
  for (let i = 0; i < 12; i++) await receive(ago(i * DAY_MS + 5_000), 'retrying', 'delivered');
  const all = (await events()).data;
  expect(all).toHaveLength(36);
  expect(all.map(({ timestamp: at }) => at)).toEqual(
    all
      .map(({ timestamp: at }) => at)
      .toSorted()
      .toReversed(),
  );
  const pages: Shown[] = [];
  for (let offset = 0; offset < 36; offset += 5) {
    const { data, pagination } = await events(`?limit=5&offset=${offset}`);
    expect(pagination).toEqual({ limit: 5, offset, total: 36, has_more: offset + 5 < 36 });
    pages.push(...data);
  }
  expect(pages).toEqual(all);
  expect((await events('?event_type=webhook.retrying')).pagination).toMatchObject({ total: 12 });
  expect((await events('?event_type=address.created')).pagination).toMatchObject({ total: 0 });
  const range = `start_date=${ago(3.5 * DAY_MS).toISOString()}&end_date=${ago(1.5 * DAY_MS).toISOString()}`;
  expect((await events(`?${range}`)).pagination).toMatchObject({ total: 6 });
  expect((await events(`?${range}&event_type=email.received`)).data).toHaveLength(2);
  expect(await events('?offset=100')).toMatchObject({
    data: [],
    pagination: { total: 36, has_more: false },
  });
});

test('D15: events older than the retention are not listed, and are removed', async () => {
  await receive(ago(91 * DAY_MS), 'retrying', 'failed');
  await receive(ago(89 * DAY_MS), 'delivered');
  expect((await events('?start_date=2020-01-01')).pagination).toMatchObject({ total: 2 });
  await createUsageEvents(api.mongo.db).removeBefore(ago(90 * DAY_MS));
  expect(
    await api.mongo.db.collection('events').countDocuments({ account_id: scope.account_id }),
  ).toBe(1);
});

test('D11: live and test events are separate, and so are accounts', async () => {
  await receive(ago(1_000), 'delivered');
  const { token: test_ } = await api.issue({ accountId: scope.account_id, environment: 'test' });
  expect((await events('', test_)).pagination).toMatchObject({ total: 0 });
  expect(
    (await events('', api.token)).data.filter(({ type }) => type === 'email.received'),
  ).toEqual([]);
});

test('changes of addresses, with token, request and changed fields', async () => {
  const headers = { 'x-request-id': 'req-of-the-caller-1' };
  const created = await api.ask('POST', '/v1/addresses', {
    token,
    body: { webhook_url: HOOK },
    headers,
  });
  const path = `/v1/addresses/${String(created.body.id)}`;
  await api.ask('PATCH', path, { token, body: { description: 'orders' } });
  await api.ask('PATCH', path, { token, body: { description: 'orders' } }); // D29: changes nothing
  const { body: rotated } = await api.ask('POST', `${path}/rotate-secret`, { token });
  await api.ask('DELETE', path, { token });
  const { data } = await events();
  expect(data.map(({ type, address_id }) => [type, address_id])).toEqual([
    ['address.deleted', created.body.id],
    ['address.updated', created.body.id],
    ['address.updated', created.body.id],
    ['address.created', created.body.id],
  ]);
  expect(data.map((event) => event.data)).toMatchObject([
    {},
    { changed: { webhook_secret: 'rotated' } },
    { changed: { description: 'orders' } },
    { webhook_url: HOOK, address: created.body.address },
  ]);
  for (const event of data)
    expect(event.data).toMatchObject({
      token_id: expect.stringMatching(/^token_/) as string,
      request_id: expect.any(String) as string,
    });
  expect(data[3]?.data.request_id).toBe(created.headers.get('x-request-id'));
  expect(JSON.stringify(data)).not.toContain(String(rotated.webhook_secret));
});

test('created and revoked API tokens, without the secret', async () => {
  const { body } = await api.ask('POST', '/v1/account/tokens', {
    token,
    body: { name: 'ci', permissions: ['usage:read'] },
  });
  await api.ask('DELETE', `/v1/account/tokens/${String(body.id)}`, { token });
  const { data } = await events();
  expect(data).toMatchObject([
    { type: 'token.deleted', address_id: '', data: { deleted_token_id: body.id } },
    {
      type: 'token.created',
      address_id: '',
      data: {
        created_token_id: body.id,
        name: 'ci',
        permissions: ['usage:read'],
        environment: 'live',
      },
    },
  ]);
  expect(JSON.stringify(data)).not.toContain(String(body.token));
});

test.each([
  ['limit=1001', 'limit', 'too_big'],
  ['limit=0', 'limit', 'too_small'],
  ['event_type=email.sent', 'event_type', 'invalid_value'],
  ['start_date=yesterday', 'start_date', 'invalid_value'],
  ['type=email.received', 'type', 'unknown_field'],
])('spec 8, D4: GET /usage/events?%s', async (query, field, code) => {
  expect(await api.ask('GET', `/v1/usage/events?${query}`, { token })).toMatchObject({
    status: 422,
    body: { details: { field, code } },
  });
});
