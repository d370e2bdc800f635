/** The calls on notifications: create, list, change, rotate, test and delete. */
import { expect, test } from 'vitest';

import { NotificationPayload } from '../../../services/core/notification/notification-payload.ts';
import { signatureHolds } from '../../support/receiver.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { subscribe } from './subscriber.ts';

const NOTIFICATIONS = '/v1/account/notifications';

const whole = await useInFile(startInProcess());

const typesOf = (body: Record<string, unknown>) =>
  (body.data as { type: string }[]).map(({ type }) => type);

test('a creation returns the secret; get and list do not', async () => {
  const { notification, ask, path } = await subscribe(whole, '/created', { description: 'pager' });
  const { webhook_secret, ...view } = notification;
  expect(webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/); // D16
  expect(view).toEqual({
    id: expect.stringMatching(/^ntf_/) as string,
    url: whole.pipeline.receiver.url('/created'),
    types: null,
    description: 'pager',
    is_enabled: true,
    failing_since: null,
    created_at: expect.any(String) as string,
    updated_at: view.created_at,
    managed_by: null,
  });
  expect((await ask('GET', path)).body).toEqual(view);
  expect((await ask('GET', NOTIFICATIONS)).body).toEqual({ data: [view] });
  expect((await ask('GET', `${path}/secret`)).body).toEqual({
    webhook_secret,
    former_secrets_valid_until: null,
  });
  expect(typesOf((await ask('GET', '/v1/usage/events')).body)).toEqual([
    'notification.secret_viewed',
    'notification.created',
  ]);
});

test('an account has at most five in each environment, also when they are created together', async () => {
  const { ask, accountId, path } = await subscribe(whole, '/five');
  const create = () => ask('POST', NOTIFICATIONS, { url: 'https://hooks.example.com/' });
  const statuses = (await Promise.all(Array.from({ length: 7 }, create))).map((one) => one.status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([
    201, 201, 201, 201, 409, 409, 409,
  ]);
  const { token } = await whole.api.issue({ accountId, environment: 'test' });
  const body = { url: 'https://hooks.example.com/' };
  expect((await whole.api.ask('POST', NOTIFICATIONS, { token, body })).status).toBe(201);
  await ask('DELETE', path);
  expect((await create()).status).toBe(201);
});

test.each([
  [{}, 'url', 'required'],
  [{ url: 'http://hooks.example.com/' }, 'url', 'not_https'],
  [{ url: 'https://10.0.0.1/' }, 'url', 'not_public'],
  [{ url: 'https://hooks.example.com/', types: [] }, 'types', 'too_small'],
  [{ url: 'https://hooks.example.com/', types: ['email.received'] }, 'types.0', 'invalid_value'],
  [{ url: 'https://hooks.example.com/', secret: 'x' }, 'secret', 'unknown_field'],
])('D4: %j is refused', async (body, field, code) => {
  expect(await whole.api.ask('POST', NOTIFICATIONS, { body })).toMatchObject({
    status: 422,
    body: { details: { field, code } },
  });
});

test('D29: a change of types decides which events are sent from then on', async () => {
  const subscriber = await subscribe(whole, '/types', { types: ['quota.near'] });
  await subscriber.cause('not sent');
  await subscriber.published();
  const changed = await subscriber.ask('PATCH', subscriber.path, {
    types: ['token.created', 'token.created'],
  });
  expect(changed.body).toMatchObject({ types: ['token.created'], is_enabled: true });
  expect((await subscriber.ask('PATCH', subscriber.path, {})).body).toEqual(changed.body);
  await subscriber.cause('sent');
  expect((await subscriber.nth(1)).payload).toMatchObject({ data: { name: 'sent' } });
  expect(await subscriber.recorded(1)).toHaveLength(1);
});

test('a disabled notification receives nothing, and one is called no more after its deletion', async () => {
  const subscriber = await subscribe(whole, '/disabled', { is_enabled: false });
  await subscriber.cause('not sent');
  await subscriber.published();
  await subscriber.ask('PATCH', subscriber.path, { is_enabled: true });
  await subscriber.cause('sent');
  expect((await subscriber.nth(1)).payload).toMatchObject({ data: { name: 'sent' } });
  expect((await subscriber.ask('DELETE', subscriber.path)).body).toEqual({
    id: subscriber.notification.id,
    deleted: true,
  });
  expect((await subscriber.ask('DELETE', subscriber.path)).status).toBe(404);
  await subscriber.cause('not sent');
  await subscriber.published();
  expect(subscriber.received()).toHaveLength(1);
});

test('D17: during the overlap of a rotation, both secrets sign', async () => {
  const subscriber = await subscribe(whole, '/rotated');
  const former = subscriber.notification.webhook_secret;
  const { body } = await subscriber.ask('POST', `${subscriber.path}/rotate-secret`);
  await subscriber.cause();
  const webhook = await subscriber.nth(1);
  expect(signatureHolds(webhook, String(body.webhook_secret))).toBe(true);
  expect(signatureHolds(webhook, former)).toBe(true);
  expect((await subscriber.ask('GET', `${subscriber.path}/secret`)).body).toMatchObject({
    webhook_secret: body.webhook_secret,
    former_secrets_valid_until: expect.stringMatching(/Z$/) as string,
  });
});

test('a test sends a signed example of the first type, and records no delivery', async () => {
  const subscriber = await subscribe(whole, '/tested', { types: ['invoice.created'] });
  whole.pipeline.receiver.answer('/tested', () => ({ status: 202, body: 'thanks' }));
  const { status, body } = await subscriber.ask('POST', `${subscriber.path}/test`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ outcome: 'accepted', status_code: 202, excerpt: 'thanks' });
  const webhook = await subscriber.nth(1);
  expect(signatureHolds(webhook, subscriber.notification.webhook_secret)).toBe(true);
  expect(NotificationPayload.parse(webhook.payload)).toMatchObject({
    event_id: body.event_id,
    type: 'invoice.created',
    is_test: true,
  });
  expect(await subscriber.deliveries()).toEqual([]);
});

test('D11: live and test are separate, and so are accounts', async () => {
  const { path, accountId, cause, recorded, published } = await subscribe(whole, '/live');
  const other = await subscribe(whole, '/other');
  const { token } = await whole.api.issue({ accountId, environment: 'test' });
  for (const suffix of ['', '/secret', '/deliveries']) {
    expect((await other.ask('GET', `${path}${suffix}`)).status).toBe(404);
    expect((await whole.api.ask('GET', `${path}${suffix}`, { token })).status).toBe(404);
  }
  for (const suffix of ['/test', '/rotate-secret'])
    expect((await other.ask('POST', `${path}${suffix}`)).status).toBe(404);
  const body = { name: 'of the test environment' };
  await whole.api.ask('POST', '/v1/account/tokens', { token, body });
  await cause();
  await published();
  expect(await recorded(1)).toHaveLength(1);
  expect(other.received()).toEqual([]);
});
