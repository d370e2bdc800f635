/** Signing in to the dashboard: links, sessions, their permissions and their ends (D36). */
import { describe, expect, test } from 'vitest';

import { PERMISSIONS } from '../../../services/core/token/permission.ts';
import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import { createTokens } from '../../../services/adapters/mongo/token/tokens.ts';
import { createDashboardLinks } from '../../../services/adapters/mongo/session/dashboard-links.ts';
import { createDashboardLink } from '../../../services/platform/session/dashboard-link.ts';
import { openStream } from '../stream/event-source.ts';
import { startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { cookieIn, newCode, openDashboard, SAME_ORIGIN, statusOf } from './dashboard.ts';

const api = await useInFile(startTestApi());

const signIn = (body: object, headers: Record<string, string> = SAME_ORIGIN) =>
  api.ask('POST', '/v1/sessions', { token: null, body, headers });

/** Moves what is stored of this session into the past. */
const age = (id: string, ms: number) =>
  api.mongo.db.collection<{ _id: string }>('sessions').updateOne({ _id: id }, [
    {
      $set: Object.fromEntries(
        ['created_at', 'last_used_at', 'expires_at'].map((field) => [
          field,
          { $subtract: [`$${field}`, ms] },
        ]),
      ),
    },
  ]);

/** A link of another account. */
const codeOfAnother = async () => {
  const account = await api.newAccount();
  const { token } = await api.issue({ accountId: account.id });
  return { account, code: await newCode(api, token) };
};

const eventsOf = async (type: string) => {
  const { body } = await api.ask('GET', `/v1/usage/events?event_type=${type}`);
  return (body.data as { data: Record<string, unknown> }[]).map(({ data }) => data);
};

describe('a link', () => {
  test('has its code in the fragment of the URL, and lasts at most five minutes', async () => {
    const before = Date.now();
    const { status, body } = await api.ask('POST', '/v1/account/dashboard-links', { body: {} });
    expect(status).toBe(201);
    expect(body.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/#code=[\w-]{43}$/);
    const expiresMs = Date.parse(String(body.expires_at));
    expect(expiresMs - before).toBeGreaterThan(290_000);
    expect(expiresMs - Date.now()).toBeLessThanOrEqual(300_000);
    const longer = { expires_in_seconds: 301 };
    expect((await api.ask('POST', '/v1/account/dashboard-links', { body: longer })).status).toBe(
      422,
    );
  });

  test('works once', async () => {
    const code = await newCode(api);
    expect((await signIn({ code })).status).toBe(201);
    const again = await signIn({ code });
    expect([again.status, again.body.error]).toEqual([401, 'unauthorized']);
    expect(again.headers.get('set-cookie')).toBeNull();
  });

  test('works for one of twenty simultaneous requests', async () => {
    const code = await newCode(api);
    const all = await Promise.all(Array.from({ length: 20 }, () => signIn({ code })));
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  test('does not work after five minutes', async () => {
    const code = await newCode(api);
    await api.mongo.db
      .collection('dashboard_links')
      .updateMany({}, [{ $set: { expires_at: { $subtract: ['$expires_at', 300_001] } } }]);
    expect((await signIn({ code })).status).toBe(401);
  });

  test('does not work once its token is deleted', async () => {
    const { token, id } = await api.issue();
    const code = await newCode(api, token);
    await createTokens(api.mongo.db).remove({ account_id: api.account.id }, id);
    expect((await signIn({ code })).status).toBe(401);
  });

  test('cannot grant a permission that its token lacks (D10)', async () => {
    const { token } = await api.issue({ permissions: ['addresses:read'] });
    const { status } = await api.ask('POST', '/v1/account/dashboard-links', {
      token,
      body: { permissions: ['addresses:read', 'tokens:write'] },
    });
    expect(status).toBe(403);
  });

  test('of a test token cannot open live data (D11)', async () => {
    const { token } = await api.issue({ environment: 'test' });
    const ask = (environment: string) =>
      api.ask('POST', '/v1/account/dashboard-links', { token, body: { environment } });
    expect((await ask('live')).status).toBe(403);
    expect((await ask('test')).status).toBe(201);
  });

  test('of the platform operator needs no token and has all permissions', async () => {
    const link = createDashboardLink(createDashboardLinks(api.mongo.db));
    const { code } = await link({ accountId: api.account.id, environment: 'live' }, new Date());
    const { status, body } = await signIn({ code });
    expect([status, body.method, body.permissions]).toEqual([201, 'link', [...PERMISSIONS]]);
  });

  describe('in a browser that is signed in', () => {
    test('to another account is 409 and stays valid, until the user agrees to switch', async () => {
      const { cookie } = await openDashboard(api);
      const { account, code } = await codeOfAnother();
      const headers = { ...SAME_ORIGIN, cookie };
      for (const body of [{ code }, { code, switch_account: false }]) {
        const refused = await signIn(body, headers);
        expect([refused.status, refused.body]).toMatchObject([
          409,
          {
            message: 'You are signed in to the account Owner. This link opens the account Other',
            details: { field: 'switch_account', code: 'conflict' },
          },
        ]);
        expect(refused.headers.get('set-cookie')).toBeNull();
      }
      const switched = await signIn({ code, switch_account: true }, headers);
      expect([switched.status, switched.body.account_id]).toEqual([201, account.id]);
    });

    test('to the same account, or whose session has ended, opens the link', async () => {
      const { cookie, ask } = await openDashboard(api);
      const headers = { ...SAME_ORIGIN, cookie };
      expect((await signIn({ code: await newCode(api) }, headers)).status).toBe(201);
      await ask('DELETE', '/v1/sessions/current');
      const { code } = await codeOfAnother();
      expect((await signIn({ code }, headers)).status).toBe(201);
    });

    test('learns nothing about the account of a used link', async () => {
      const { cookie } = await openDashboard(api);
      const { code } = await codeOfAnother();
      expect((await signIn({ code })).status).toBe(201);
      expect((await signIn({ code }, { ...SAME_ORIGIN, cookie })).status).toBe(401);
    });
  });

  test('only its hash is stored', async () => {
    const code = await newCode(api);
    const stored = await api.mongo.db.collection('dashboard_links').find().toArray();
    expect(JSON.stringify(stored)).not.toContain(code);
    expect(stored.some((one) => (one.sha256 as { length(): number }).length() === 32)).toBe(true);
  });
});

describe('a session', () => {
  test('has an HttpOnly cookie, limited to its own site, and never returns its secret', async () => {
    const answer = await signIn({ token: api.token });
    const header = answer.headers.get('set-cookie') ?? '';
    expect(header).toMatch(
      /^inlet-session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    const secret = cookieIn(answer).split('=')[1] ?? '';
    expect(JSON.stringify(answer.body)).not.toContain(secret);
    const stored = await api.mongo.db.collection('sessions').find().toArray();
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect(answer.body).toMatchObject({
      account_id: api.account.id,
      environment: 'live',
      method: 'token',
      current: true,
      source_ip: '127.0.0.1',
    });
  });

  test('calls the API as its token would', async () => {
    const { ask, session } = await openDashboard(api);
    expect((await ask('GET', '/v1/account')).body.id).toBe(api.account.id);
    expect((await ask('GET', '/v1/sessions/current')).body).toMatchObject({
      session_id: session.session_id,
      current: true,
    });
  });

  test('has the permissions of its link: others are refused', async () => {
    const permissions = ['addresses:read', 'deliveries:read'];
    const { ask, session } = await openDashboard(api, { link: { permissions } });
    expect(session.permissions).toEqual(permissions);
    expect((await ask('GET', '/v1/addresses')).status).toBe(200);
    const refused = await ask('POST', '/v1/addresses', {
      body: { webhook_url: 'https://hooks.example.com/' },
    });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'The session does not have the permission addresses:write',
    ]);
    expect((await ask('POST', '/v1/account/dashboard-links', { body: {} })).status).toBe(201);
    const more = { permissions: ['addresses:write'] };
    expect((await ask('POST', '/v1/account/dashboard-links', { body: more })).status).toBe(403);
  });

  test('sees the environment of its token only (D11)', async () => {
    const { token } = await api.issue({ environment: 'test' });
    const { ask } = await openDashboard(api, { token });
    const { id } = await api.store();
    expect((await ask('GET', `/v1/addresses/${id}`)).status).toBe(404);
  });

  test('that another session opened ends when that one would have', async () => {
    const parent = await openDashboard(api);
    await age(parent.session.session_id, 3 * 86_400_000 - 3_600_000);
    await api.mongo.db
      .collection<{ _id: string }>('sessions')
      .updateOne({ _id: parent.session.session_id }, { $set: { last_used_at: new Date() } });
    const { body } = await parent.ask('POST', '/v1/account/dashboard-links', { body: {} });
    const code = new URL(String(body.url)).hash.replace('#code=', '');
    const child = await signIn({ code });
    const current = await parent.ask('GET', '/v1/sessions/current');
    expect(child.body.expires_at).toBe(current.body.expires_at);
  });
});

describe('a stolen cookie does nothing', () => {
  test.each([
    ['without Sec-Fetch-Site', 'GET', {}],
    ['from another site', 'GET', { 'sec-fetch-site': 'cross-site' }],
    ['from another host of the same site', 'GET', { 'sec-fetch-site': 'same-site' }],
    ['with the Origin of another page', 'GET', { ...SAME_ORIGIN, origin: 'https://evil.example' }],
    [
      'in a link from another page',
      'GET',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    ],
    ['in a change without the header', 'PATCH', { 'sec-fetch-site': 'same-origin' }],
    ['in a change from another site', 'PATCH', { ...SAME_ORIGIN, 'sec-fetch-site': 'cross-site' }],
    [
      'in a change that the user opens',
      'PATCH',
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'inlet-dashboard': '1' },
    ],
  ])('%s', async (_, method, headers) => {
    const { cookie } = await openDashboard(api);
    const body = method === 'PATCH' ? JSON.stringify({ name: 'changed' }) : '';
    const sent = { cookie, 'content-type': 'application/json', ...headers };
    expect(await statusOf(`${api.url}/v1/account`, { method, headers: sent, body })).toBe(403);
  });

  test('a download that the user opens in a new tab works', async () => {
    const { cookie } = await openDashboard(api);
    const headers = { cookie, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' };
    expect(await statusOf(`${api.url}/v1/account`, { headers })).toBe(200);
  });

  test('another site cannot create a session either', async () => {
    const other = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect((await signIn({ token: api.token }, other)).status).toBe(403);
  });

  test('a token next to the cookie is used alone', async () => {
    const { cookie } = await openDashboard(api);
    const { token } = await api.issue({ permissions: ['usage:read'] });
    const headers = { cookie, ...SAME_ORIGIN };
    expect((await api.ask('GET', '/v1/account', { token, headers })).status).toBe(403);
  });
});

const isOver = async ({ ask }: Awaited<ReturnType<typeof openDashboard>>) => {
  const { status, body } = await ask('GET', '/v1/sessions/current');
  return status === 401 && body.error === 'unauthorized';
};

describe('a session ends', () => {
  test('with its token', async () => {
    const { token, id } = await api.issue();
    const direct = await openDashboard(api, { body: { token } });
    const byLink = await openDashboard(api, { token });
    await api.ask('DELETE', `/v1/account/tokens/${id}`);
    expect([await isOver(direct), await isOver(byLink)]).toEqual([true, true]);
  });

  test('when the text of its token is replaced', async () => {
    const { token, id } = await api.issue();
    const dashboard = await openDashboard(api, { token });
    await createTokens(api.mongo.db).replace(id, 'live');
    expect(await isOver(dashboard)).toBe(true);
  });

  test('with its account: a suspension ends it for good', async () => {
    const { id } = await api.newAccount();
    const { token } = await api.issue({ accountId: id });
    const dashboard = await openDashboard(api, { token });
    const accounts = createAccounts(api.mongo.db);
    await accounts.suspend(id, new Date());
    expect(await isOver(dashboard)).toBe(true);
    await accounts.resume(id);
    expect(await isOver(dashboard)).toBe(true);
    expect((await signIn({ token })).status).toBe(201);
  });

  test('after 12 hours without use', async () => {
    const dashboard = await openDashboard(api);
    await age(dashboard.session.session_id, 12 * 3_600_000 - 60_000);
    expect((await dashboard.ask('GET', '/v1/account')).status).toBe(200);
    await age(dashboard.session.session_id, 12 * 3_600_000 + 1_000);
    expect(await isOver(dashboard)).toBe(true);
  });

  test('also while a forgotten page of the dashboard reloads', async () => {
    const { session, ask, cookie } = await openDashboard(api);
    const { session_id } = session;
    const lastUse = async () => {
      const sessions = api.mongo.db.collection<{ _id: string; last_used_at: Date }>('sessions');
      return (await sessions.findOne({ _id: session_id }))?.last_used_at;
    };
    await age(session_id, 3_600_000);
    const before = await lastUse();
    const unattended = { 'inlet-dashboard': 'unattended' };
    expect((await ask('GET', '/v1/account', { headers: unattended })).status).toBe(200);
    const headers = { cookie, ...SAME_ORIGIN, accept: 'text/event-stream' };
    await using stream = await openStream(api, { headers });
    await stream.nth('stream.ready');
    expect(await lastUse()).toEqual(before);
    await ask('GET', '/v1/account');
    expect(await lastUse()).not.toEqual(before);
  });

  test('after 7 days of use', async () => {
    const dashboard = await openDashboard(api);
    const { session_id } = dashboard.session;
    await age(session_id, 7 * 86_400_000);
    await api.mongo.db
      .collection<{ _id: string }>('sessions')
      .updateOne({ _id: session_id }, { $set: { last_used_at: new Date() } });
    expect(await isOver(dashboard)).toBe(true);
    // the sweep may have ended others since
    expect(await eventsOf('session.ended')).toContainEqual(
      expect.objectContaining({ ended_session_id: session_id, reason: 'expired' }),
    );
  });

  test('by signing out, which removes the cookie', async () => {
    const dashboard = await openDashboard(api);
    const out = await dashboard.ask('DELETE', '/v1/sessions/current');
    expect(out.body).toEqual({ id: dashboard.session.session_id, deleted: true });
    expect(out.headers.get('set-cookie')).toMatch(/^inlet-session=; Path=\/; Max-Age=0;/);
    expect(await isOver(dashboard)).toBe(true);
  });

  test('when another caller with tokens:write ends it; without it that is 403', async () => {
    const dashboard = await openDashboard(api);
    const path = `/v1/sessions/${dashboard.session.session_id}`;
    const { token } = await api.issue({ permissions: ['tokens:read'] });
    expect((await api.ask('DELETE', path, { token })).status).toBe(403);
    expect((await api.ask('DELETE', path)).status).toBe(200);
    expect(await isOver(dashboard)).toBe(true);
    expect((await api.ask('DELETE', path)).status).toBe(404);
  });

  test('with the session whose link opened it, and so do unused links', async () => {
    const maker = await openDashboard(api);
    const codeOf = async ({ ask }: typeof maker) => {
      const { body } = await ask('POST', '/v1/account/dashboard-links', { body: {} });
      return new URL(String(body.url)).hash.replace('#code=', '');
    };
    const child = await openDashboard(api, { body: { code: await codeOf(maker) } });
    const grandchild = await openDashboard(api, { body: { code: await codeOf(child) } });
    const unused = await codeOf(maker);
    expect([await isOver(child), await isOver(grandchild)]).toEqual([false, false]);
    await api.ask('DELETE', `/v1/sessions/${maker.session.session_id}`);
    expect([await isOver(child), await isOver(grandchild)]).toEqual([true, true]);
    expect((await signIn({ code: unused })).status).toBe(401);
    const ended = await eventsOf('session.ended');
    for (const { session } of [child, grandchild])
      expect(ended).toContainEqual(
        expect.objectContaining({ ended_session_id: session.session_id, reason: 'parent_ended' }),
      );
  });

  test('when its browser signs in again, unless the new session depends on it', async () => {
    const first = await openDashboard(api);
    const headers = { ...SAME_ORIGIN, cookie: first.cookie };
    const { body } = await first.ask('POST', '/v1/account/dashboard-links', { body: {} });
    const own = new URL(String(body.url)).hash.replace('#code=', '');
    expect((await signIn({ code: own }, headers)).status).toBe(201);
    expect(await isOver(first)).toBe(false);
    expect((await signIn({ token: api.token }, headers)).status).toBe(201);
    expect(await isOver(first)).toBe(true);
    expect(await eventsOf('session.ended')).toContainEqual(
      expect.objectContaining({ ended_session_id: first.session.session_id, reason: 'replaced' }),
    );
  });

  test('and loses permissions that its token loses', async () => {
    const { token, id } = await api.issue();
    const { ask } = await openDashboard(api, { token });
    await createTokens(api.mongo.db).update({
      id,
      name: 'less',
      permissions: ['usage:read'],
      limit: null,
      expires_at: null,
    });
    expect((await ask('GET', '/v1/account')).status).toBe(403);
    expect((await ask('GET', '/v1/usage')).status).toBe(200);
  });
});

test('the list shows all sessions with tokens:read, else the own one', async () => {
  const { id: accountId } = await api.newAccount();
  const { token } = await api.issue({ accountId });
  const owner = await openDashboard(api, { token });
  const reader = await openDashboard(api, { token, link: { permissions: ['usage:read'] } });
  const listed = async ({ ask }: typeof owner) =>
    (
      (await ask('GET', '/v1/sessions')).body.data as { session_id: string; current: boolean }[]
    ).map(({ session_id, current }) => [session_id, current]);
  expect(await listed(owner)).toEqual([
    [reader.session.session_id, false],
    [owner.session.session_id, true],
  ]);
  expect(await listed(reader)).toEqual([[reader.session.session_id, true]]);
});

test('the audit trail names begin, end and each change with its session (D15)', async () => {
  const { id: accountId } = await api.newAccount();
  const { token, id: token_id } = await api.issue({ accountId });
  const { ask, session } = await openDashboard(api, { token });
  await ask('PATCH', '/v1/account', { body: { name: 'By session' } });
  await ask('DELETE', '/v1/sessions/current');
  const { body } = await api.ask('GET', '/v1/usage/events', { token });
  const events = body.data as { type: string; data: Record<string, unknown> }[];
  const session_id = session.session_id;
  expect(events.map(({ type }) => type)).toEqual([
    'session.ended',
    'account.updated',
    'session.created',
  ]);
  expect(events[0]?.data).toMatchObject({
    ended_session_id: session_id,
    reason: 'signed_out',
    token_id,
  });
  expect(events[1]?.data).toMatchObject({ session_id, token_id });
  expect(events[2]?.data).toMatchObject({
    created_session_id: session_id,
    method: 'link',
    token_id,
  });
});

test('a token has at most 20 sessions: its own oldest ends, and no other', async () => {
  const { id: accountId } = await api.newAccount();
  const owner = await openDashboard(api, { token: (await api.issue({ accountId })).token });
  const { token } = await api.issue({ accountId, permissions: ['billing:read'] });
  const first = await openDashboard(api, { body: { token } });
  const second = await openDashboard(api, { body: { token } });
  for (let i = 0; i < 19; i++) expect((await signIn({ token })).status).toBe(201);
  const ended = [await isOver(first), await isOver(second), await isOver(owner)];
  expect(ended).toEqual([true, false, false]);
});
