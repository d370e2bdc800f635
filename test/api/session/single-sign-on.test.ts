/** Signing in to the dashboard through a real OpenID provider (D36). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import {
  CLIENT,
  openPlainBrowser,
  type PlainBrowser,
  startOpenIdProvider,
} from '../../support/openid-provider.ts';
import { startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { SAME_ORIGIN, statusOf } from './dashboard.ts';

const provider = await useInFile(startOpenIdProvider());
const OIDC_RULES = JSON.stringify({ permissions_claim: 'roles', scopes: 'openid email' });
const env = { ...provider.env, OIDC_RULES };
const api = await useInFile(startTestApi({ env }));
provider.register(`${api.url}/v1/sessions/oidc/callback`);
provider.users.set('ann', {
  inletAccount: api.account.id,
  roles: ['deliveries:read', 'addresses:read', 'of-another-program'],
  email: 'ann@example.com',
  email_verified: true,
});
let browser: PlainBrowser;
beforeEach(() => {
  browser = openPlainBrowser();
});
afterEach(() => {
  provider.tamper(undefined);
  provider.signWithForeignKey(false);
});

const start = async (who = browser) =>
  (await who.open(`${api.url}/v1/sessions/oidc/start`)).location;

/** Signs in as this user. @returns the URL with the code, before the browser opens it */
const callbackOf = async (user: string, who = browser) => who.signInAt(await start(who), user);

/** The page where the sign-in ends, below the origin. */
const endOf = async (callback: string, who = browser) =>
  (await who.open(callback)).location.replace(api.url, '');

const signIn = async (user: string) => endOf(await callbackOf(user));

const session = () => browser.cookies.get('inlet-session');
const askAs = (secret: string | undefined, path: string, method: 'GET' | 'DELETE' = 'GET') =>
  api.ask(method, path, {
    token: null,
    headers: { cookie: `inlet-session=${secret}`, ...SAME_ORIGIN },
  });

const problem = (name: string) => `/dashboard/#problem=${name}`;

describe('a user of the provider', () => {
  test('is signed in to the account and with the permissions that the claims name', async () => {
    expect(await signIn('ann')).toBe('/dashboard/');
    const { status, body } = await askAs(session(), '/v1/sessions/current');
    expect([status, body]).toMatchObject([
      200,
      {
        account_id: api.account.id,
        environment: 'live',
        method: 'oidc',
        user: 'ann@example.com',
        permissions: ['addresses:read', 'deliveries:read'],
      },
    ]);
    expect((await askAs(session(), '/v1/addresses')).status).toBe(200);
    expect((await askAs(session(), '/v1/account/tokens')).status).toBe(403);
  });

  test('is in the audit trail by name, and in no other session', async () => {
    await signIn('ann');
    const { body } = await api.ask('GET', '/v1/usage/events?event_type=session.created');
    const [latest] = body.data as { data: Record<string, unknown> }[];
    expect(latest?.data).toMatchObject({ method: 'oidc', user: 'ann@example.com' });
    expect(latest?.data).not.toHaveProperty('token_id');
  });

  test('D15: is named in the events of what they change', async () => {
    await signIn('ann');
    expect((await askAs(session(), '/v1/sessions/current', 'DELETE')).status).toBe(200);
    const { body } = await api.ask('GET', '/v1/usage/events?event_type=session.ended&limit=1');
    expect(body.data).toMatchObject([{ data: { reason: 'signed_out', user: 'ann@example.com' } }]);
    await api.ask('PATCH', '/v1/account', { body: { name: 'By a token' } });
    const changed = await api.ask('GET', '/v1/usage/events?event_type=account.updated&limit=1');
    expect(JSON.stringify(changed.body)).not.toContain('"user"');
  });

  test('is named in a session that a link of theirs opens', async () => {
    await signIn('ann');
    const headers = { cookie: `inlet-session=${session()}`, ...SAME_ORIGIN };
    const made = { token: null, headers, body: {} };
    const { body } = await api.ask('POST', '/v1/account/dashboard-links', made);
    const code = new URL(String(body.url)).hash.replace('#code=', '');
    const opened = { token: null, headers: SAME_ORIGIN, body: { code } };
    expect((await api.ask('POST', '/v1/sessions', opened)).body).toMatchObject({
      method: 'link',
      user: 'ann@example.com',
    });
  });

  test('is named by the subject while the email address is not verified', async () => {
    provider.users.set('bob', { ...provider.users.get('ann'), email_verified: false });
    await signIn('bob');
    expect((await askAs(session(), '/v1/sessions/current')).body.user).toBe('bob');
  });

  test('uses PKCE, a state and a nonce, with a cookie for this browser alone', async () => {
    const response = await fetch(`${api.url}/v1/sessions/oidc/start`, { redirect: 'manual' });
    expect(response.headers.get('set-cookie')).toMatch(
      /^inlet-sign-in=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    const { origin, searchParams } = new URL(response.headers.get('location') ?? '');
    expect(origin).toBe(provider.issuer);
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: `${api.url}/v1/sessions/oidc/callback`,
      scope: 'openid email',
      code_challenge_method: 'S256',
      ...Object.fromEntries(
        ['state', 'nonce', 'code_challenge'].map((name) => [
          name,
          expect.stringMatching(/^[\w-]{43}$/) as string,
        ]),
      ),
    });
  });

  test('loses the session with a suspension, and cannot sign in during one', async () => {
    const account = await api.newAccount();
    provider.users.set('carl', { ...provider.users.get('ann'), inletAccount: account.id });
    expect(await signIn('carl')).toBe('/dashboard/');
    await createAccounts(api.mongo.db).suspend(account.id, new Date());
    expect((await askAs(session(), '/v1/sessions/current')).status).toBe(401);
    expect(await signIn('carl')).toBe(problem('account_suspended'));
  });

  test.each<[string, object, string]>([
    ['no claim', { inletAccount: undefined }, 'no_account'],
    ['an account that does not exist', { inletAccount: 'acc_none' }, 'no_account'],
    ['two accounts', { inletAccount: ['acc_1', 'acc_2'] }, 'several_accounts'],
    ['no permission', { roles: ['reader-of-news'] }, 'no_permission'],
  ])('with %s is not signed in, and reads why', async (_, claims, why) => {
    provider.users.set('dora', { ...provider.users.get('ann'), ...claims });
    expect(await signIn('dora')).toBe(problem(why));
    expect(session()).toBeUndefined();
  });
});

describe('an answer of the provider', () => {
  test('works once, even for someone who also has the cookie', async () => {
    const callback = await callbackOf('ann');
    const secret = browser.cookies.get('inlet-sign-in') ?? '';
    expect(await endOf(callback)).toBe('/dashboard/');
    expect(await endOf(callback)).toBe(problem('not_started_here'));
    browser.cookies.set('inlet-sign-in', secret);
    expect(await endOf(callback)).toBe(problem('not_confirmed'));
  });

  test('does not work in another browser, with or without a sign-in of its own', async () => {
    const callback = await callbackOf('ann');
    const other = openPlainBrowser();
    expect(await endOf(callback, other)).toBe(problem('not_started_here'));
    await start(other);
    expect(await endOf(callback, other)).toBe(problem('not_started_here'));
    expect(other.cookies.has('inlet-session')).toBe(false);
  });

  test('with a code of another sign-in is refused: the verifier does not fit (PKCE)', async () => {
    const victim = openPlainBrowser();
    const stolen = new URL(await callbackOf('ann', victim)).searchParams.get('code') ?? '';
    const own = new URL(await callbackOf('ann'));
    own.searchParams.set('code', stolen);
    expect(await endOf(own.href)).toBe(problem('not_confirmed'));
  });

  test('that reports an error leads back to the sign-in screen', async () => {
    const { searchParams } = new URL(await start());
    const callback = new URL(`${api.url}/v1/sessions/oidc/callback`);
    callback.search = String(
      new URLSearchParams({
        error: 'access_denied',
        state: searchParams.get('state') ?? '',
        iss: provider.issuer,
      }),
    );
    expect(await endOf(callback.href)).toBe(problem('provider_refused'));
  });

  test.each<[string, Record<string, unknown>]>([
    ['issuer', { iss: 'https://elsewhere.example' }],
    ['audience', { aud: 'another-client' }],
    ['nonce', { nonce: 'another' }],
    ['end: it has expired', { iat: 1_700_000_000, exp: 1_700_000_060 }],
  ])('with an ID token of another %s is refused', async (_, wrong) => {
    provider.tamper((claims) => ({ ...claims, ...wrong }));
    expect(await signIn('ann')).toBe(problem('not_confirmed'));
    expect(session()).toBeUndefined();
  });

  test('with an ID token that the provider did not sign is refused', async () => {
    provider.signWithForeignKey(true);
    expect(await signIn('ann')).toBe(problem('not_confirmed'));
  });
});

test('a sign-in is not started by a link, form or frame of another site', async () => {
  const url = `${api.url}/v1/sessions/oidc/start`;
  for (const site of ['cross-site', 'same-site'])
    expect(await statusOf(url, { headers: { 'sec-fetch-site': site } })).toBe(403);
  for (const site of ['same-origin', 'none'])
    expect(await statusOf(url, { headers: { 'sec-fetch-site': site } })).toBe(302);
});

test('plain HTTP works only on the loopback interface', async () => {
  const headers = { host: 'inlet.example.com' };
  expect(await statusOf(`${api.url}/v1/sessions/oidc/start`, { headers })).toBe(403);
});

describe('an installation', () => {
  test('without a provider says so, and has no sign-in through one', async () => {
    await using plain = await startTestApi({ mongoUri: api.mongoUri, natsServer: api.natsServer });
    const ask = (path: string) => plain.ask('GET', path, { token: null });
    expect((await ask('/v1/sessions/oidc')).body).toEqual({ enabled: false });
    for (const path of ['start', 'callback'])
      expect((await ask(`/v1/sessions/oidc/${path}`)).status).toBe(404);
    const offered = await api.ask('GET', '/v1/sessions/oidc', { token: null });
    expect(offered.body).toEqual({ enabled: true });
  });

  test('maps a verified claim to accounts, and gives every user its own permissions', async () => {
    await using own = await startOpenIdProvider();
    await using mapped = await startTestApi({
      mongoUri: api.mongoUri,
      natsServer: api.natsServer,
      env: {
        ...own.env,
        OIDC_RULES: JSON.stringify({
          account_claim: 'email',
          accounts: { 'eve@example.com': api.account.id, 'x@example.com': 'acc_x' },
          permissions: ['usage:read'],
        }),
      },
    });
    own.register(`${mapped.url}/v1/sessions/oidc/callback`);
    own.users.set('eve', { email: 'eve@example.com', email_verified: true });
    own.users.set('mallory', { email: 'eve@example.com', email_verified: false });
    own.users.set('zoe', { email: api.account.id, email_verified: true });
    const ends = async (user: string) => {
      const page = openPlainBrowser();
      const { location } = await page.open(`${mapped.url}/v1/sessions/oidc/start`);
      const end = await page.open(await page.signInAt(location, user));
      return [end.location.replace(mapped.url, ''), page.cookies.get('inlet-session')] as const;
    };
    const [end, secret] = await ends('eve');
    expect(end).toBe('/dashboard/');
    const current = await mapped.ask('GET', '/v1/sessions/current', {
      token: null,
      headers: { cookie: `inlet-session=${secret}`, ...SAME_ORIGIN },
    });
    expect(current.body).toMatchObject({
      account_id: api.account.id,
      permissions: ['usage:read'],
    });
    expect((await ends('mallory'))[0]).toBe(problem('email_not_verified'));
    expect((await ends('zoe'))[0]).toBe(problem('no_account'));
  });

  test('whose provider is down, or is none, says so', async () => {
    const broken = createServer((_, response) => response.writeHead(500).end('no'));
    await new Promise<void>((resolve) => void broken.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
    await using cut = await startTestApi({
      mongoUri: api.mongoUri,
      natsServer: api.natsServer,
      env: { ...provider.env, OIDC_ISSUER: issuer },
      constants: { authFailuresPerMinute: 2 },
    });
    const end = async () =>
      (await browser.open(`${cut.url}/v1/sessions/oidc/start`)).location.replace(cut.url, '');
    expect(await end()).toBe(problem('provider_unavailable'));
    broken.closeAllConnections();
    await new Promise((resolve) => void broken.close(resolve));
    for (let i = 0; i < 3; i++) expect(await end()).toBe(problem('provider_unavailable'));
  });

  test('counts failed sign-ins of a source, as it counts invalid tokens', async () => {
    await using strict = await startTestApi({
      mongoUri: api.mongoUri,
      natsServer: api.natsServer,
      env: provider.env,
      constants: { authFailuresPerMinute: 2 },
    });
    const end = async () =>
      (await browser.open(`${strict.url}/v1/sessions/oidc/callback?code=a&state=b`)).location;
    for (const why of ['not_started_here', 'not_started_here', 'too_many_attempts'])
      expect(await end()).toBe(`${strict.url}${problem(why)}`);
  });
});
