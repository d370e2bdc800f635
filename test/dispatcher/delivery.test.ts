/**
 * An email from SMTP to the receiver: outcomes, schedule, signatures, records (spec 3, 5.2, 6; D16,
 * D18, D20).
 */
import { describe, expect, test } from 'vitest';

import { VERSION } from '../../services/core/version.ts';
import { type Answer, signatureHolds } from '../support/receiver.ts';
import { startPipeline } from '../support/pipeline.ts';
import { atMost } from '../support/slowdown.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const pipeline = await useInFile(startPipeline({ env: { WEBHOOK_TIMEOUT: '2s' } }));

type Stored = {
  _id: string;
  address_id: string;
  status: string;
  attempts: object[];
  next_attempt_at: Date | null;
};
const deliveries = () => pipeline.mongo.db.collection<Stored>('deliveries');
const send = (to: string, subject: string) =>
  pipeline.mailer.sendMail({
    from: 'Ann <ann@sender.example>',
    to,
    subject,
    text: `text of ${subject}`,
  });

async function settled(eventId: string): Promise<Stored> {
  return until(`the end of ${eventId}`, async () => {
    const delivery = await deliveries().findOne({ _id: eventId });
    return delivery?.status === 'delivered' || delivery?.status === 'failed' ? delivery : undefined;
  });
}

test('spec 6.1, 5.2: an email becomes one signed POST, and is recorded and counted', async () => {
  const address = await pipeline.address('/plain');
  await send(address.address, 'hello');
  const webhook = await pipeline.receiver.nth('/plain', 1);
  expect(signatureHolds(webhook, address.webhook_secret)).toBe(true);
  expect(webhook.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': `Inlet/${VERSION}`,
    'webhook-id': webhook.payload.event_id,
  });
  expect(webhook.payload).toMatchObject({
    address_id: address.id,
    headers: { subject: 'hello', from: '"Ann" <ann@sender.example>' },
    metadata: { retry_count: 0 },
  });
  expect(await settled(webhook.payload.event_id)).toMatchObject({
    status: 'delivered',
    attempts: [{ outcome: 'accepted', status_code: 200, error: null }],
    next_attempt_at: null,
  });
  expect(
    await pipeline.mongo.db.collection('addresses').findOne({ _id: address.id as never }),
  ).toMatchObject({ email_count: 1 });
  expect(
    await pipeline.mongo.db.collection('usage_daily').findOne({ account_id: address.account_id }),
  ).toMatchObject({ received: 1, delivered: 1, failed: 0 });
});

describe('spec 3, 6.2: retried', () => {
  test.each<[name: string, broken: Answer, outcome: string]>([
    ['a 503', 503, 'busy'],
    ['a 500', 500, 'busy'],
    ['a 429', 429, 'busy'],
    ['a response that never arrives', () => undefined, 'unreachable'],
    ['a connection that breaks', (response) => void response.destroy(), 'unreachable'],
  ])(
    '%s, then delivered with the same event_id and a counted retry',
    async (name, broken, outcome) => {
      const path = `/retried/${encodeURIComponent(name)}`;
      const address = await pipeline.address(path);
      pipeline.receiver.answer(path, (count) => (count <= 2 ? broken : 200));
      await send(address.address, name);
      await pipeline.receiver.nth(path, 3);
      const webhooks = pipeline.receiver.received(path);
      expect(webhooks.map(({ payload }) => payload.metadata.retry_count)).toEqual([0, 1, 2]);
      expect(new Set(webhooks.map(({ payload }) => payload.event_id)).size).toBe(1);
      expect(webhooks.every((webhook) => signatureHolds(webhook, address.webhook_secret))).toBe(
        true,
      );
      const delivery = await settled(webhooks[0]?.payload.event_id ?? '');
      expect(delivery).toMatchObject({
        status: 'delivered',
        attempts: [{ outcome }, { outcome }, { outcome: 'accepted' }],
      });
    },
  );

  test('a refused connection and an unknown name, until the schedule ends; then stored in FAILED', async () => {
    for (const url of ['https://localhost:1/', 'https://no-such-name.invalid/']) {
      const address = await pipeline.address('/unused', { webhook_url: url });
      await send(address.address, url);
      const delivery = await until('a delivery', () =>
        deliveries().findOne({ address_id: address.id }),
      );
      expect(await settled(delivery._id)).toMatchObject({
        status: 'failed',
        attempts: Array.from({ length: 4 }, () => ({ outcome: 'unreachable', status_code: null })),
      });
      const kept = await until('a message in FAILED', () =>
        failedMessage(`failed.${address.account_id}.${address.id}.${delivery._id}`),
      );
      expect(JSON.parse(kept)).toMatchObject({ event_id: delivery._id, headers: { subject: url } });
    }
  });

  test('spec 6.2: the delays follow the schedule, never earlier', async () => {
    const address = await pipeline.address('/timed');
    pipeline.receiver.answer('/timed', (count) => (count <= 3 ? 503 : 200));
    await send(address.address, 'timed');
    await pipeline.receiver.nth('/timed', 4);
    const times = pipeline.receiver.received('/timed').map(({ at }) => at);
    for (const [i, delayMs] of [20, 50, 50].entries())
      expect((times[i + 1] ?? 0) - (times[i] ?? 0)).toBeGreaterThanOrEqual(delayMs - 2);
  });
});

describe('spec 3, D18: final', () => {
  test.each([400, 401, 403, 404, 410, 301, 302, 304])('a %d is not retried', async (status) => {
    const path = `/final/${status}`;
    const address = await pipeline.address(path);
    pipeline.receiver.answer(path, () => ({
      status,
      ...(status < 400 && { headers: { location: pipeline.receiver.url('/elsewhere') } }),
      body: 'no',
    }));
    await send(address.address, String(status));
    const { payload } = await pipeline.receiver.nth(path, 1);
    expect(await settled(payload.event_id)).toMatchObject({
      status: 'failed',
      attempts: [{ outcome: 'refused', status_code: status }],
    });
    expect(pipeline.receiver.received(path)).toHaveLength(1);
    expect(pipeline.receiver.received('/elsewhere')).toHaveLength(0);
  });
});

test('a target that is not public is not called, and the delivery record says why', async () => {
  const address = await pipeline.address('/unused', { webhook_url: 'https://10.0.0.1/' });
  await send(address.address, 'inward');
  const delivery = await until('a delivery', () =>
    deliveries().findOne({ address_id: address.id }),
  );
  expect(await settled(delivery._id)).toMatchObject({
    status: 'failed',
    attempts: [{ outcome: 'blocked', error: expect.stringContaining('private') }],
  });
});

test('D32: an email that its sender repeats is delivered once', async () => {
  const address = await pipeline.address('/repeated');
  const headers = `Message-ID: <1@b.example>\r\nFrom: a@b.example\r\nTo: ${address.address}\r\n`;
  const raw = `${headers}Subject: twice\r\n\r\nsame bytes\r\n`;
  const envelope = { from: 'a@b.example', to: address.address };
  await pipeline.mailer.sendMail({ envelope, raw });
  await pipeline.mailer.sendMail({ envelope, raw });
  await pipeline.mailer.sendMail({ envelope, raw: raw.replace('same', 'other') });
  const second = await pipeline.receiver.nth('/repeated', 2);
  expect(second.payload.content.text).toContain('other');
  await settled(second.payload.event_id);
  expect(pipeline.receiver.received('/repeated')).toHaveLength(2);
});

test('an email that waited for its own receiver counts as paced', async () => {
  const counts = async () => {
    const text = await (await fetch(pipeline.metricsUrls.dispatcher)).text();
    const of = (paced: boolean) =>
      Number(
        new RegExp(
          `inlet_mail_to_first_attempt_seconds_count\\{[^}]*paced="${paced}"[^}]*\\} (\\d+)`,
        ).exec(text)?.[1],
      );
    return { paced: of(true), unpaced: of(false) };
  };
  const address = await pipeline.address('/paced');
  // longer than an email waits in memory; four attempts of a new address are made together
  pipeline.receiver.answer(
    '/paced',
    () => (response) => void setTimeout(() => response.writeHead(200).end(), 1_000),
  );
  const before = await counts();
  await Promise.all(Array.from({ length: 8 }, (_, i) => send(address.address, `mail ${i}`)));
  const after = await until('eight first attempts', async () => {
    const now = await counts();
    return now.paced + now.unpaced >= before.paced + before.unpaced + 8 ? now : undefined;
  });
  expect(after.paced).toBeGreaterThan(before.paced);
  expect(after.unpaced).toBeGreaterThan(before.unpaced);
});

test('a receiver that hangs does not delay another address', async () => {
  const slow = await pipeline.address('/hangs');
  const quick = await pipeline.address('/quick');
  pipeline.receiver.answer('/hangs', () => () => undefined);
  await Promise.all(Array.from({ length: 60 }, (_, i) => send(slow.address, `slow ${i}`)));
  const sentAt = Date.now();
  await send(quick.address, 'quick');
  const webhook = await pipeline.receiver.nth('/quick', 1);
  expect(webhook.at - sentAt).toBeLessThan(atMost(5_000));
});

test('an email that fails inside Inlet is NAKed, counted, and delivered once the fault is repaired', async () => {
  const address = await pipeline.address('/sealed');
  const sealed = pipeline.mongo.db.collection<{ _id: string; sealed_secret: object }>('addresses');
  const before = await sealed.findOne({ _id: address.id });
  const other = await sealed.findOne({ _id: (await pipeline.address('/other')).id });
  const seal = (secret: object = {}) =>
    sealed.updateOne({ _id: address.id }, { $set: { sealed_secret: secret } });
  await seal(other?.sealed_secret); // a sealed secret opens for its own address only
  await send(address.address, 'sealed');
  const naks = async () =>
    Number(
      /inlet_mail_nak_total\{lane="mail",component="dispatcher"\} (\d+)/.exec(
        await (await fetch(pipeline.metricsUrls.dispatcher)).text(),
      )?.[1],
    );
  await until('it to come back', async () => (await naks()) > 0);
  await seal(before?.sealed_secret);
  expect((await pipeline.receiver.nth('/sealed', 1)).payload.event_id).toMatch(/^evt_/);
});

test('/metrics has what an operator needs', async () => {
  const gateway = await (await fetch(pipeline.metricsUrls.gateway)).text();
  const dispatcher = await (await fetch(pipeline.metricsUrls.dispatcher)).text();
  expect(gateway).toMatch(/inlet_mails_accepted_total\{component="gateway"\} \d+/);
  expect(gateway).toContain('inlet_mail_store_seconds_bucket');
  expect(dispatcher).toMatch(
    /inlet_webhook_attempts_total\{outcome="busy",status="503",receiver_kind="own",component="dispatcher"\} \d+/,
  );
  expect(dispatcher).toMatch(
    /inlet_queue_mails\{lane="retry",partition="0",state="pending",component="dispatcher"\} \d+/,
  );
  expect(dispatcher).toContain('inlet_mail_to_first_attempt_seconds_bucket');
});

async function failedMessage(subject: string): Promise<string | undefined> {
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const message = await (
    await jetstreamManager(pipeline.nats.connection)
  ).streams.getMessage('FAILED', { last_by_subj: subject });
  return message?.string();
}
