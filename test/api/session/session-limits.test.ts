/** Rate budgets of sessions, cookies over TLS, and failed sign-ins. */
import { expect, test } from 'vitest';

import { type Answer, startTestApi } from '../../support/start-api.ts';
import { cookieIn, newCode, openDashboard, SAME_ORIGIN, statusOf } from './dashboard.ts';

test('the sessions of a token have one rate budget, apart from that of the token', async () => {
  await using api = await startTestApi({
    env: { RATE_LIMIT_PER_MINUTE: '6' },
    constants: { sessionLimits: { perHour: 1_000, perMinute: 8 } },
  });
  const { ask } = await openDashboard(api, { body: { token: api.token } });
  const bySession = [];
  for (let i = 0; i < 9; i++) bySession.push((await ask('GET', '/v1/account')).status);
  expect(bySession).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 429]);
  const byToken = [];
  for (let i = 0; i < 6; i++) byToken.push((await api.ask('GET', '/v1/account')).status);
  expect(byToken).toEqual([200, 200, 200, 200, 200, 429]);
});

test('to open a session with a token is a request of the token', async () => {
  await using api = await startTestApi({
    env: { RATE_LIMIT_PER_MINUTE: '3' },
    constants: { sessionLimits: { perHour: 1_000, perMinute: 4 } },
  });
  const body = { token: api.token };
  const opened: Answer[] = [];
  for (let i = 0; i < 4; i++)
    opened.push(await api.ask('POST', '/v1/sessions', { token: null, body, headers: SAME_ORIGIN }));
  expect(opened.map(({ status }) => status)).toEqual([201, 201, 201, 429]);
  const calls = [];
  for (const answer of [...opened.slice(0, 3), ...opened.slice(0, 2)]) {
    const headers = { cookie: cookieIn(answer), ...SAME_ORIGIN };
    calls.push((await api.ask('GET', '/v1/account', { token: null, headers })).status);
  }
  expect(calls).toEqual([200, 200, 200, 200, 429]);
});

test('a source that guesses codes is refused after some failures', async () => {
  await using api = await startTestApi({ constants: { authFailuresPerMinute: 5 } });
  const code = await newCode(api);
  const guess = (text: string) =>
    api.ask('POST', '/v1/sessions', { token: null, body: { code: text }, headers: SAME_ORIGIN });
  const statuses = [];
  for (let i = 0; i < 6; i++) statuses.push((await guess('x'.repeat(43))).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  expect((await guess(code)).status).toBe(429);
});

test('behind a proxy with TLS the cookie is Secure and its name has the prefix __Host-', async () => {
  await using api = await startTestApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const headers = {
    ...SAME_ORIGIN,
    'x-forwarded-proto': 'https',
    origin: `https://127.0.0.1:${api.port}`,
  };
  const opened = await api.ask('POST', '/v1/sessions', {
    token: null,
    body: { token: api.token },
    headers,
  });
  const cookie = opened.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^__Host-inlet-session=[\w-]{43}; Path=\/; .*; Secure$/);
  const value = cookie.split(/[=;]/)[1];
  const statusWith = async (name: string) =>
    (
      await api.ask('GET', '/v1/account', {
        token: null,
        headers: { ...headers, cookie: `${name}=${value}` },
      })
    ).status;
  expect(await statusWith('__Host-inlet-session')).toBe(200);
  expect(await statusWith('inlet-session')).toBe(401); // another host of the domain may have set it
  const { body } = await api.ask('POST', '/v1/account/dashboard-links', { body: {}, headers });
  expect(body.url).toMatch(/^https:/);
});

test('plain HTTP from elsewhere than the loopback interface signs nobody in', async () => {
  await using api = await startTestApi();
  const headers = {
    host: 'inlet.example.com',
    'content-type': 'application/json',
    ...SAME_ORIGIN,
  };
  const body = JSON.stringify({ token: api.token });
  expect(await statusOf(`${api.url}/v1/sessions`, { method: 'POST', headers, body })).toBe(403);
});
