/** Outages of MongoDB or NATS: 503 unavailable, and recovery without a restart (D5). */
import { describe, expect, test } from 'vitest';

import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import { changeTo, mailEvent } from '../../support/mail-events.ts';
import { frozen } from '../../support/frozen.ts';
import { startTestMongod } from '../../support/servers.ts';
import { atMost } from '../../support/slowdown.ts';
import { HOOK, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const recovery = () => ({ timeout: atMost(15_000), interval: 200 });

const mongod = await useInFile(startTestMongod());
const api = await useInFile(startTestApi({ mongoUri: mongod.url }));
const id = (await api.create()).id;
const eventId = await aFailedDelivery();

const CALLS = [
  ['POST', '/v1/addresses', { webhook_url: HOOK }],
  ['PATCH', '/v1/addresses/{id}', { description: 'changed' }],
  ['GET', '/v1/addresses/{id}', undefined],
  ['GET', '/v1/addresses', undefined],
  ['GET', '/v1/deliveries', undefined],
] as const;

async function aFailedDelivery(): Promise<string> {
  const now = new Date();
  const event = mailEvent({ id, account_id: api.account.id, environment: 'live' }, now);
  await createDeliveries(api.mongo.db).record([changeTo('failed', event)], now);
  return event.event_id;
}

const ask = (method: string, path: string, body: unknown) =>
  api.ask(method, path.replace('{id}', id), body === undefined ? {} : { body });

async function expectUnavailable(method: string, path: string, body: unknown): Promise<void> {
  const startedAt = Date.now();
  const answer = await ask(method, path, body);
  expect(answer).toMatchObject({
    status: 503,
    body: { error: 'unavailable', message: expect.any(String) as string },
  });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(answer.headers.get('x-request-id')).toBeTruthy();
  expect(Date.now() - startedAt).toBeLessThan(atMost(6_000));
}

describe('MongoDB', () => {
  test('killed during requests: every response is a success or 503, then all are 503', async () => {
    const running = Array.from({ length: 40 }, (_, i) => {
      const [method, path, body] = CALLS[i % CALLS.length] ?? CALLS[0];
      return ask(method, path, body);
    });
    await mongod.kill();
    for (const { status } of await Promise.all(running)) expect([200, 201, 503]).toContain(status);
    for (const [method, path, body] of CALLS) await expectUnavailable(method, path, body);
    expect(await api.ask('GET', '/readyz', { token: null })).toMatchObject({
      status: 503,
      body: { away: ['mongodb'] },
    });
    expect((await api.ask('GET', '/healthz', { token: null })).status).toBe(200);
    expect((await fetch(`${api.metricsUrl}/readyz`)).status).toBe(503);
  });

  test('available again: the same process serves requests', async () => {
    await mongod.restart();
    await expect
      .poll(async () => (await api.ask('GET', '/readyz', { token: null })).status, recovery())
      .toBe(200);
    for (const [method, path, body] of CALLS)
      expect((await ask(method, path, body)).status).toBeLessThan(300);
  });

  test('frozen, not dead: no request hangs', async () => {
    {
      using _ = await frozen(mongod.pid());
      const startedAt = Date.now();
      expect((await ask('GET', '/v1/addresses', undefined)).status).toBe(503);
      expect(Date.now() - startedAt).toBeLessThan(atMost(15_000));
    }
    await expect
      .poll(async () => (await ask('GET', '/v1/addresses', undefined)).status, recovery())
      .toBe(200);
  });
});

describe('NATS', () => {
  test('unavailable: changes that cannot be announced are refused, reads work', async () => {
    const before = (await ask('GET', '/v1/addresses/{id}', undefined)).body;
    await api.natsServer.kill();
    await expect
      .poll(async () => (await api.ask('GET', '/readyz', { token: null })).body, recovery())
      // a pod that is not ready is asked nothing
      .toMatchObject({ status: 'ready', away: ['nats'] });
    await expectUnavailable('POST', '/v1/addresses', { webhook_url: HOOK });
    await expectUnavailable('PATCH', '/v1/addresses/{id}', { description: 'lost?' });
    await expectUnavailable('DELETE', '/v1/addresses/{id}', undefined);
    await expectUnavailable('POST', '/v1/addresses/{id}/rotate-secret', undefined);
    await expectUnavailable('GET', `/v1/deliveries/${eventId}/payload`, undefined);
    await expectUnavailable('POST', `/v1/deliveries/${eventId}/replay`, undefined);
    await expectUnavailable('POST', '/v1/deliveries/replay', undefined);
    expect((await ask('GET', `/v1/deliveries/${eventId}`, undefined)).body).toMatchObject({
      status: 'failed',
    });
    expect((await ask('GET', '/v1/addresses/{id}', undefined)).body).toEqual(before);
    expect((await ask('GET', '/v1/addresses', undefined)).status).toBe(200);
  });

  test('available again: the same process serves requests', async () => {
    await api.natsServer.restart();
    await expect
      .poll(
        async () => (await ask('PATCH', '/v1/addresses/{id}', { description: 'back' })).status,
        recovery(),
      )
      .toBe(200);
  });

  test('frozen: a change that could not be announced is 503, and is announced on the retry', async () => {
    {
      using _ = await frozen(api.natsServer.pid());
      await expectUnavailable('PATCH', '/v1/addresses/{id}', { description: 'unheard' });
      await expectUnavailable('DELETE', '/v1/addresses/{id}', undefined);
    }
    await using listener = await connectNats(
      { url: api.natsServer.url, name: 'test' },
      createLog('silent'),
    );
    const heard = listener.connection.subscribe('inlet.addresses.changed');
    await listener.connection.flush();
    // the first one did delete it
    expect((await ask('DELETE', '/v1/addresses/{id}', undefined)).status).toBe(404);
    for await (const message of heard) {
      expect(message.json()).toMatchObject({ id });
      break;
    }
  });
});
