/** A receiver that refuses new credentials, or responds with 410, is failing within seconds. */
import { expect, test } from 'vitest';

import { startInProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const whole = await useInFile(startInProcess({ RETRY_SCHEDULE: '100ms,100ms,100ms' }));

const shown = async (path: string) => (await whole.api.ask('GET', path)).body;
const send = async (to: string, count: number) => {
  for (let i = 0; i < count; i++) await whole.send(to, `email ${i}`);
};
const markOf = (path: string) =>
  until('the mark', async () => {
    const now = await shown(path);
    return now.is_failing === true ? now : undefined;
  });

test('after the rotation of a secret: the view, the event and the notification say so', async () => {
  const { id, address } = await whole.address('/rotated');
  const one = `/v1/addresses/${id}`;
  const made = await whole.api.ask('POST', '/v1/account/notifications', {
    body: { url: whole.pipeline.receiver.url('/team'), types: ['address.failing'] },
  });
  expect(made.status).toBe(201);
  whole.pipeline.receiver.answer('/rotated', () => 401);
  await send(address, 3);
  await until('three refusals', async () => {
    const { body } = await whole.api.ask('GET', `/v1/deliveries?address_id=${id}&status=failed`);
    return (body.data as object[]).length === 3;
  });
  whole.pipeline.receiver.answer('/rotated', () => 200);
  await send(address, 1);
  await until('an accepted webhook', async () => (await shown(one)).failing_since === null);

  await whole.api.ask('POST', `${one}/rotate-secret`);
  whole.pipeline.receiver.answer('/rotated', () => 401);
  await send(address, 3);
  expect(await markOf(one)).toMatchObject({
    failing_reason: 'secret_rotated',
    is_enabled: true,
  });
  const told = await whole.pipeline.receiver.nth('/team', 1);
  expect(told.payload).toMatchObject({
    type: 'address.failing',
    data: { address_id: id, receiver_id: null, reason: 'secret_rotated', is_enabled: true },
  });
  const { body } = await whole.api.ask('GET', '/v1/usage/events?event_type=address.failing');
  expect(body.data).toMatchObject([{ address_id: id, data: { reason: 'secret_rotated' } }]);

  whole.pipeline.receiver.answer('/rotated', () => 200);
  await send(address, 1);
  await until('the end of it', async () => (await shown(one)).is_failing === false);
  expect(await shown(one)).toMatchObject({ failing_reason: null, failing_since: null });
});

test('after a change of the authentication of a further receiver', async () => {
  const { id, address } = await whole.address('/first');
  const { body } = await whole.api.ask('POST', `/v1/addresses/${id}/receivers`, {
    body: {
      url: whole.pipeline.receiver.url('/further'),
      auth: { basic: { username: 'inlet', password: 'the former one' } },
    },
  });
  const further = `/v1/addresses/${id}/receivers/${String(body.id)}`;
  await whole.api.ask('PATCH', further, {
    body: { auth: { basic: { username: 'inlet', password: 'a mistyped one' } } },
  });
  whole.pipeline.receiver.answer('/further', () => 403);
  await send(address, 3);
  expect(await markOf(further)).toMatchObject({ failing_reason: 'auth_changed' });
  expect(await shown(`/v1/addresses/${id}`)).toMatchObject({
    is_failing: false,
    failing_reason: null,
  });
});

test('after one 410 (Standard Webhooks: never again), and it stays enabled', async () => {
  const { id, address } = await whole.address('/gone');
  const receiver = `/v1/addresses/${id}/receivers/${id}`;
  whole.pipeline.receiver.answer('/gone', () => 410);
  await send(address, 1);
  const gone = { failing_reason: 'gone', is_enabled: true };
  expect(await markOf(`/v1/addresses/${id}`)).toMatchObject(gone);
  expect(await shown(receiver)).toMatchObject(gone);
  const told = await until('the notification', () =>
    whole.pipeline.receiver
      .received('/team')
      .find(({ payload }) => JSON.stringify(payload).includes(id)),
  );
  expect(told.payload).toMatchObject({ data: { reason: 'gone', is_enabled: true } });
});
