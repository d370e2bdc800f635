/** The people of an account and their roles (D75), and who is named in the audit trail (D76). */
import { describe, expect, test } from 'vitest';

import { createDashboardLinks } from '../../../services/adapters/mongo/session/dashboard-links.ts';
import type { MemberView } from '../../../services/core/member/member.ts';
import { PERMISSIONS } from '../../../services/core/token/permission.ts';
import { type Role, ROLE_PERMISSIONS, ROLES } from '../../../services/core/member/role.ts';
import { createDashboardLink } from '../../../services/platform/session/dashboard-link.ts';
import { startTestApi, type TestApi } from '../../support/start-api.ts';
import { until } from '../../support/until.ts';
import { type Dashboard, openDashboard } from '../session/dashboard.ts';
import { atMost } from '../../support/slowdown.ts';
import { useInFile } from '../../support/use-in-file.ts';

const api = await useInFile(startTestApi());

type Asks = Pick<TestApi, 'ask'> | Pick<Dashboard, 'ask'>;
type Shown = Pick<MemberView, 'id' | 'name' | 'last_seen_at' | 'link_expires_at' | 'managed_by'> & {
  url?: string;
};

async function invite(role: Role, name: string = role, by: Asks = api) {
  const { status, body } = await by.ask('POST', '/v1/account/members', { body: { name, role } });
  if (status !== 201) throw new Error(`invite: ${JSON.stringify(body)}`);
  return { ...(body as Shown), code: codeIn(body.url) };
}

const codeIn = (url: unknown): string => new URL(String(url)).hash.replace('#code=', '');

/** A person who has followed their invitation. */
async function join(role: Role, name: string = role, by: Asks = api) {
  const { id, code } = await invite(role, name, by);
  return { id, ...(await openDashboard(api, { body: { code } })) };
}

const statusOf = async (by: Asks, method: string, path: string, body?: object) =>
  (await by.ask(method, `/v1${path}`, body && { body })).status;

const listed = async (by: Asks = api) =>
  (await by.ask('GET', '/v1/account/members')).body.data as Shown[];

const newToken = async (by: Asks, body: object = {}) =>
  by.ask('POST', '/v1/account/tokens', { body: { name: 'own', ...body } });

const eventsOf = async (type: string) => {
  const { body } = await api.ask('GET', `/v1/usage/events?event_type=${type}&limit=100`);
  return (body.data as { data: Record<string, unknown> }[]).map(({ data }) => data);
};

describe('L.2: an invitation', () => {
  test('is a link that works once, and begins a session with the role', async () => {
    const { code, url: _, ...invited } = await invite('developer', 'Ann Example');
    expect(invited).toMatchObject({
      name: 'Ann Example',
      role: 'developer',
      permissions: ROLE_PERMISSIONS.developer,
      last_seen_at: null,
      managed_by: null,
    });
    expect(Date.parse(String(invited.link_expires_at)) - Date.now()).toBeGreaterThan(600_000_000);
    const { session } = await openDashboard(api, { body: { code } });
    expect(session).toMatchObject({
      method: 'link',
      environment: 'live',
      permissions: ROLE_PERMISSIONS.developer,
      member: { id: invited.id, name: 'Ann Example', role: 'developer' },
    });
    await expect(openDashboard(api, { body: { code } })).rejects.toThrow('used already');
    const [ann] = (await listed()).filter(({ id }) => id === invited.id);
    expect(ann).toMatchObject({ link_expires_at: null });
    expect(Date.now() - Date.parse(String(ann?.last_seen_at))).toBeLessThan(atMost(60_000));
  });

  test('does not work after its time, and not after the person is removed', async () => {
    const late = await invite('viewer');
    const links = api.mongo.db.collection('dashboard_links');
    await links.updateOne({ member_id: late.id }, { $set: { expires_at: new Date(0) } });
    await expect(openDashboard(api, { body: { code: late.code } })).rejects.toThrow('expired');
    const removed = await invite('viewer');
    expect(await statusOf(api, 'DELETE', `/account/members/${removed.id}`)).toBe(200);
    await expect(openDashboard(api, { body: { code: removed.code } })).rejects.toThrow('expired');
  });

  test('has a code that is stored only as its hash', async () => {
    const { code, id } = await invite('viewer');
    const links = api.mongo.db.collection('dashboard_links');
    expect(JSON.stringify(await links.find({ member_id: id }).toArray())).not.toContain(code);
  });

  test('a new link signs the person in again, and replaces the former one', async () => {
    const { id, code } = await invite('viewer');
    const link = async () => {
      const { status, body } = await api.ask('POST', `/v1/account/members/${id}/links`, {
        body: { link_expires_in_seconds: 3_600 },
      });
      expect(status).toBe(201);
      return { code: codeIn(body.url), expiresMs: Date.parse(String(body.expires_at)) };
    };
    const first = await link();
    expect(first.expiresMs - Date.now()).toBeLessThanOrEqual(3_600_000);
    await expect(openDashboard(api, { body: { code } })).rejects.toThrow('used already');
    const { session } = await openDashboard(api, { body: { code: first.code } });
    expect(session.member).toMatchObject({ id });
    const again = await openDashboard(api, { body: { code: (await link()).code } });
    expect(again.session.member).toMatchObject({ id });
  });

  test('names a role, and is refused above 1,000 people and for test tokens', async () => {
    expect(await statusOf(api, 'POST', '/account/members', { name: 'x', role: 'boss' })).toBe(422);
    expect(await statusOf(api, 'POST', '/account/members', { name: '', role: 'admin' })).toBe(422);
    const { token } = await api.issue({ environment: 'test' });
    const body = { name: 'x', role: 'viewer' };
    expect((await api.ask('POST', '/v1/account/members', { token, body })).status).toBe(403);
    const { id: accountId } = await api.newAccount();
    const full = Array.from({ length: 1_000 }, (_, n) => ({
      _id: `member_${n}_${accountId}`,
      account_id: accountId,
    }));
    await api.mongo.db.collection<{ _id: string }>('members').insertMany(full);
    const { token: other } = await api.issue({ accountId });
    const refused = await api.ask('POST', '/v1/account/members', { token: other, body });
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'An account has at most 1000 members, and this one has as many: delete one first',
    ]);
  });

  test('needs a token that does not expire', async () => {
    const { token } = await api.issue({ expires_at: new Date(Date.now() + 3_600_000) });
    const body = { name: 'x', role: 'viewer' };
    expect((await api.ask('POST', '/v1/account/members', { token, body })).status).toBe(403);
    // the role would last longer than the token
    const invited = await api.ask('POST', '/v1/account/members', { body });
    const path = `/v1/account/members/${String(invited.body.id)}`;
    const promoted = await api.ask('PATCH', path, { token, body: { role: 'owner' } });
    expect(promoted.status).toBe(403);
    expect((await api.ask('PATCH', path, { token, body: { name: 'y' } })).status).toBe(200);
  });
});

describe('L.2: a role', () => {
  test.each(ROLES)('%s has its permissions, and no others', async (role) => {
    const { ask, session } = await join(role);
    expect(session.permissions).toEqual(ROLE_PERMISSIONS[role]);
    const allowed = (permission: (typeof PERMISSIONS)[number]) =>
      ROLE_PERMISSIONS[role].includes(permission);
    const answers = {
      'addresses:read': await statusOf({ ask }, 'GET', '/addresses'),
      'usage:read': await statusOf({ ask }, 'GET', '/usage'),
      'account:write': await statusOf({ ask }, 'PATCH', '/account', {}),
      'domains:write': await statusOf({ ask }, 'DELETE', '/domains/dom_1'),
      'tokens:read': await statusOf({ ask }, 'GET', '/account/members'),
      'tokens:write': await statusOf({ ask }, 'DELETE', '/account/members/member_1'),
    };
    for (const [permission, status] of Object.entries(answers))
      expect([permission, status !== 403]).toEqual([
        permission,
        allowed(permission as (typeof PERMISSIONS)[number]),
      ]);
  });

  test('nobody gives, changes or takes away more than they have', async () => {
    const admin = await join('admin');
    const owner = await join('owner', 'Another owner');
    const developer = await join('developer', 'promoted', admin);
    for (const role of ['owner', 'billing'] as const) {
      const body = { name: 'x', role };
      const refused = await admin.ask('POST', '/v1/account/members', { body });
      expect([refused.status, refused.body.message]).toEqual([
        403,
        `The role ${role} has permissions that you do not have: billing:read`,
      ]);
      const path = `/account/members/${developer.id}`;
      expect(await statusOf(admin, 'PATCH', path, { role })).toBe(403);
    }
    const path = `/account/members/${owner.id}`;
    expect(await statusOf(admin, 'PATCH', path, { role: 'viewer' })).toBe(403);
    expect(await statusOf(admin, 'DELETE', path)).toBe(403);
    expect(await statusOf(admin, 'POST', `${path}/links`, {})).toBe(403);
    expect(await statusOf(owner, 'GET', '/account')).toBe(200);
    const { token } = await api.issue({ permissions: ['tokens:write', 'addresses:read'] });
    const asToken = { ask: (m: string, p: string, a = {}) => api.ask(m, p, { token, ...a }) };
    const viewer = { name: 'x', role: 'viewer' };
    expect(await statusOf(asToken, 'POST', '/account/members', viewer)).toBe(403);
  });

  test('a change applies to open sessions immediately, and to tokens within a second', async () => {
    const ann = await join('viewer', 'Ann');
    const { token } = (await newToken(ann)).body;
    const asToken = (method: string, path: string, body?: object) =>
      api.ask(method, `/v1${path}`, { token: String(token), ...(body && { body }) });
    const address = { webhook_url: 'https://hooks.example.com/x' };
    expect((await asToken('GET', '/addresses')).status).toBe(200);
    const path = `/account/members/${ann.id}`;
    expect(await statusOf(api, 'PATCH', path, { role: 'developer' })).toBe(200);
    expect(await statusOf(ann, 'POST', '/addresses', address)).toBe(201);
    const wide = String((await newToken(ann, { name: 'wide' })).body.token);
    const create = async () =>
      (await api.ask('POST', '/v1/addresses', { token: wide, body: address })).status;
    expect(await create()).toBe(201);
    // the token of the viewer has what it was given, and no more
    expect((await asToken('POST', '/addresses', address)).status).toBe(403);

    expect(await statusOf(api, 'PATCH', path, { role: 'billing' })).toBe(200);
    expect(await statusOf(ann, 'GET', '/addresses')).toBe(403);
    expect(await statusOf(ann, 'GET', '/billing')).toBe(200);
    await until('the token to lose it', async () => (await create()) === 403 || undefined);
    expect((await asToken('GET', '/addresses')).status).toBe(403);
    const { body } = await api.ask('GET', '/v1/account/tokens');
    const tokens = body.data as { name: string; member_id: string; permissions: string[] }[];
    expect(tokens.find(({ name }) => name === 'wide')).toMatchObject({
      member_id: ann.id,
      permissions: ['usage:read', 'account:read'],
    });
  });

  test('a narrower link of a session stays narrow, and never exceeds the role', async () => {
    const ann = await join('developer');
    const body = { permissions: ['addresses:read', 'addresses:write'] };
    const made = await ann.ask('POST', '/v1/account/dashboard-links', { body });
    const { session, ...narrow } = await openDashboard(api, {
      body: { code: codeIn(made.body.url) },
    });
    expect(session).toMatchObject({ ...body, member: { id: ann.id } });
    const role = { role: 'viewer' };
    expect(await statusOf(api, 'PATCH', `/account/members/${ann.id}`, role)).toBe(200);
    const { permissions } = (await narrow.ask('GET', '/v1/sessions/current')).body;
    expect(permissions).toEqual(['addresses:read']);
  });
});

describe('L.2: tokens and sessions of a person', () => {
  test('a viewer creates, lists and revokes tokens of their own, and no others', async () => {
    const viewer = await join('viewer', 'Vic');
    const { id: foreign } = await api.issue();
    const made = await newToken(viewer);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      member_id: viewer.id,
      permissions: ROLE_PERMISSIONS.viewer,
    });
    expect((await newToken(viewer, { permissions: ['addresses:write'] })).status).toBe(403);
    const { body } = await viewer.ask('GET', '/v1/account/tokens');
    expect((body.data as Shown[]).map(({ id }) => id)).toEqual([made.body.id]);
    expect(await statusOf(viewer, 'DELETE', `/account/tokens/${foreign}`)).toBe(403);
    // a leaked token makes no further ones
    const more = { token: String(made.body.token), body: { name: 'more' } };
    expect((await api.ask('POST', '/v1/account/tokens', more)).status).toBe(403);
    const byToken = await openDashboard(api, { body: { token: made.body.token } });
    expect((await newToken(byToken)).status).toBe(403);
    expect(await statusOf(viewer, 'DELETE', `/account/tokens/${String(made.body.id)}`)).toBe(200);
  });

  test('a viewer lists and ends sessions of their own, and no others', async () => {
    const viewer = await join('viewer', 'Vic');
    const made = await viewer.ask('POST', `/v1/account/dashboard-links`, { body: {} });
    const second = await openDashboard(api, { body: { code: codeIn(made.body.url) } });
    const other = await join('viewer', 'Wim');
    const { body } = await viewer.ask('GET', '/v1/sessions');
    expect((body.data as { session_id: string }[]).map(({ session_id }) => session_id)).toEqual([
      second.session.session_id,
      viewer.session.session_id,
    ]);
    const end = ({ session }: Dashboard) =>
      statusOf(viewer, 'DELETE', `/sessions/${session.session_id}`);
    expect(await end(other)).toBe(403);
    expect(await end(second)).toBe(200);
  });

  test('a token of theirs, and its session, neither list nor end their other sessions', async () => {
    const viewer = await join('viewer', 'Vic');
    const token = String((await newToken(viewer, { permissions: ['usage:read'] })).body.token);
    const byToken = await openDashboard(api, { body: { token } });
    const asToken: Asks = { ask: (method, path) => api.ask(method, path, { token }) };
    const listedBy = async (by: Asks) =>
      ((await by.ask('GET', '/v1/sessions')).body.data as { session_id: string }[]).map(
        ({ session_id }) => session_id,
      );
    expect(await listedBy(asToken)).toEqual([]);
    expect(await listedBy(byToken)).toEqual([byToken.session.session_id]);
    for (const by of [asToken, byToken])
      expect(await statusOf(by, 'DELETE', `/sessions/${viewer.session.session_id}`)).toBe(403);
    expect(await statusOf(viewer, 'GET', '/account')).toBe(200);
  });

  test('removal ends sessions and tokens immediately', async () => {
    const ann = await join('admin', 'Ann');
    const { token, id: tokenId } = (await newToken(ann)).body;
    // a token that a token of hers has made is hers, too
    const next = await api.ask('POST', '/v1/account/tokens', {
      token: String(token),
      body: { name: 'next', permissions: ['usage:read'] },
    });
    expect(next.body.member_id).toBe(ann.id);
    const byToken = await openDashboard(api, { body: { token } });
    expect(byToken.session.member).toMatchObject({ id: ann.id });
    const made = await ann.ask('POST', '/v1/account/dashboard-links', { body: {} });

    expect(await statusOf(api, 'DELETE', `/account/members/${ann.id}`)).toBe(200);
    expect(await statusOf(ann, 'GET', '/account')).toBe(401);
    expect(await statusOf(byToken, 'GET', '/account')).toBe(401);
    for (const text of [token, next.body.token])
      expect((await api.ask('GET', '/v1/usage', { token: String(text) })).status).toBe(401);
    await expect(openDashboard(api, { body: { code: codeIn(made.body.url) } })).rejects.toThrow(
      'expired',
    );
    expect(await statusOf(api, 'DELETE', `/account/members/${ann.id}`)).toBe(404);
    const ends = await eventsOf('session.ended');
    expect(ends).toContainEqual(
      expect.objectContaining({
        ended_session_id: ann.session.session_id,
        reason: 'member_removed',
        actor: 'inlet',
      }),
    );
    expect(await eventsOf('token.deleted')).toContainEqual(
      expect.objectContaining({ deleted_token_id: tokenId, actor: 'token' }),
    );
  });

  test('a token that is written while its owner is removed does not work', async () => {
    const { token } = await api.issue({ member_id: 'member_gone' });
    expect((await api.ask('GET', '/v1/account', { token })).status).toBe(401);
  });
});

describe('L.2: the last owner', () => {
  const refused = 'This is the last owner of the account. Make another one owner first';

  test('cannot be removed or get another role, also by two requests at a time', async () => {
    const { id: accountId } = await api.newAccount();
    const { token } = await api.issue({ accountId });
    const by = { ask: (m: string, p: string, a = {}) => api.ask(m, p, { token, ...a }) };
    const ann = await join('owner', 'Ann', by);
    const alone = await by.ask('DELETE', `/v1/account/members/${ann.id}`);
    expect([alone.status, alone.body.message]).toEqual([409, refused]);
    expect(await statusOf(ann, 'PATCH', `/account/members/${ann.id}`, { role: 'admin' })).toBe(409);
    // one who has never signed in does not count
    await invite('owner', 'Bob, invited', by);
    expect(await statusOf(by, 'DELETE', `/account/members/${ann.id}`)).toBe(409);
    const eve = await join('owner', 'Eve', by);
    const statuses = await Promise.all(
      [ann, eve].map(({ id }) => statusOf(by, 'DELETE', `/account/members/${id}`)),
    );
    expect(new Set(statuses)).toEqual(new Set([200, 409]));
  });
});

describe('L.2: each event names who did it', () => {
  test('a member, a token, or the operator with a link', async () => {
    const ann = await join('admin', 'Ann Auditor');
    await ann.ask('PATCH', '/v1/account', { body: { name: 'By a member' } });
    const { token } = (await newToken(ann, { name: 'tool' })).body;
    await api.ask('PATCH', '/v1/account', { token: String(token), body: { name: 'By her tool' } });
    await api.ask('PATCH', '/v1/account', { body: { name: 'By a token' } });
    const link = createDashboardLink(createDashboardLinks(api.mongo.db));
    const { code } = await link({ accountId: api.account.id, environment: 'live' }, new Date());
    const operator = await openDashboard(api, { body: { code } });
    await operator.ask('PATCH', '/v1/account', { body: { name: 'By the operator' } });
    const named = (await eventsOf('account.updated')).slice(0, 4);
    expect(named).toMatchObject([
      { actor: 'operator', session_id: operator.session.session_id },
      { actor: 'token' },
      { actor: 'member', member_id: ann.id, user: 'Ann Auditor' },
      { actor: 'member', member_id: ann.id, user: 'Ann Auditor' },
    ]);
    expect(named[2]).toHaveProperty('token_id');
    expect(named[3]).toMatchObject({ session_id: ann.session.session_id });
    expect(named[1]).not.toHaveProperty('member_id');
  });

  test('invitation, role, new link and removal are events', async () => {
    const { id } = await join('viewer', 'Event');
    const path = `/account/members/${id}`;
    await statusOf(api, 'PATCH', path, { role: 'billing' });
    await statusOf(api, 'PATCH', path, { role: 'billing' }); // changes nothing
    await statusOf(api, 'POST', `${path}/links`, {});
    await statusOf(api, 'DELETE', path);
    for (const [type, data] of Object.entries({
      'member.created': { name: 'Event', role: 'viewer' },
      'member.updated': { role: 'billing' },
      'member.link_created': { name: 'Event' },
      'member.deleted': { name: 'Event', role: 'billing' },
    })) {
      const about = (await eventsOf(type)).filter(
        ({ target_member_id }) => target_member_id === id,
      );
      expect([type, about]).toMatchObject([type, [{ ...data, actor: 'token' }]]);
    }
    const text = JSON.stringify(await eventsOf('member.created'));
    expect(text).not.toContain('code');
  });
});

test('L.2: a managed person is 409', async () => {
  const { id } = await invite('viewer');
  const managed_by = { kind: 'Account', namespace: 'shop', name: 'shop', uid: 'u1' };
  const members = api.mongo.db.collection<{ _id: string }>('members');
  await members.updateOne({ _id: id }, { $set: { managed_by } });
  const refused = await api.ask('DELETE', `/v1/account/members/${id}`);
  expect(refused.status).toBe(409);
  expect(refused.body.message).toContain('Account shop/shop');
  const [shown] = (await listed()).filter((one) => one.id === id);
  expect(shown?.managed_by).toEqual({ kind: 'Account', namespace: 'shop', name: 'shop' });
});
