/**
 * D44 over the whole system: DELETE /deliveries/{event_id}/content, the retention of an address, and
 * the limits of both.
 */
import { randomBytes } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { describe, expect, test } from 'vitest';

import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import { createMailErasure } from '../../../services/adapters/stream/erase.ts';
import { openMailStreams } from '../../../services/adapters/stream/replay.ts';
import {
  DISPATCHER_CONSUMER,
  mailStream,
  retryStream,
} from '../../../services/adapters/stream/events/streams.ts';
import { until } from '../../support/until.ts';
import type { Answer } from '../../support/start-api.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { wholeAccount } from '../../../services/core/address/scope.ts';

const whole = await useInFile(
  startInProcess({
    RETRY_SCHEDULE: '1h',
    PARTITIONS: '1',
    LINK_KEYS: randomBytes(32).toString('base64'),
    PUBLIC_API_URL: 'http://127.0.0.1:1/v1',
  }),
);

type Shown = { event_id: string; status: string; outcome: string; attempts: object[] };
const get = async (id: string, query = '') =>
  (await whole.api.ask('GET', `/v1/deliveries/${id}${query}`)).body as Shown &
    Record<string, unknown>;
const erase = (id: string, token?: string): Promise<Answer> =>
  whole.api.ask('DELETE', `/v1/deliveries/${id}/content`, token === undefined ? {} : { token });
const payloadOf = (id: string) => whole.api.ask('GET', `/v1/deliveries/${id}/payload`);
const scope = () => ({ account_id: whole.api.account.id, environment: 'live' as const });

/** Sends an email to this address, and resolves with its event when the receiver has it. */
async function received(address: { address: string }, path: string): Promise<string> {
  const count = whole.pipeline.receiver.received(path).length;
  await whole.send(address.address, path);
  return (await whole.pipeline.receiver.nth(path, count + 1)).payload.event_id;
}

const ended = (id: string, status: string) =>
  until(`${id} to be ${status}`, async () => (await get(id)).status === status);

async function eraseEvents(id: string): Promise<Record<string, unknown>[]> {
  const { body } = await whole.api.ask('GET', '/v1/usage/events?event_type=delivery.erased');
  return (body.data as { data: Record<string, unknown> }[])
    .map(({ data }) => data)
    .filter((data) => data.event_id === id);
}

const streamOf = async (name: string) =>
  (await (await jetstreamManager(whole.pipeline.nats.connection)).streams.info(name)).state;

const gone = (id: string) =>
  until('the content to go', async () => (await payloadOf(id)).status === 404);
const create = (body: object) =>
  whole.api.ask('POST', '/v1/addresses', {
    body: { webhook_url: whole.pipeline.receiver.url('/settings'), ...body },
  });
const patch = (made: Answer, body: object) =>
  whole.api.ask('PATCH', `/v1/addresses/${String(made.body.id)}`, { body });

describe('DELETE /deliveries/{event_id}/content', () => {
  test('can be repeated; the first one is in the audit trail', async () => {
    const id = await received(await whole.address('/twice'), '/twice');
    await ended(id, 'delivered');
    const search = '/v1/deliveries?subject=twice&sender=ann';
    const found = async () => (await whole.api.ask('GET', search)).body.data;
    expect(await found()).toMatchObject([{ event_id: id }]);
    const first = await erase(id);
    expect(await get(id, '?include=headers')).toMatchObject({
      attempts: [{ request_headers: null, response_headers: null }],
    });
    expect(await found()).toEqual([]);
    expect([first.status, first.body.subject]).toEqual([200, null]);
    const second = await erase(id);
    expect(second.status).toBe(200);
    expect(second.body.content_erased_at).toBe(first.body.content_erased_at);
    expect(await eraseEvents(id)).toMatchObject([{ token_id: expect.any(String) as string }]);
    expect((await whole.api.ask('POST', `/v1/deliveries/${id}/replay`)).status).toBe(404);
    const bulk = { address_id: first.body.address_id, status: 'delivered' };
    const { body } = await whole.api.ask('POST', '/v1/deliveries/replay', { body: bulk });
    expect(body).toMatchObject({ queued: 0, skipped: { no_longer_kept: 1 } });
  });

  test('of one email at the same time all succeed', async () => {
    const ids = [];
    const address = await whole.address('/together');
    for (let n = 0; n < 8; n++) ids.push(await received(address, '/together'));
    for (const id of ids) await ended(id, 'delivered');
    const answers = await Promise.all(ids.flatMap((id) => [erase(id), erase(id), erase(id)]));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => answers[0]?.status));
    expect(answers[0]?.status).toBeLessThan(300);
    for (const id of ids) expect((await payloadOf(id)).status).toBe(404);
  });

  test('a repeated replay with its Idempotency-Key does not bring the content back', async () => {
    const id = await received(await whole.address('/keyed'), '/keyed');
    await ended(id, 'delivered');
    const replay = () =>
      whole.api.ask('POST', `/v1/deliveries/${id}/replay`, {
        headers: { 'idempotency-key': 'keyed' },
      });
    expect(await replay()).toMatchObject({ status: 200, body: { subject: '/keyed' } });
    await whole.pipeline.receiver.nth('/keyed', 2);
    await ended(id, 'delivered');
    expect((await erase(id)).status).toBe(200);
    const again = await replay();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again).toMatchObject({ status: 200, body: { event_id: id, subject: null, from: null } });
    const stored = await whole.api.mongo.db.collection('idempotency_keys').find().toArray();
    expect(stored).toHaveLength(1);
    expect(whole.pipeline.receiver.received('/keyed')).toHaveLength(2);
  });

  test('cancels a delivery that sleeps; nothing is sent or stored later', async () => {
    whole.pipeline.receiver.answer('/asleep', () => 503);
    const id = await received(await whole.address('/asleep'), '/asleep');
    await ended(id, 'retrying'); // the record, which is earlier than the message
    await until('its message', async () => (await streamOf(retryStream(0))).messages === 1);
    expect((await erase(id)).body).toMatchObject({ status: 'failed', outcome: 'canceled' });
    expect((await streamOf(retryStream(0))).messages).toBe(0);
    const manager = await jetstreamManager(whole.pipeline.nats.connection);
    await until('the consumer to forget it', async () => {
      const { num_ack_pending } = await manager.consumers.info(retryStream(0), DISPATCHER_CONSUMER);
      return num_ack_pending === 0;
    });
    expect(whole.pipeline.receiver.received('/asleep')).toHaveLength(1);
    expect((await whole.api.ask('POST', `/v1/deliveries/${id}/retry`)).status).toBe(409);
  });

  test('is 409 while an attempt is in flight, and works when it has ended', async () => {
    let finish: (() => void) | undefined;
    whole.pipeline.receiver.answer('/in-flight', () => (response) => {
      finish = () => void response.writeHead(200).end();
    });
    const id = await received(await whole.address('/in-flight'), '/in-flight');
    await until('a record', async () => (await get(id)).status === 'pending');
    expect(await erase(id)).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect((await payloadOf(id)).status).toBe(200);
    finish?.();
    await ended(id, 'delivered');
    expect((await erase(id)).status).toBe(200);
    expect((await payloadOf(id)).status).toBe(404);
  });

  test('a dispatcher that stores a copy after the erasure discards it when it is due', async () => {
    whole.pipeline.receiver.answer('/late-copy', () => 400);
    const id = await received(await whole.address('/late-copy'), '/late-copy');
    await ended(id, 'failed');
    const streams = await openMailStreams(whole.pipeline.nats);
    const manager = await jetstreamManager(whole.pipeline.nats.connection);
    const filter = { last_by_subj: `failed.*.*.${id}` };
    const found = await until('its message', () => manager.streams.getMessage('FAILED', filter));
    const failedBefore = (await streamOf('FAILED')).messages;
    expect((await erase(id)).status).toBe(200);
    expect((await streamOf('FAILED')).messages).toBe(failedBefore - 1);
    const { account_id, address_id } = JSON.parse(found.header.get('Inlet-Event')) as {
      account_id: string;
      address_id: string;
    };
    found.header.set('Inlet-Stored-At', JSON.stringify({ partition: 0, sequence: 1 }));
    const subject = `retry.0.${account_id}.${address_id}.${id}`;
    await streams.client.publish(subject, found.data, { headers: found.header });
    await until('the copy to go', async () => (await streamOf(retryStream(0))).messages === 0);
    expect((await streamOf('FAILED')).messages).toBe(failedBefore - 1);
    expect(whole.pipeline.receiver.received('/late-copy')).toHaveLength(1);
  });

  test('an erasure that crashed after it changed the record is completed by the janitor', async () => {
    const id = await received(await whole.address('/crashed'), '/crashed');
    await ended(id, 'delivered');
    const deliveries = createDeliveries(whole.api.mongo.db);
    const marked = await deliveries.markErased(wholeAccount(scope()), id, new Date());
    expect(await payloadOf(id)).toMatchObject({ status: 404 });
    const { partition, sequence } = marked!.stored_at;
    const manager = await jetstreamManager(whole.pipeline.nats.connection);
    const stored = () => manager.streams.getMessage(mailStream(partition), { seq: sequence });
    expect(await stored()).not.toBeNull();
    const listed = async () => {
      const all = await deliveries.endedContents(new Date(Date.now() + 60_000), 100, undefined);
      return all.find(({ event_id }) => event_id === id);
    };
    const waiting = await listed();
    expect(waiting).toMatchObject({ event_id: id, stored_at: marked!.stored_at });
    await createMailErasure(await openMailStreams(whole.pipeline.nats)).erase(waiting!);
    await deliveries.contentsRemoved([id]);
    expect(await stored()).toBeNull();
    expect(await listed()).toBeUndefined();
    expect(await payloadOf(id)).toMatchObject({
      body: { message: 'The content of this delivery was erased' },
    });
  });

  test('a token for tests erases an email of the test environment', async () => {
    const { token } = await whole.api.issue({ environment: 'test' });
    const made = await whole.api.ask('POST', '/v1/addresses', {
      token,
      body: { webhook_url: whole.pipeline.receiver.url('/test-env') },
    });
    const id = await received(made.body as { address: string }, '/test-env');
    await until('the outcome', async () => {
      const { body } = await whole.api.ask('GET', `/v1/deliveries/${id}`, { token });
      return body.status === 'delivered';
    });
    expect((await erase(id, token)).body).toMatchObject({ subject: null });
  });
});

describe('retention_hours', () => {
  test('0: nothing is stored once the email is delivered, and no earlier', async () => {
    whole.pipeline.receiver.answer('/zero', (count) => (count === 1 ? 503 : 200));
    const address = await whole.address('/zero', { retention_hours: 0 });
    const id = await received(address, '/zero');
    await ended(id, 'retrying');
    expect((await payloadOf(id)).status).toBe(200);
    await whole.api.ask('POST', `/v1/deliveries/${id}/retry`);
    await ended(id, 'delivered');
    await gone(id);
    const delivery = await until('the record', async () =>
      whole.api.mongo.db
        .collection<{ _id: string; stored_at: { sequence: number } }>('deliveries')
        .findOne({ _id: id, payload_in: 'removed', content_until: { $exists: false } }),
    );
    const manager = await jetstreamManager(whole.pipeline.nats.connection);
    const { sequence } = delivery.stored_at;
    expect(await manager.streams.getMessage(mailStream(0), { seq: sequence })).toBeNull();
    expect((await whole.api.ask('POST', `/v1/deliveries/${id}/replay`)).status).toBe(404);
    expect((await get(id)).subject).toBe('/zero'); // the record stays, see redact
  });

  test('0: a large email leaves its bucket as well', async () => {
    const address = await whole.address('/zero-large', { retention_hours: 0 });
    await whole.pipeline.mailer.sendMail({
      from: 'a@b.example',
      to: address.address,
      subject: 'large',
      attachments: [{ filename: 'a', content: randomBytes(700_000) }],
    });
    const { payload } = await whole.pipeline.receiver.nth('/zero-large', 1);
    await ended(payload.event_id, 'delivered');
    const { bodies } = await openMailStreams(whole.pipeline.nats);
    await gone(payload.event_id);
    const info = await until('the body to go', async () => {
      const found = await bodies.info(payload.event_id);
      return found?.deleted ? found : undefined;
    });
    expect(info.size).toBe(0);
  });

  test("the account's applies to an address without its own; the content ends hours after the delivery", async () => {
    const settings = { retention_hours: 3 };
    await whole.api.ask('PATCH', '/v1/account', { body: { settings } });
    const inheriting = await whole.address('/inherits');
    const own = await whole.address('/own', { retention_hours: 5 });
    const untilOf = async (id: string) => {
      await ended(id, 'delivered');
      const found = await whole.api.mongo.db
        .collection<{ _id: string; content_until?: Date; updated_at: Date }>('deliveries')
        .findOne({ _id: id });
      return Math.round(
        (found!.content_until!.getTime() - found!.updated_at.getTime()) / 3_600_000,
      );
    };
    const id = await received(inheriting, '/inherits');
    expect(await untilOf(id)).toBe(3);
    expect(await untilOf(await received(own, '/own'))).toBe(5);
    expect((await payloadOf(id)).status).toBe(200);

    // the end is reached: the API offers nothing more, before the janitor has removed it
    const at = { content_until: new Date(Date.now() - 1_000) };
    const records = whole.api.mongo.db.collection<{ _id: string }>('deliveries');
    await records.updateOne({ _id: id }, { $set: at });
    expect((await payloadOf(id)).status).toBe(404);
    expect((await whole.api.ask('POST', `/v1/deliveries/${id}/replay`)).status).toBe(404);
    await whole.api.ask('PATCH', '/v1/account', { body: { settings: { retention_hours: null } } });
  });

  test('a replay before the end begins the retention again with its delivery', async () => {
    const address = await whole.address('/again', { retention_hours: 1 });
    const id = await received(address, '/again');
    await ended(id, 'delivered');
    let finish: (() => void) | undefined;
    whole.pipeline.receiver.answer('/again', () => (response) => {
      finish = () => void response.writeHead(200).end();
    });
    await whole.api.ask('POST', `/v1/deliveries/${id}/replay`);
    await whole.pipeline.receiver.nth('/again', 2);
    const records = whole.api.mongo.db.collection<{ _id: string; content_until?: Date }>(
      'deliveries',
    );
    expect((await records.findOne({ _id: id }))?.content_until).toBeUndefined();
    finish?.();
    await ended(id, 'delivered');
    expect((await records.findOne({ _id: id }))?.content_until).toBeInstanceOf(Date);
  });
});

describe('the settings', () => {
  const links = { payload: { attachments: 'url' } };
  const conflict = { error: 'validation_failed', details: { code: 'conflict' } };

  test('are shown, changed, and null by default', async () => {
    const { body } = await create({});
    expect(body).toMatchObject({ retention_hours: null, redact: null });
    const requested = { retention_hours: 24, redact: ['subject'] };
    const path = `/v1/addresses/${String(body.id)}`;
    expect((await whole.api.ask('PATCH', path, { body: requested })).body).toMatchObject(requested);
    const none = { retention_hours: null, redact: [] };
    expect((await whole.api.ask('PATCH', path, { body: none })).body).toMatchObject(none);
    expect((await whole.api.ask('GET', path)).body).toMatchObject(none);
  });

  test.each([
    ['0 hours with linked attachments', { retention_hours: 0, ...links }, 'retention_hours'],
    ['0 hours with a raw link', { retention_hours: 0, payload: { raw: true } }, 'retention_hours'],
  ])('%s is 422', async (_, body, field) => {
    expect(await create(body)).toMatchObject({
      status: 422,
      body: { ...conflict, details: { field, code: 'conflict' } },
    });
  });

  test.each([
    ['retention_hours', { retention_hours: -1 }, 'too_small'],
    ['retention_hours', { retention_hours: 8761 }, 'too_big'],
    ['retention_hours', { retention_hours: 1.5 }, 'invalid_type'],
    ['payload', { retention_hours: 0, payload: null }, 'invalid_type'],
    ['redact.0', { redact: ['to'] }, 'invalid_value'],
  ])('%s: %o is 422', async (field, body, code) => {
    expect((await create(body)).body.details).toEqual({ field, code });
  });

  test('0 hours for an address with links, or links for one with 0 hours, is 409', async () => {
    const linked = await create(links);
    const zero = await create({ retention_hours: 0 });
    const refused = { status: 409, body: { error: 'conflict' } };
    expect(await patch(linked, { retention_hours: 0 })).toMatchObject(refused);
    expect(await patch(zero, { payload: { raw: true } })).toMatchObject(refused);
    expect((await patch(linked, { retention_hours: 1 })).status).toBe(200);
    const both = { retention_hours: 0, payload: { attachments: 'inline' } };
    expect((await patch(linked, both)).status).toBe(200);
  });

  test("the account's redact applies to addresses without their own", async () => {
    const settings = { redact: ['subject', 'from'] };
    const { body } = await whole.api.ask('PATCH', '/v1/account', { body: { settings } });
    expect(body.settings).toMatchObject(settings);
    const id = await received(await whole.address('/account-redact'), '/account-redact');
    await ended(id, 'delivered');
    expect(await get(id)).toMatchObject({ subject: null, from: null, mail_from: '' });
    const overriding = await whole.address('/no-redact', { redact: [] });
    const other = await received(overriding, '/no-redact');
    await ended(other, 'delivered');
    expect(await get(other)).toMatchObject({ subject: '/no-redact' });
    await whole.api.ask('PATCH', '/v1/account', { body: { settings: { redact: [] } } });
  });
});
