/** Notifications are delivered, retried and replayed like emails, and never counted as emails. */
import { randomBytes } from 'node:crypto';

import { expect, test } from 'vitest';

import { createUsageEvents } from '../../../services/adapters/mongo/audit/events.ts';
import { createNotifications } from '../../../services/adapters/mongo/notification/notifications.ts';
import { createOutbox } from '../../../services/adapters/mongo/notification/outbox.ts';
import { createSecretBox } from '../../../services/adapters/mongo/database/secrets.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import type { StartSweep } from '../../../services/adapters/process/sweeps.ts';
import { startPublisher } from '../../../services/api/notification/publisher.ts';
import { signatureHolds } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';
import { startTestApi } from '../../support/start-api.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { subscribe } from './subscriber.ts';

/** Of a request to a receiver, and longer than a test waits for anything else. */
const TIMEOUT_MS = 60_000;

const whole = await useInFile(
  startInProcess({
    WEBHOOK_TIMEOUT: `${TIMEOUT_MS}ms`,
    RETRY_SCHEDULE: '100ms,1h',
  }),
);

const events = () => whole.api.mongo.db.collection<{ _id: string }>('events');

test('is retried after a 500 with the same event_id and a higher retry_count', async () => {
  const subscriber = await subscribe(whole, '/retried');
  whole.pipeline.receiver.answer('/retried', (count) => (count === 1 ? 500 : 200));
  await subscriber.cause();
  const [first, second] = [await subscriber.nth(1), await subscriber.nth(2)];
  expect(second.payload).toEqual({ ...first.payload, metadata: { retry_count: 1 } });
  expect(signatureHolds(second, subscriber.notification.webhook_secret)).toBe(true);
  const { event_id } = first.payload;
  const [item] = await until('the outcome', async () => {
    const found = await subscriber.deliveries();
    return found[0]?.status === 'delivered' ? found : undefined;
  });
  expect(item).toEqual({
    event_id,
    type: 'token.created',
    status: 'delivered',
    outcome: 'accepted',
    created_at: first.payload.timestamp,
    next_attempt_at: null,
    updated_at: expect.any(String) as string,
    attempt_count: 2,
  });
  expect((await subscriber.ask('GET', `/v1/deliveries/${event_id}`)).body).toMatchObject({
    address_id: subscriber.notification.id,
    subject: 'token.created',
    attempts: [{ status_code: 500 }, { status_code: 200 }],
  });
});

test('shows a failing receiver until it accepts', async () => {
  const subscriber = await subscribe(whole, '/failing');
  whole.pipeline.receiver.answer('/failing', (count) => (count === 1 ? 400 : 200));
  const failingSince = async () =>
    (await subscriber.ask('GET', subscriber.path)).body.failing_since;
  await subscriber.cause();
  const since = await until('the failure', failingSince);
  expect(since).toEqual(expect.stringMatching(/Z$/));
  await subscriber.cause();
  await until('the end of it', async () => (await failingSince()) === null);
});

test('is replayed and retried now', async () => {
  const subscriber = await subscribe(whole, '/again');
  whole.pipeline.receiver.answer('/again', (count) => (count === 1 || count > 4 ? 200 : 503));
  await subscriber.cause();
  const { event_id } = (await subscriber.nth(1)).payload;
  const statusIs = (status: string, count: number) =>
    until(`${status} after ${count} attempts`, async () => {
      const [item] = await subscriber.deliveries();
      return item?.status === status && item.attempt_count === count;
    });
  await statusIs('delivered', 1);
  const call = async (name: string) =>
    (await subscriber.ask('POST', `/v1/deliveries/${event_id}/${name}`)).status;

  expect(await call('replay')).toBe(200); // two attempts fail, the next one is an hour away
  await statusIs('retrying', 3);
  expect(await call('retry')).toBe(200); // fails, and is the last of the schedule
  await statusIs('failed', 4);
  expect(await call('cancel')).toBe(409);
  expect(await call('replay')).toBe(200);
  expect((await subscriber.nth(5)).payload.event_id).toBe(event_id);
  await statusIs('delivered', 5);
});

test('is canceled while it waits for a retry', async () => {
  const subscriber = await subscribe(whole, '/canceled');
  whole.pipeline.receiver.answer('/canceled', () => 503);
  await subscriber.cause();
  const canceled = (await subscriber.nth(1)).payload.event_id;
  await until(
    'the second attempt',
    async () => (await subscriber.deliveries())[0]?.attempt_count === 2,
  );
  const { status, body } = await subscriber.ask('POST', `/v1/deliveries/${canceled}/cancel`);
  expect([status, body.outcome]).toEqual([200, 'canceled']);
});

test('the payload of a delivery is the one that was sent', async () => {
  const subscriber = await subscribe(whole, '/payload');
  await subscriber.cause();
  const { payload } = await subscriber.nth(1);
  await subscriber.recorded(1);
  const of = `${subscriber.path}/deliveries/${payload.event_id}`;
  expect((await subscriber.ask('GET', of)).body).toMatchObject({
    payload,
    attempts: [{ outcome: 'accepted', status_code: 200 }],
  });
  const other = await subscribe(whole, '/payload/other');
  expect((await other.ask('GET', of)).status).toBe(404);
});

test('the calls on the content of an email do not find it, and no list of emails does', async () => {
  const subscriber = await subscribe(whole, '/no-email');
  await subscriber.cause();
  const { event_id } = (await subscriber.nth(1)).payload;
  await subscriber.recorded(1);
  const calls = ['GET payload', 'GET email', 'GET html', 'POST signature', 'DELETE content'];
  const answers = calls.map(async (call) => {
    const [method = '', part] = call.split(' ');
    return (await subscriber.ask(method, `/v1/deliveries/${event_id}/${part}`)).status;
  });
  expect(await Promise.all(answers)).toEqual(calls.map(() => 404));
  for (const query of ['', `?address_id=${subscriber.notification.id}`])
    expect((await subscriber.ask('GET', `/v1/deliveries${query}`)).body.data).toEqual([]);
});

test('D28: is no email in lists, usage, the audit trail and the stream', async () => {
  const subscriber = await subscribe(whole, '/unbilled');
  whole.pipeline.receiver.answer('/unbilled', (count) => (count === 1 ? 500 : 200));
  const before = (await subscriber.ask('GET', '/v1/usage')).body;
  await subscriber.cause();
  await subscriber.nth(2);
  await until(
    'the outcome',
    async () => (await subscriber.deliveries())[0]?.status === 'delivered',
  );
  expect((await subscriber.ask('GET', '/v1/usage')).body).toMatchObject({
    emails: before.emails,
    webhooks: before.webhooks,
  });
  expect((await subscriber.ask('GET', '/v1/billing')).body).toMatchObject({
    usage: { emails_used: 0 },
  });
  expect((await subscriber.ask('GET', '/v1/deliveries')).body).toMatchObject({ data: [] });
  const { body } = await subscriber.ask('GET', '/v1/usage/events');
  expect((body.data as { type: string }[]).map(({ type }) => type)).toEqual([
    'token.created',
    'notification.created',
  ]);
  const metrics = await (await fetch(whole.pipeline.metricsUrls.dispatcher)).text();
  expect(metrics).toMatch(/^inlet_notification_attempts_total\{outcome="busy"[^}]*\} [1-9]/m);
  expect(metrics).not.toMatch(/^inlet_webhook_attempts_total\{outcome="refused"/m);
});

test('a receiver that never answers delays no email', async () => {
  const subscriber = await subscribe(whole, '/hangs');
  const requests = whole.pipeline.receiver.leaveOpen('/hangs');
  for (let i = 0; i < 12; i++) await subscriber.cause(`token ${i}`);
  await subscriber.nth(4);
  const { address } = (
    await subscriber.ask('POST', '/v1/addresses', {
      webhook_url: whole.pipeline.receiver.url('/prompt'),
    })
  ).body as { address: string };
  await whole.send(address, 'prompt');
  await whole.pipeline.receiver.nth('/prompt', 1);
  expect(requests.responses.filter(({ closed }) => closed)).toEqual([]);
  const statuses = (await subscriber.deliveries()).map(({ status }) => status);
  expect(statuses).not.toContain('delivered');
  requests.respond();
});

test('an event that no process published before it stopped is published later, to each once', async () => {
  const subscriber = await subscribe(whole, '/late');
  const scope = { account_id: subscriber.accountId, environment: 'live' as const };
  await createUsageEvents(whole.api.mongo.db).add([
    { ...scope, type: 'token.created', address_id: null, timestamp: new Date(), data: TOKEN },
  ]);
  const { payload } = await subscriber.nth(1);

  // as after a crash between the publication and its mark, in two processes at the same time
  await using _second = await startTestApi({
    mongoUri: whole.api.mongoUri,
    natsServer: whole.api.natsServer,
  });
  await events().updateOne(
    { account_id: subscriber.accountId, type: 'token.created' },
    { $set: { to_notify: true } },
  );
  await subscriber.published();
  await subscriber.cause('after it');
  const next = await subscriber.nth(2);
  expect(next.payload.event_id).not.toBe(payload.event_id);
  expect(subscriber.received()).toHaveLength(2);
  expect(await subscriber.recorded(2)).toHaveLength(2);
});

const fullQueue = () => Promise.resolve(() => Promise.resolve('full' as const));

test('waits in the outbox while the queue cannot be reached', async () => {
  const mark = { to_notify: true };
  await using alone = await startTestApi(); // no gateway has created the streams
  const created = await alone.ask('POST', '/v1/account/notifications', {
    body: { url: 'https://hooks.example.com/' },
  });
  expect(created.status).toBe(201);
  await alone.ask('POST', '/v1/account/tokens', { body: { name: 'early' } });
  const due = () => alone.mongo.db.collection('events').countDocuments(mark);
  expect(await due()).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 1_500)); // a round of the job
  expect(await due()).toBe(1);

  let round: Promise<unknown> | undefined;
  const startSweep: StartSweep = (_name, _everyMs, run) => {
    round = run(new Date(), () => new Date());
    return { [Symbol.asyncDispose]: () => Promise.resolve() };
  };
  const { db } = alone.mongo;
  const outbox = createOutbox(db, createNotifications(db, createSecretBox([randomBytes(32)])));
  const parts = { outbox, region: undefined, openStore: fullQueue, startSweep };
  await using _publisher = startPublisher(parts, createLog('silent'));
  await expect(round).rejects.toThrow('1 of 1 events were not published'); // for InletSweepFailing
  expect(await due()).toBe(1);
});

const TOKEN = {
  created_token_id: 'token_x',
  name: 'x',
  prefix: 'svc_live_x',
  environment: 'live',
  permissions: ['addresses:read'],
};
