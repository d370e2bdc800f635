/**
 * The dispatcher's network fails under load, then recovers: every accepted email is delivered,
 * nothing needs a restart, and records are right.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { readConfig } from '../../services/adapters/process/config.ts';
import type { Service } from '../../services/adapters/process/service-process.ts';
import type { Address } from '../../services/core/address/address.ts';
import type { Delivery } from '../../services/core/delivery/delivery.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { startDispatcher } from '../../services/dispatcher/dispatcher.ts';
import { log, type Pipeline, startPipeline } from '../support/pipeline.ts';
import { atMost } from '../support/slowdown.ts';
import { type Fault, startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { counted } from './delivery-records.ts';

const LINKS = ['NATS', 'MongoDB', 'the receiver'] as const;
type Link = (typeof LINKS)[number];

const MAILS = 30;
const PAUSE_MS = 40;
const FAULT_FROM = 8; // emails
const FAULT_MS = 900;
const BACK_WITHIN_MS = 3_000;

let pipeline: Pipeline;
let proxies: Record<Link, TcpProxy>;
let dispatcher: Service;
beforeAll(async () => {
  pipeline = await startPipeline({ withDispatcher: false });
  const { natsServer, receiver, settings } = pipeline;
  const mongoUri = new URL(settings.MONGODB_URI ?? '');
  const [nats, mongo, webhook] = await Promise.all(
    [natsServer.port, Number(mongoUri.port), receiver.port].map((port) => startTcpProxy(port)),
  );
  if (!nats || !mongo || !webhook) throw new Error('no proxies');
  proxies = { NATS: nats, MongoDB: mongo, 'the receiver': webhook };
  mongoUri.port = String(mongo.port);
  mongoUri.search = '?directConnection=true'; // without this, the driver would use the member's own port
  const own = {
    ...settings,
    NATS_URL: `nats://127.0.0.1:${nats.port}`,
    MONGODB_URI: mongoUri.href,
    WEBHOOK_TIMEOUT: '700ms',
    RETRY_SCHEDULE: '100ms,300ms,600ms,1s,1s,1s',
  };
  dispatcher = await startDispatcher(
    readConfig(DispatcherConfig, own),
    log.child({ service: 'dispatcher' }),
    2_000,
  );
});
afterAll(async () => {
  for (const proxy of Object.values(proxies)) await proxy.heal();
  await dispatcher[Symbol.asyncDispose]();
  for (const proxy of Object.values(proxies)) await proxy[Symbol.asyncDispose]();
  await pipeline[Symbol.asyncDispose]();
});

const FAULTS: readonly Fault[] = ['cut', 'stall', 'reset'];

test.each(LINKS.flatMap((link) => FAULTS.map((fault) => [link, fault] as const)))(
  '%s: %s, then healed',
  async (link, fault) => {
    const address = await pipeline.address('/', { webhook_url: webhookUrl(`/${link}/${fault}`) });
    await sendStream(address, async () => {
      await proxies[link].fail(fault);
      await sleep(FAULT_MS);
      await proxies[link].heal();
    });
    expect(await faultsOf(address, `${link}: ${fault}`)).toEqual([]);
  },
);

test.each(LINKS)('%s: slow by 100 ms each way', async (link) => {
  const address = await pipeline.address('/', { webhook_url: webhookUrl(`/${link}/slow`) });
  await sendStream(address, async () => proxies[link].delay(100));
  expect(await faultsOf(address, `${link}: slow`)).toEqual([]);
  proxies[link].delay(0);
});

test('nats-server stops for two seconds: mail that arrives right after its return is not delayed', async () => {
  await pipeline.natsServer.stop();
  await sleep(2_000);
  await pipeline.natsServer.restart();
  const address = await pipeline.address('/', { webhook_url: webhookUrl('/back') });
  const send = () =>
    pipeline.mailer
      .sendMail({ from: 'a@b.example', to: address.address, subject: 'back', text: 'text' })
      .then(
        () => true,
        () => false,
      );
  await until('a 250', send);
  const acceptedAt = Date.now();
  const webhook = await pipeline.receiver.nth('/back', 1);
  expect(webhook.at - acceptedAt).toBeLessThan(atMost(BACK_WITHIN_MS));
});

test('all connections to NATS and MongoDB are lost without a sign: noticed and replaced', async () => {
  const address = await pipeline.address('/', { webhook_url: webhookUrl('/lost') });
  await sendStream(address, async () => {
    await Promise.all([proxies.NATS.fail('lose'), proxies.MongoDB.fail('lose')]);
  });
  expect(await faultsOf(address, 'lost', 50_000)).toEqual([]);
});

const webhookUrl = (path: string) =>
  `https://127.0.0.1:${proxies['the receiver'].port}${encodeURI(path)}`;

/** Sends at a steady rate. `disturb` starts after a few emails and runs at the same time. */
async function sendStream(address: Address, disturb: () => Promise<void>): Promise<void> {
  const sent: Promise<unknown>[] = [];
  for (let i = 0; i < MAILS; i++) {
    if (i === FAULT_FROM) sent.push(disturb());
    sent.push(
      pipeline.mailer.sendMail({
        from: 'a@b.example',
        to: address.address,
        subject: `mail ${i}`,
        text: 'text',
      }),
    );
    await sleep(PAUSE_MS);
  }
  await Promise.all(sent);
}

/** What is wrong after everything has ended. */
async function faultsOf(address: Address, name: string, giveUpMs?: number): Promise<string[]> {
  const endedAt = Date.now();
  const path = new URL(String(address.webhook_url)).pathname;
  const records = pipeline.mongo.db.collection<Omit<Delivery, 'event_id'> & { _id: string }>(
    'deliveries',
  );
  const accepted = () => pipeline.receiver.received(path).filter(({ status }) => status === 200);
  await until(
    `${MAILS} mails`,
    () => new Set(accepted().map(({ payload }) => payload.event_id)).size >= MAILS,
    giveUpMs,
  );
  await until(
    'their records',
    async () =>
      (await records.countDocuments({ address_id: address.id, status: 'delivered' })) >= MAILS,
    giveUpMs,
  );
  await until('an empty retry lane', async () => (await sleepingOf(address)) === 0, giveUpMs);
  const settledMs = Date.now() - endedAt;

  const events = new Set(accepted().map(({ payload }) => payload.event_id));
  const subjects = new Set(accepted().map(({ payload }) => payload.headers.subject));
  const found = await records.find({ address_id: address.id }).toArray();
  const stored = await pipeline.mongo.db
    .collection('addresses')
    .findOne({ _id: address.id as never });
  const usage = await counted(pipeline, { account_id: address.account_id });
  process.stdout.write(
    `${name}: ${events.size} delivered, ${accepted().length - events.size} duplicate posts, ` +
      `all settled ${settledMs} ms after the last 250\n`,
  );
  const isRight: Record<string, boolean> = {
    'each email has one event_id': events.size === MAILS && subjects.size === MAILS,
    'each event has one record':
      found.length === MAILS && found.every(({ _id }) => events.has(_id)),
    'each record ends with a success': found.every(
      ({ attempts, next_attempt_at }) =>
        attempts.at(-1)?.outcome === 'accepted' && next_attempt_at === null,
    ),
    'each email is counted once':
      stored?.email_count === MAILS &&
      usage.received === MAILS &&
      usage.delivered === MAILS &&
      usage.failed === 0,
  };
  return Object.keys(isRight).filter((claim) => !isRight[claim]);
}

async function sleepingOf({ account_id }: Address): Promise<number> {
  const manager = await jetstreamManager(pipeline.nats.connection);
  let messages = 0;
  for (const partition of [0, 1]) {
    const { state } = await manager.streams.info(`RETRY-${partition}`, {
      subjects_filter: `retry.${partition}.${account_id}.>`,
    });
    messages += Object.keys(state.subjects ?? {}).length;
  }
  return messages;
}
