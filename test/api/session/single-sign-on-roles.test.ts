/** L.2: members who are let in by the claims of an OpenID provider (D75). */
import { beforeEach, describe, expect, test } from 'vitest';

import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import { createMembers } from '../../../services/adapters/mongo/member/members.ts';
import { ROLE_PERMISSIONS } from '../../../services/core/member/role.ts';
import {
  openPlainBrowser,
  type PlainBrowser,
  startOpenIdProvider,
} from '../../support/openid-provider.ts';
import { startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { SAME_ORIGIN } from './dashboard.ts';

const provider = await useInFile(startOpenIdProvider());
const OIDC_RULES = JSON.stringify({ roles: { platform: 'admin', everyone: 'viewer' } });
const api = await useInFile(startTestApi({ env: { ...provider.env, OIDC_RULES } }));
provider.register(`${api.url}/v1/sessions/oidc/callback`);
let browser: PlainBrowser;
beforeEach(() => {
  browser = openPlainBrowser();
});

/** The page where the sign-in ends, below the origin. */
async function signIn(user: string, claims: object): Promise<string> {
  provider.users.set(user, { inletAccount: api.account.id, ...claims });
  const { location } = await browser.open(`${api.url}/v1/sessions/oidc/start`);
  const callback = await browser.signInAt(location, user);
  return (await browser.open(callback)).location.replace(api.url, '');
}

const ask = (method: string, path: string, body?: object) =>
  api.ask(method, `/v1${path}`, {
    token: null,
    headers: { cookie: `inlet-session=${browser.cookies.get('inlet-session')}`, ...SAME_ORIGIN },
    ...(body && { body }),
  });
const current = async () => (await ask('GET', '/sessions/current')).body;

const people = async () =>
  (await api.ask('GET', '/v1/account/members')).body.data as Record<string, unknown>[];
const person = async (subject: string) => (await people()).find((one) => one.subject === subject);

const verified = (email: string) => ({ email, email_verified: true });

describe('L.2: groups', () => {
  test('give a role, and make the user a member with the name of the provider', async () => {
    const claims = { groups: ['everyone', 'platform'], ...verified('ann@example.com') };
    expect(await signIn('ann', claims)).toBe('/dashboard/');
    expect(await current()).toMatchObject({
      method: 'oidc',
      user: 'ann@example.com',
      permissions: ROLE_PERMISSIONS.admin,
      member: { name: 'ann@example.com', role: 'admin' },
    });
    expect(await person('ann')).toMatchObject({
      name: 'ann@example.com',
      role: 'admin',
      group: 'platform',
      link_expires_at: null,
    });
    const created = await api.ask('GET', '/v1/usage/events?event_type=member.created&limit=1');
    expect(created.body.data).toMatchObject([
      { data: { actor: 'inlet', subject: 'ann', group: 'platform', role: 'admin' } },
    ]);
  });

  test('count anew at each sign-in, also for other sessions and tokens of the user', async () => {
    await signIn('bob', { groups: ['platform'] });
    const { body } = await ask('POST', '/account/tokens', { name: 'of bob' });
    const asToken = async () =>
      (await api.ask('GET', '/v1/account/members', { token: String(body.token) })).status;
    expect(await asToken()).toBe(200);
    const { id } = (await person('bob')) ?? {};
    await signIn('bob', { groups: ['everyone'] });
    expect(await person('bob')).toMatchObject({ id, role: 'viewer', group: 'everyone' });
    expect(await asToken()).toBe(403);
  });

  test('are needed: without one the user is refused, and what they had ends', async () => {
    expect(await signIn('eve', { groups: ['strangers'] })).toBe(
      '/dashboard/#problem=no_permission',
    );
    expect(await signIn('eve', {})).toBe('/dashboard/#problem=no_permission');
    await signIn('carl', { groups: ['everyone'] });
    const { body } = await ask('POST', '/account/tokens', { name: 'of carl' });
    const left = { groups: ['strangers'] };
    const before = browser;
    browser = openPlainBrowser();
    expect(await signIn('carl', left)).toBe('/dashboard/#problem=no_permission');
    browser = before;
    expect((await ask('GET', '/account')).status).toBe(401);
    expect((await api.ask('GET', '/v1/usage', { token: String(body.token) })).status).toBe(401);
    expect(await person('carl')).toBeUndefined();
  });

  test('decide the role, so it cannot be changed here; a removed person can sign in again', async () => {
    await signIn('dora', { groups: ['everyone'] });
    const { id } = (await person('dora')) ?? {};
    const path = `/v1/account/members/${String(id)}`;
    const refused = await api.ask('PATCH', path, { body: { role: 'owner' } });
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'The role of this person comes from the group everyone at the OpenID provider. Change it there',
    ]);
    expect((await api.ask('POST', `${path}/links`, { body: {} })).status).toBe(409);
    expect((await api.ask('DELETE', path)).status).toBe(200);
    expect((await ask('GET', '/account')).status).toBe(401);
    expect(await signIn('dora', { groups: ['everyone'] })).toBe('/dashboard/');
  });

  test('of the account count, too, and the first role wins', async () => {
    const member_groups = [{ group: 'everyone', role: 'owner' as const }];
    await createAccounts(api.mongo.db).update(api.account.id, { member_groups });
    await signIn('fred', { groups: ['everyone', 'platform'] });
    expect(await person('fred')).toMatchObject({ role: 'owner', group: 'everyone' });
    await createAccounts(api.mongo.db).update(api.account.id, { member_groups: [] });
  });

  test('two sign-ins of a new user at the same time make one member', async () => {
    const members = createMembers(api.mongo.db);
    const account_id = api.account.id;
    const made = await Promise.all(
      [1, 2].map(() =>
        members.insert({ account_id, name: 'x', role: 'viewer', subject: 'twin' }, new Date()),
      ),
    );
    expect(made.filter((one) => one === 'taken')).toHaveLength(1);
  });
});

describe('L.2: people of an Account resource', () => {
  const owner = { kind: 'Account', namespace: 'shop', name: 'shop', uid: 'u1' };
  const put = (subject: string, role: 'owner' | 'viewer') =>
    createMembers(api.mongo.db).putManaged(api.account.id, { subject, role }, owner, new Date());

  test('sign in by the subject or by a verified email address, whatever their groups', async () => {
    await put('gina@example.com', 'owner');
    expect(await signIn('gina', { groups: ['everyone'], ...verified('gina@example.com') })).toBe(
      '/dashboard/',
    );
    expect(await current()).toMatchObject({
      member: { role: 'owner' },
      permissions: ROLE_PERMISSIONS.owner,
    });
    await put('hugo', 'viewer');
    browser = openPlainBrowser();
    await signIn('hugo', {});
    expect(await current()).toMatchObject({ member: { name: 'hugo', role: 'viewer' } });
  });

  test('are not those whose email address is not verified', async () => {
    await put('ina@example.com', 'owner');
    const claims = { email: 'ina@example.com', email_verified: false };
    expect(await signIn('mallory', claims)).toBe('/dashboard/#problem=no_permission');
  });
});
