/** The account and its tokens (spec 2.6, 2.7, 4.4, 5.1; D3, D9, D10, D11, D12). */
import { createCredentialRevision } from '../../../services/adapters/mongo/token/credential-revision.ts';
import { describe, expect, test } from 'vitest';

import type { Log } from '../../../services/adapters/process/log.ts';
import { openDashboard } from '../session/dashboard.ts';
import { PERMISSIONS } from '../../../services/core/token/permission.ts';
import { atMost } from '../../support/slowdown.ts';
import { type Answer, HOOK, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const lines: string[] = [];
const noted = (event: string, fields?: object) =>
  void lines.push(JSON.stringify({ event, ...fields }));
const log: Log = { debug: noted, info: noted, warn: noted, error: noted, child: () => log };
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string;

const api = await useInFile(startTestApi({ log }));

const patch = (body: object) => api.ask('PATCH', '/v1/account', { body });
const listed = async (): Promise<Record<string, unknown>[]> =>
  (await api.ask('GET', '/v1/account/tokens')).body.data as Record<string, unknown>[];
const made = async (body: object, token = api.token): Promise<Answer> =>
  api.ask('POST', '/v1/account/tokens', { body, token });

describe('spec 2.6, 4.4: GET /account', () => {
  test('the account object, and nothing else', async () => {
    const { status, body } = await api.ask('GET', '/v1/account');
    expect([status, body]).toEqual([
      200,
      {
        id: api.account.id,
        email: 'owner@example.com',
        name: 'Owner',
        company: '',
        plan: 'free',
        created_at: TIMESTAMP,
        settings: {
          timezone: 'UTC',
          webhook_retry_attempts: 6,
          default_ttl_hours: 24,
          disable_failing_addresses: false,
          retention_hours: null,
          redact: [],
          refuse_infected: false,
          search_bodies: false,
          record_views: false,
          hook: null,
          rules: [],
        },
      },
    ]);
  });

  test('a test token sees the same account (D11)', async () => {
    const { token } = await api.issue({ environment: 'test' });
    expect((await api.ask('GET', '/v1/account', { token })).body.id).toBe(api.account.id);
  });

  test('a test token, and a session of one, changes nothing that is live (D11)', async () => {
    const { token, id: own } = await api.issue({ environment: 'test' });
    const live = await openDashboard(api);
    const inTest = await openDashboard(api, { token });
    const calls = [
      ['PATCH', '/v1/account', { settings: { retention_hours: 0 } }],
      ['DELETE', `/v1/account/tokens/${(await api.issue()).id}`, undefined],
      ['DELETE', `/v1/sessions/${live.session.session_id}`, undefined],
    ] as const;
    for (const [method, path, body] of calls) {
      const forbidden = { status: 403, body: { error: 'forbidden' } };
      expect(await api.ask(method, path, { token, body })).toMatchObject(forbidden);
      expect(await inTest.ask(method, path, { body })).toMatchObject(forbidden);
    }
    expect((await live.ask('GET', '/v1/account')).status).toBe(200);
    expect((await api.ask('GET', '/v1/sessions', { token })).body.data).toMatchObject([
      { session_id: inTest.session.session_id },
    ]);
    expect((await api.ask('DELETE', `/v1/account/tokens/${own}`, { token })).status).toBe(200);
  });
});

const changes = async () =>
  (await api.ask('GET', '/v1/usage/events?event_type=account.updated')).body.data as {
    data: object;
  }[];

describe('D12: PATCH /account', () => {
  test('changes the given fields only', async () => {
    const { status, body } = await patch({
      company: 'Acme',
      settings: { timezone: 'Europe/Berlin' },
    });
    expect([status, body]).toMatchObject([
      200,
      {
        name: 'Owner',
        company: 'Acme',
        settings: { timezone: 'Europe/Berlin', webhook_retry_attempts: 6 },
      },
    ]);
    await patch({
      name: 'Renamed',
      settings: {
        webhook_retry_attempts: 0,
        default_ttl_hours: 48,
        disable_failing_addresses: true,
      },
    });
    expect((await api.ask('GET', '/v1/account')).body).toMatchObject({
      name: 'Renamed',
      company: 'Acme',
      settings: {
        timezone: 'Europe/Berlin',
        webhook_retry_attempts: 0,
        default_ttl_hours: 48,
        disable_failing_addresses: true,
      },
    });
    expect(
      (await patch({ company: null, settings: { disable_failing_addresses: false } })).body,
    ).toMatchObject({ company: '' });
  });

  test('a change is an event with token and request; a change without effect is not', async () => {
    const before = (await changes()).length;
    await patch({
      name: 'Audited',
      settings: { webhook_retry_attempts: 3, default_ttl_hours: 48 },
    });
    await patch({ name: 'Audited' });
    const [event, ...older] = await changes();
    expect(older).toHaveLength(before);
    expect(event).toMatchObject({
      type: 'account.updated',
      address_id: '',
      data: {
        changed: { name: 'Audited', webhook_retry_attempts: 3 },
        token_id: expect.stringMatching(/^token_/),
        request_id: expect.any(String),
      },
    });
  });

  test('an empty change is 200 and changes nothing', async () => {
    const before = (await api.ask('GET', '/v1/account')).body;
    for (const body of [{}, { settings: {} }])
      expect(await patch(body)).toMatchObject({ status: 200, body: before });
  });

  test.each([
    [{ name: '' }, 'name', 'too_small'],
    [{ name: 'a'.repeat(101) }, 'name', 'too_long'],
    [{ name: 'a\tb' }, 'name', 'invalid_value'],
    [{ name: null }, 'name', 'invalid_type'],
    [{ company: 7 }, 'company', 'invalid_type'],
    [{ settings: { timezone: 'Mars/Base' } }, 'settings.timezone', 'invalid_value'],
    [{ settings: { timezone: '+01:00' } }, 'settings.timezone', 'invalid_value'],
    [{ settings: { timezone: '' } }, 'settings.timezone', 'invalid_value'],
    [{ settings: { webhook_retry_attempts: -1 } }, 'settings.webhook_retry_attempts', 'too_small'],
    [{ settings: { webhook_retry_attempts: 7 } }, 'settings.webhook_retry_attempts', 'too_big'],
    [
      { settings: { webhook_retry_attempts: 1.5 } },
      'settings.webhook_retry_attempts',
      'invalid_type',
    ],
    [{ settings: { default_ttl_hours: 0 } }, 'settings.default_ttl_hours', 'too_small'],
    [{ settings: { default_ttl_hours: 8761 } }, 'settings.default_ttl_hours', 'too_big'],
    [{ settings: { default_ttl: 1 } }, 'settings.default_ttl', 'unknown_field'],
    [{ settings: null }, 'settings', 'invalid_type'],
    [{ email: 'me@example.com' }, 'email', 'unknown_field'],
    [{ plan: 'business' }, 'plan', 'unknown_field'],
    [{ suspended_at: null }, 'suspended_at', 'unknown_field'],
  ])('D4: %j is 422', async (body, field, code) => {
    expect(await patch(body)).toMatchObject({
      status: 422,
      body: { error: 'validation_failed', details: { field, code } },
    });
  });

  test('D12: dispatchers use the changed number of retries; D6: new addresses use the changed lifetime', async () => {
    await patch({ settings: { webhook_retry_attempts: 2, default_ttl_hours: 1 } });
    const { id, expires_at } = await api.create({ is_permanent: false });
    expect(await api.target(id)).toMatchObject({ webhook_retry_attempts: 2 });
    expect(Date.parse(String(expires_at)) - Date.now()).toBeLessThanOrEqual(3_600_000);
  });
});

describe('spec 2.7, 4.4: API tokens', () => {
  test('spec 5.1.2: the full token is shown once, on creation', async () => {
    const { status, body } = await made({
      name: 'ci',
      permissions: ['addresses:read', 'addresses:read'],
    });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^token_/) as string,
        name: 'ci',
        token: expect.stringMatching(/^svc_live_[\w-]{43}$/) as string,
        prefix: expect.stringMatching(/^svc_live_[\w-]{6}$/) as string,
        environment: 'live',
        address_ids: null,
        member_id: null,
        labels: null,
        permissions: ['addresses:read'],
        created_at: TIMESTAMP,
        expires_at: null,
      },
    ]);
    const token = String(body.token);
    expect(token.startsWith(String(body.prefix))).toBe(true);
    const { token: _, ...rest } = body;
    expect((await listed())[0]).toEqual({ ...rest, last_used_at: null });
    expect(JSON.stringify(await listed())).not.toContain(token);
    expect((await api.ask('GET', '/v1/addresses', { token })).status).toBe(200);
    expect(
      (await api.ask('POST', '/v1/addresses', { token, body: { webhook_url: HOOK } })).status,
    ).toBe(403);
  });

  test('spec 2.8: the list shows only data, D30: newest first, and no other account', async () => {
    const { id: accountId } = await api.newAccount();
    const foreign = await api.issue({ accountId });
    const ids: unknown[] = [];
    for (const name of ['one', 'two']) ids.unshift((await made({ name })).body.id);
    const { body } = await api.ask('GET', '/v1/account/tokens');
    expect(Object.keys(body)).toEqual(['data']);
    const found = (await listed()).map(({ id }) => id);
    expect(found.slice(0, 2)).toEqual(ids);
    expect(found).not.toContain(foreign.id);
  });

  test('D10: by default a token has all permissions', async () => {
    expect((await made({ name: 'all' })).body.permissions).toEqual([...PERMISSIONS]);
  });

  test('D10: a token can grant only permissions that it has', async () => {
    const { token } = await api.issue({ permissions: ['tokens:write', 'addresses:read'] });
    expect(await made({ name: 'x', permissions: ['addresses:read'] }, token)).toMatchObject({
      status: 201,
    });
    for (const permissions of [['addresses:read', 'addresses:write'], undefined]) {
      expect(await made({ name: 'x', permissions }, token)).toMatchObject({
        status: 403,
        body: { error: 'forbidden', message: expect.stringContaining('addresses:write') as string },
      });
    }
  });

  test('D11: a test token can create only test tokens', async () => {
    const { token } = await api.issue({ environment: 'test' });
    expect(await made({ name: 'x', environment: 'live' }, token)).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    });
  });

  test.each([
    ['live', undefined, 'live'],
    ['test', undefined, 'test'],
    ['live', 'test', 'test'],
  ] as const)(
    'D11: a %s token that asks for %s makes one for %s',
    async (own, environment, expected) => {
      const { token } = await api.issue({ environment: own });
      const { body } = await made({ name: 'x', environment }, token);
      expect([body.environment, String(body.token).startsWith(`svc_${expected}_`)]).toEqual([
        expected,
        true,
      ]);
    },
  );

  test.each([
    [{}, 'name', 'required'],
    [{ name: '' }, 'name', 'too_small'],
    [{ name: 'a'.repeat(101) }, 'name', 'too_long'],
    [{ name: 'x', permissions: [] }, 'permissions', 'too_small'],
    [{ name: 'x', permissions: ['everything'] }, 'permissions.0', 'invalid_value'],
    [{ name: 'x', permissions: 'usage:read' }, 'permissions', 'invalid_type'],
    [{ name: 'x', environment: 'prod' }, 'environment', 'invalid_value'],
    [{ name: 'x', token: 'svc_live_mine' }, 'token', 'unknown_field'],
  ])('D4, D9: %j is 422', async (body, field, code) => {
    expect(await made(body)).toMatchObject({ status: 422, body: { details: { field, code } } });
  });

  test('D9: a name of 100 characters is allowed', async () => {
    for (const name of ['a', 'ü'.repeat(100)]) expect((await made({ name })).body.name).toBe(name);
  });

  test('D3: DELETE returns id and deleted, the token stops working immediately, and a repeat is 404', async () => {
    const { body } = await made({ name: 'short' });
    const path = `/v1/account/tokens/${String(body.id)}`;
    expect(await api.ask('DELETE', path)).toMatchObject({
      status: 200,
      body: { id: body.id, deleted: true },
    });
    expect((await api.ask('GET', '/v1/account', { token: String(body.token) })).status).toBe(401);
    expect(await api.ask('DELETE', path)).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    });
  });

  test('D11: a token can delete itself', async () => {
    const { id, token } = await api.issue();
    expect((await api.ask('DELETE', `/v1/account/tokens/${id}`, { token })).status).toBe(200);
    expect((await api.ask('GET', '/v1/account', { token })).status).toBe(401);
  });
});

const later = (ms: number) => `${new Date(Date.now() + ms).toISOString().slice(0, 19)}Z`;

describe('D67: expires_at', () => {
  test('an expired token is 401 and says so, also where it is cached; its sessions end', async () => {
    const expires_at = later(3_600_000);
    const { status, body } = await made({ name: 'short', expires_at });
    expect([status, body.expires_at]).toEqual([201, expires_at]);
    const [token, id] = [String(body.token), String(body.id)];
    expect((await listed()).find((one) => one.id === id)?.expires_at).toBe(expires_at);
    expect((await api.ask('GET', '/v1/account', { token })).status).toBe(200);
    const past = new Date(Date.now() - 1_000);
    await api.mongo.db
      .collection<{ _id: string }>('tokens')
      .updateOne({ _id: id }, { $set: { expires_at: past } });
    await createCredentialRevision(api.mongo.db).increment(); // the API reads the token again
    await expect
      .poll(() => api.ask('GET', '/v1/account', { token }), { timeout: atMost(3_000) })
      .toMatchObject({
        status: 401,
        body: { error: 'unauthorized', message: expect.stringMatching(/expired at .*Z/) as string },
      });
    expect((await api.ask('POST', '/v1/sessions', { body: { token } })).status).toBe(401);
  });

  test('it is in the future, and a token that expires creates none that lasts longer', async () => {
    expect((await made({ name: 'past', expires_at: later(-1_000) })).body.details).toEqual({
      field: 'expires_at',
      code: 'too_small',
    });
    const expires_at = later(3_600_000);
    const token = String((await made({ name: 'parent', expires_at })).body.token);
    const child = (body: object) => api.ask('POST', '/v1/account/tokens', { token, body });
    expect(await child({ name: 'default' })).toMatchObject({ status: 201, body: { expires_at } });
    for (const longer of [null, later(7_200_000)])
      expect((await child({ name: 'longer', expires_at: longer })).status).toBe(403);
  });
});

const lastUse = async (id: string) =>
  (await listed()).find((token) => token.id === id)?.last_used_at;
const storedUse = async (id: string) =>
  (
    await api.mongo.db
      .collection<{ _id: string; last_used_at: Date }>('tokens')
      .findOne({ _id: id })
  )?.last_used_at;

describe('spec 2.7: last_used_at', () => {
  test('is written on use, at most once a minute', async () => {
    const { id, token } = await api.issue();
    expect(await lastUse(id)).toBeNull();
    await api.ask('GET', '/v1/account', { token });
    await expect.poll(() => lastUse(id)).toEqual(TIMESTAMP);
    const first = await storedUse(id);
    await Promise.all(Array.from({ length: 10 }, () => api.ask('GET', '/v1/account', { token })));
    expect(await storedUse(id)).toEqual(first);
    const past = new Date(Date.now() - 61_000);
    await api.mongo.db
      .collection<{ _id: string }>('tokens')
      .updateOne({ _id: id }, { $set: { last_used_at: past } });
    await createCredentialRevision(api.mongo.db).increment(); // the API reads the token again
    await expect
      .poll(
        async () => {
          await api.ask('GET', '/v1/account', { token });
          return Number(await storedUse(id));
        },
        { timeout: atMost(3_000) },
      )
      .toBeGreaterThan(past.getTime() + 60_000);
  });

  test('a refused request counts as a use, too', async () => {
    const { id, token } = await api.issue({ permissions: ['usage:read'] });
    expect((await api.ask('GET', '/v1/account', { token })).status).toBe(403);
    await expect.poll(() => lastUse(id)).toEqual(TIMESTAMP);
  });
});

test('the log never contains a token beyond its prefix', async () => {
  lines.length = 0;
  const { body } = await made({ name: 'secret' });
  await api.ask('GET', '/v1/account', { token: String(body.token) });
  await api.ask('GET', '/v1/account', { token: `${String(body.token).slice(0, -1)}~` });
  await api.ask('GET', `/v1/account?token=${String(body.token)}`);
  expect(lines.length).toBeGreaterThan(3);
  const text = lines.join('\n');
  expect(text).not.toContain('svc_live_');
  expect(text).not.toContain(String(body.token).slice(String(body.prefix).length));
});
