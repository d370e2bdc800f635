/**
 * Services whose own clocks differ do what services with right ones do (D165, D166). The dispatcher and
 * the API are ahead or behind by a shift, and the gateway is the other way. Above 30 seconds, gateways
 * and dispatchers stop working, until the clock is right again (D290).
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NoRespondersError } from '@nats-io/transport-node';
import { createTransport } from 'nodemailer';
import { expect, test } from 'vitest';

import { openRequest } from '../support/api-process.ts';
import { signatureHolds } from '../support/receiver.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { startInProcess } from '../support/start-in-process.ts';
import { until } from '../support/until.ts';
import { testDir } from '../support/servers.ts';
import { useInFile } from '../support/use-in-file.ts';

const SECRET_KEYS = Buffer.alloc(32, 7).toString('base64');
const DAY_MS = 86_400_000;
const USABLE_MS = 20_000;
const SHIFTS: [name: string, ms: number][] = [
  ['3 s ahead', 3_000],
  ['a day ahead', DAY_MS],
  ['a day behind', -DAY_MS],
  ['in 1970', -Date.now()],
];

const whole = await useInFile(startInProcess({ SECRET_KEYS }, { withDispatcher: false }));

const SHIFTED = ['--import', new URL('../support/shifted-clock.mjs', import.meta.url).pathname];
/** What is as far from the time as a dispatcher or a gateway may be. */
const workable = (ms: number) => Math.max(-USABLE_MS, Math.min(USABLE_MS, ms));

function mailerTo(port: number) {
  const mailer = createTransport({ host: '127.0.0.1', port, tls: { rejectUnauthorized: false } });
  return (to: string, subject: string) =>
    mailer.sendMail({ from: 'ann@sender.example', to, subject, text: 'hi' }).then(
      () => 250,
      ({ responseCode }: { responseCode: number }) => responseCode,
    );
}

const minute = (n: number) => new Date(Date.now() + n * 60_000);
const page = (port: number, at: string) => fetch(`http://127.0.0.1:${port}${at}`);
const hold = { rules: [{ name: 'all', when: 'true', action: 'hold' }] };

test.each(SHIFTS)('clocks %s', async (name, shiftMs) => {
  await using parts = new AsyncDisposableStack();
  const { pipeline, api } = whole;
  const settings = { ...pipeline.settings, RETRY_SCHEDULE: '1s,1h' };
  const start = (service: 'gateway' | 'dispatcher' | 'api', ms: number) =>
    startServiceProcess(
      service,
      {
        ...settings,
        API_HOST: '127.0.0.1',
        API_PORT: '0',
        INBOUND_DOMAIN: 'in.example',
        RATE_LIMIT_PER_MINUTE: '1000000',
        RATE_LIMIT_PER_HOUR: '1000000',
        CLOCK_SHIFT_MS: String(ms),
      },
      SHIFTED,
    );
  const [dispatcher, gateway, shifted] = await Promise.all([
    start('dispatcher', workable(shiftMs)),
    start('gateway', -workable(shiftMs)),
    start('api', shiftMs),
  ]);
  for (const service of [dispatcher, gateway, shifted]) parts.use(service);
  const mailer = mailerTo(gateway.smtpPort);
  const send = (to: string) => mailer(to, name);
  const ask = openRequest(shifted.apiPort, api.token);
  const path = (what: string) => `/${what}${shiftMs}`;
  const listed = async (id: string) => {
    const { data } = await ask('GET', `/v1/deliveries?address_id=${id}`);
    type Listed = { event_id: string; status: string; received_at: string; attempt_count: number };
    return (data as Listed[])[0];
  };
  const ended = (id: string, status: string) =>
    until(`${status} of ${id}`, async () => {
      const found = await listed(id);
      return found?.status === status ? found : undefined;
    });

  // first attempt, signature, time of receipt, replay
  const plain = await whole.address(path('plain'));
  expect(await send(plain.address)).toBe(250);
  const first = await pipeline.receiver.nth(path('plain'), 1);
  expect(signatureHolds(first, plain.webhook_secret)).toBe(true);
  const { event_id, received_at } = await ended(plain.id, 'delivered');
  expect(Math.abs(Date.parse(received_at) - Date.now())).toBeLessThan(DAY_MS / 2);
  expect(await ask('POST', `/v1/deliveries/${event_id}/replay`)).toMatchObject({ event_id });
  await pipeline.receiver.nth(path('plain'), 2);
  await ended(plain.id, 'delivered');

  // retry by schedule, and on request
  pipeline.receiver.answer(path('retry'), (count) => (count < 3 ? 503 : 200));
  const retried = await whole.address(path('retry'));
  await send(retried.address);
  await pipeline.receiver.nth(path('retry'), 2);
  const asleep = await until('the second retry to be an hour away', async () => {
    const found = await listed(retried.id); // until it is recorded, it still shows the first one
    return found?.attempt_count === 2 && found.status === 'retrying' ? found : undefined;
  });
  await until('the retry to be taken', async () => {
    const { event_id: taken } = await ask('POST', `/v1/deliveries/${asleep.event_id}/retry`);
    return taken === asleep.event_id;
  });
  await ended(retried.id, 'delivered');

  // hold and release
  const held = await whole.address(path('held'), hold);
  await send(held.address);
  const waiting = await ended(held.id, 'held');
  expect(pipeline.receiver.received(path('held'))).toHaveLength(0);
  await ask('POST', `/v1/deliveries/${waiting.event_id}/release`);
  await ended(held.id, 'delivered');

  // expiry of an address and of a token, and retention
  const [current, expired] = await Promise.all(
    [5, -5].map((n) =>
      api.store({
        expires_at: minute(n),
        is_permanent: false,
        webhook_url: plain.webhook_url as string,
      }),
    ),
  );
  expect([await send(current!.address), await send(expired!.address)]).toEqual([250, 550]);
  const tokens = await Promise.all([5, -5].map((n) => api.issue({ expires_at: minute(n) })));
  const statuses = tokens.map(({ token }) =>
    openRequest(shifted.apiPort, token)('GET', '/v1/account'),
  );
  expect((await Promise.all(statuses)).map(({ error }) => error)).toEqual([
    undefined,
    'unauthorized',
  ]);
  const kept = await whole.address(path('kept'), { retention_hours: 1 });
  await send(kept.address);
  const { event_id: ofKept } = await ended(kept.id, 'delivered');
  expect((await ask('GET', `/v1/deliveries/${ofKept}/payload`)).error).toBeUndefined();

  // metrics and readiness
  const isUsable = Math.abs(shiftMs) <= USABLE_MS;
  for (const { metricsPort } of [dispatcher, gateway, shifted]) {
    const isReady = isUsable || metricsPort !== shifted.metricsPort;
    expect((await page(metricsPort, '/readyz')).status).toBe(isReady ? 200 : 503);
    const metrics = await (await page(metricsPort, '/metrics')).text();
    const offset = /inlet_clock_offset_seconds\{server="mongodb",[^}]*\} (\S+)/.exec(metrics)?.[1];
    expect(Math.abs(Number(offset))).toBeGreaterThan(1.5);
  }
  expect((await ask('GET', '/readyz')).clock_ahead_seconds).toMatchObject({
    mongodb: expect.any(Number),
  });
});

test.each([-DAY_MS, DAY_MS])('a clock that is wrong by %i ms, until it is set', async (shiftMs) => {
  await using parts = new AsyncDisposableStack();
  const { pipeline } = whole;
  const dir = parts.use(await testDir());
  const file = join(dir.path, 'shift');
  await writeFile(file, String(shiftMs));
  const settings = { ...pipeline.settings, CLOCK_SHIFT_FILE: file };
  const dispatcher = parts.use(await startServiceProcess('dispatcher', settings, SHIFTED));
  const gateway = parts.use(await startServiceProcess('gateway', settings, SHIFTED));
  const path = `/wrong${shiftMs}`;
  const { id, address } = await whole.address(path);
  const recordsOf = async () => {
    const deliveries = pipeline.mongo.db.collection('deliveries').find({ address_id: id });
    return (await deliveries.toArray()).map(({ status, attempts }) => [
      status,
      (attempts as unknown[]).length,
    ]);
  };

  // a gateway with a right clock accepts, and nobody delivers
  expect(await mailerTo(pipeline.smtpPort)(address, 'waits')).toBe(250);
  expect(await mailerTo(gateway.smtpPort)(address, 'refused')).toBe(451);
  await until('the email to be shown', async () => (await recordsOf()).length === 1);
  expect(await recordsOf()).toEqual([['pending', 0]]);
  for (const { metricsPort } of [dispatcher, gateway])
    expect((await page(metricsPort, '/readyz')).status).toBe(503);
  const hook = pipeline.nats.connection.request('inlet.hooks.call');
  await expect(hook).rejects.toSatisfy((error) =>
    [error, (error as Error).cause].some((one) => one instanceof NoRespondersError),
  );

  await writeFile(file, '0');
  await pipeline.receiver.nth(path, 1);
  await until('the gateway to accept', async () => {
    const reply = await mailerTo(gateway.smtpPort)(address, 'accepted');
    return reply === 250;
  });
  await pipeline.receiver.nth(path, 2);
  await until('both to be recorded', async () => {
    const records = await recordsOf();
    return records.length === 2 && records.every(([status]) => status === 'delivered');
  });
  expect(await recordsOf()).toEqual([
    ['delivered', 1],
    ['delivered', 1],
  ]);
});
