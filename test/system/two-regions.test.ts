/**
 * M.3: two regions, each a whole system with a NATS of its own, share one MongoDB. One of them is
 * killed under load: senders use the other MX, the other API goes on, and every email that got a 250
 * arrives, at the latest when the region is back.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createAccounts } from '../../services/adapters/mongo/account/accounts.ts';
import { createTokens } from '../../services/adapters/mongo/token/tokens.ts';
import { connectMongo, type Mongo } from '../../services/adapters/mongo/database/connection.ts';
import { createDeliveries } from '../../services/adapters/mongo/delivery/deliveries.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { connectNats } from '../../services/adapters/stream/connection/connection.ts';
import type { DeliveryDocument } from '../../services/adapters/mongo/documents/delivery-documents.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Region, startRegion } from '../support/region.ts';
import { testDir, testMongo } from '../support/servers.ts';
import { until } from '../support/until.ts';

const MAILS = 240;
const KILL_AFTER = 80;
const SENDERS = 6;
const GIVE_UP_MS = 60_000;
const AGAIN_MS = 100;

type View = { id: string; address: string };

const parts = new AsyncDisposableStack();
const log = createLog('silent');
let mongo: Mongo;
let receiver: Receiver;
let north: Region;
let south: Region;

beforeAll(async () => {
  const dir = parts.use(await testDir());
  const database = parts.use(await testMongo());
  receiver = parts.use(await startReceiver(dir.path));
  mongo = parts.use(await connectMongo(database.uri, log));
  const { id: accountId } = await createAccounts(mongo.db).create({
    email: 'ann@example.com',
    name: 'Ann',
  });
  const { token } = await createTokens(mongo.db).issue({
    accountId,
    name: 'both regions',
    environment: 'live',
  });
  const common = {
    ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
    MONGODB_URI: database.uri,
    SECRET_KEYS: randomBytes(32).toString('base64'),
    INBOUND_DOMAIN: 'in.example.com',
    LOG_LEVEL: 'warn',
    SMTP_STOP_GRACE: '100ms',
    MAIL_AUTH: 'false',
    PARTITIONS: '2',
    RETRY_SCHEDULE: '100ms,500ms,1s,10m',
    RATE_LIMIT_PER_HOUR: '1000000',
    RATE_LIMIT_PER_MINUTE: '1000000',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    WEBHOOK_CA_FILE: receiver.caFile,
  };
  const regions = await Promise.all(
    ['north', 'south'].map((name) => startRegion(name, dir.path, common, token)),
  );
  [north, south] = regions.map((region) => parts.use(region)) as [Region, Region];
});
afterAll(() => parts.disposeAsync());

const rawMail = (to: string, subject: string): string =>
  [
    'From: a@sender.example',
    `To: ${to}`,
    `Subject: ${subject}`,
    `Message-ID: <${subject.replaceAll(' ', '-')}@sender.example>`,
    '',
    'text',
    '',
  ].join('\r\n');

async function newAddress(region: Region, path: string): Promise<View> {
  const { status, body } = await region.call('POST', '/addresses', {
    webhook_url: receiver.url(path),
  });
  expect(status).toBe(201);
  return body as View;
}

/** As a mail server does with two MX hosts of one preference: the other one after a failure. */
async function sendToEither(hosts: readonly Region[], to: string, raw: string): Promise<void> {
  let tries = 0;
  await until(
    `a 250 for ${raw.slice(0, 60)}`,
    async () => {
      try {
        await hosts[tries++ % hosts.length]?.send(to, raw);
        return true;
      } catch (error) {
        const { responseCode = 451 } = error as { responseCode?: number };
        if (responseCode >= 500) throw error; // the end of a region must never bounce mail
        await sleep(AGAIN_MS);
        return false;
      }
    },
    GIVE_UP_MS,
  );
}

const recordsOf = (addressId: string) =>
  mongo.db.collection<DeliveryDocument>('deliveries').find({ address_id: addressId }).toArray();

test('M.3: a region is killed under load: the other one goes on, and no email is lost', async () => {
  const { id, address } = await newAddress(north, '/load');
  expect(await south.call('GET', `/addresses/${id}`)).toMatchObject({ status: 200 });

  const todo = Array.from({ length: MAILS }, (_, i) => `load ${i}`);
  const accepted = new Set<string>();
  const sender = async () => {
    for (let subject = todo.shift(); subject !== undefined; subject = todo.shift()) {
      const hosts = accepted.size % 2 === 0 ? [north, south] : [south, north];
      await sendToEither(hosts, address, rawMail(address, subject));
      accepted.add(subject);
    }
  };
  const killed = until(
    'the middle of the load',
    () => accepted.size >= KILL_AFTER,
    GIVE_UP_MS,
  ).then(() => north.kill());
  await Promise.all([killed, ...Array.from({ length: SENDERS }, sender)]);
  expect(accepted.size).toBe(MAILS);

  // the other API has all addresses and records, and creates new ones
  await expect(north.call('GET', `/addresses/${id}`)).rejects.toThrow('fetch failed');
  expect(await south.call('GET', `/deliveries?address_id=${id}`)).toMatchObject({ status: 200 });
  const during = await newAddress(south, '/during');
  await sendToEither([north, south], during.address, rawMail(during.address, 'during'));
  await receiver.nth('/during', 1);

  await north.start();
  const received = () => receiver.received('/load');
  const subjects = () => new Set(received().map(({ payload }) => payload.headers.subject));
  await until('every email', () => subjects().size >= MAILS, GIVE_UP_MS);
  const events = () => new Set(received().map(({ payload }) => payload.event_id));
  await until(
    'a final record of each event',
    async () => {
      const records = await recordsOf(id);
      return (
        records.length === events().size && records.every(({ status }) => status === 'delivered')
      );
    },
    GIVE_UP_MS,
  );

  // A second webhook has the same event_id, or it is the copy of the other region.
  const records = await recordsOf(id);
  for (const copies of Map.groupBy(records, ({ subject }) => subject).values()) {
    const regions = copies.map(({ stored_at }) => stored_at.region);
    expect(new Set(regions).size).toBe(copies.length);
  }
  expect(new Set(records.map(({ stored_at }) => stored_at.region))).toEqual(
    new Set(['north', 'south']),
  );
  expect(await south.call('GET', '/usage')).toMatchObject({
    body: { emails: { total: records.length + 1, failed: 0 } },
  });
  process.stdout.write(
    `${MAILS} accepted, ${records.length - MAILS} of them in both regions, ` +
      `${received().length - events().size} further webhooks of the same event\n`,
  );
});

test('M.3: a repeated email folds in its region, and arrives once more in the other one', async () => {
  const { id, address } = await newAddress(south, '/repeat');
  const raw = rawMail(address, 'repeat');
  for (const region of [north, north, south]) await sendToEither([region], address, raw);
  await until('a record in each region', async () => (await recordsOf(id)).length === 2);
  const regions = (await recordsOf(id)).map(({ stored_at }) => stored_at.region);
  expect(new Set(regions)).toEqual(new Set(['north', 'south']));
  await receiver.nth('/repeat', 2);
  const payloads = receiver.received('/repeat').map(({ payload }) => payload);
  // the sign of such a copy: docs/receiving-webhooks.md#duplicates
  expect(new Set(payloads.map(({ event_id }) => event_id)).size).toBe(2);
  const signs = payloads.map(({ address_id, headers, envelope }) =>
    JSON.stringify([address_id, headers.message_id, envelope.mail_from]),
  );
  expect(new Set(signs).size).toBe(1);
});

test('M.3: an API names the region of an email that it does not store, and can erase it', async () => {
  const { id, address } = await newAddress(south, '/north');
  await sendToEither([north], address, rawMail(address, 'in the north'));
  const { payload } = await receiver.nth('/north', 1);
  await until('its record', async () => (await recordsOf(id))[0]?.status === 'delivered');
  const path = `/deliveries/${payload.event_id}`;
  expect(await north.call('GET', `${path}/payload`)).toMatchObject({ status: 200 });
  const message = expect.stringContaining('only in the region north');
  expect(await south.call('GET', `${path}/payload`)).toMatchObject({
    status: 404,
    body: { message },
  });
  expect(await south.call('POST', `${path}/replay`)).toMatchObject({
    status: 404,
    body: { message },
  });
  expect(await north.call('POST', `${path}/replay`)).toMatchObject({ status: 200 });
  await receiver.nth('/north', 2);
  await until('its record', async () => (await recordsOf(id))[0]?.status === 'delivered');

  expect(await south.call('DELETE', `${path}/content`)).toMatchObject({ status: 200 });
  expect(await north.call('GET', `${path}/payload`)).toMatchObject({ status: 404 });
  const soon = new Date(Date.now() + GIVE_UP_MS);
  const toRemove = async (region: string) =>
    (await createDeliveries(mongo.db).endedContents(soon, 100, region)).map(
      ({ event_id }) => event_id,
    );
  expect(await toRemove('north')).toContain(payload.event_id); // its janitor erases the copies
  expect(await toRemove('south')).not.toContain(payload.event_id);
});

test('M.3: a delivery that waits is retried by the API of its region, and canceled by any', async () => {
  const { id, address } = await newAddress(north, '/waits');
  receiver.answer('/waits', () => 503);
  await sendToEither([north], address, rawMail(address, 'waits'));
  const record = async () => (await recordsOf(id))[0];
  await until(
    'the long wait',
    async () => (await record())?.attempts.length === 4 && (await record())?.status === 'retrying',
    GIVE_UP_MS,
  );
  const path = `/deliveries/${(await record())?._id}`;
  expect(await south.call('POST', `${path}/retry`)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('another region') },
  });
  expect(await south.call('POST', `${path}/cancel`)).toMatchObject({
    status: 200,
    body: { status: 'failed' },
  });
});

test('M.3: a notification is published by one region', async () => {
  const made = await south.call('POST', '/account/notifications', {
    url: receiver.url('/notified'),
    types: ['token.created'],
  });
  expect(made.status).toBe(201);
  const token = await south.call('POST', '/account/tokens', {
    name: 'one more',
    permissions: ['addresses:read'],
  });
  expect(token.status).toBe(201);
  await receiver.nth('/notified', 1);
  const events = mongo.db.collection('events');
  await until(
    'the end of the publication',
    async () => !(await events.findOne({ to_notify: true })),
  );
  const queued = await Promise.all([north, south].map(notificationsIn));
  expect(queued.reduce((sum, count) => sum + count, 0)).toBe(1);
});

/** Notifications in the MAIL streams of a region. */
async function notificationsIn({ natsUrl: url }: Region): Promise<number> {
  await using nats = await connectNats({ url, name: 'test' }, log);
  const manager = await jetstreamManager(nats.connection);
  let queued = 0;
  for (const partition of [0, 1]) {
    const filter = { subjects_filter: `mail.${partition}.notifications.>` };
    const { state } = await manager.streams.info(`MAIL-${partition}`, filter);
    queued += Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
  }
  return queued;
}
