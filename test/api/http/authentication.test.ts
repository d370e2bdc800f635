/** Authentication and permissions (spec 5.1, 7; D10, D11, D26). */
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';

import { PERMISSIONS } from '../../../services/core/token/permission.ts';
import { until } from '../../support/until.ts';
import { HOOK, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const api = await useInFile(startTestApi());

const CALLS = [
  ['POST', '/v1/addresses', 'addresses:write'],
  ['GET', '/v1/addresses', 'addresses:read'],
  ['GET', '/v1/addresses/addr_x', 'addresses:read'],
  ['PATCH', '/v1/addresses/addr_x', 'addresses:write'],
  ['DELETE', '/v1/addresses/addr_x', 'addresses:write'],
  ['GET', '/v1/addresses/addr_x/secret', 'secrets:read'],
  ['POST', '/v1/addresses/addr_x/rotate-secret', 'addresses:write'],
  ['POST', '/v1/addresses/addr_x/reply-addresses', 'addresses:write'],
  ['GET', '/v1/addresses/addr_x/reply-key', 'secrets:read'],
  ['POST', '/v1/addresses/addr_x/rotate-reply-key', 'addresses:write'],
  ['POST', '/v1/addresses/addr_x/test', 'addresses:write'],
  ['GET', '/v1/deliveries', 'deliveries:read'],
  ['GET', '/v1/deliveries/due', 'deliveries:read'],
  ['GET', '/v1/deliveries/evt_x', 'deliveries:read'],
  ['GET', '/v1/deliveries/evt_x/payload', 'deliveries:read'],
  ['GET', '/v1/deliveries/evt_x/email', 'deliveries:read'],
  ['GET', '/v1/deliveries/evt_x/html', 'deliveries:read'],
  ['POST', '/v1/deliveries/evt_x/replay', 'deliveries:decide'],
  ['POST', '/v1/deliveries/evt_x/release', 'deliveries:decide'],
  ['POST', '/v1/deliveries/replay', 'deliveries:decide'],
  ['POST', '/v1/addresses/addr_x/receivers/addr_x/ack', 'deliveries:consume'],
  ['DELETE', '/v1/deliveries/evt_x/content', 'deliveries:erase'],
  ['GET', '/v1/account', 'account:read'],
  ['PATCH', '/v1/account', 'account:write'],
  ['GET', '/v1/account/tokens', 'tokens:read'],
  ['POST', '/v1/account/tokens', 'tokens:write'],
  ['DELETE', '/v1/account/tokens/token_x', 'tokens:write'],
  ['POST', '/v1/account/notifications', 'account:write'],
  ['GET', '/v1/account/notifications', 'account:read'],
  ['GET', '/v1/account/notifications/ntf_x', 'account:read'],
  ['PATCH', '/v1/account/notifications/ntf_x', 'account:write'],
  ['DELETE', '/v1/account/notifications/ntf_x', 'account:write'],
  ['GET', '/v1/account/notifications/ntf_x/secret', 'secrets:read'],
  ['POST', '/v1/account/notifications/ntf_x/rotate-secret', 'account:write'],
  ['POST', '/v1/account/notifications/ntf_x/test', 'account:write'],
  ['GET', '/v1/account/notifications/ntf_x/deliveries', 'deliveries:read'],
  ['GET', '/v1/account/notifications/ntf_x/deliveries/nevt_x', 'deliveries:read'],
] as const;

describe.each(CALLS)('%s %s', (method, path, permission) => {
  test('spec 5.1.7: without a token it is 401 unauthorized', async () => {
    const { status, body, headers } = await api.ask(method, path, { token: null });
    expect([status, body]).toEqual([
      401,
      { error: 'unauthorized', message: expect.any(String) as string },
    ]);
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  test('D10: with every permission except the required one it is 403 forbidden', async () => {
    const { token } = await api.issue({
      // deliveries:write is all of its parts
      permissions: PERMISSIONS.filter((name) => ![permission, 'deliveries:write'].includes(name)),
    });
    const { status, body } = await api.ask(method, path, { token });
    expect([status, body]).toEqual([
      403,
      { error: 'forbidden', message: expect.stringContaining(permission) as string },
    ]);
  });

  test('D10: the required permission alone is enough', async () => {
    const { token } = await api.issue({ permissions: [permission] });
    expect([200, 404, 422]).toContain((await api.ask(method, path, { token })).status);
  });
});

describe('spec 5.1.1: Authorization: Bearer <API_TOKEN>', () => {
  test.each([
    ['Bearer ', 401],
    ['Bearer', 401],
    ['{token}', 401],
    ['Basic {token}', 401],
    ['Bearer {token}x', 401],
    ['Bearer {token} {token}', 401],
    ['Bearer "{token}"', 401],
    ['Bearer svc_live_unknown', 401],
    ['Bearer {token}', 200],
    ['bearer {token}', 200],
    ['BEARER   {token} ', 200],
  ])('%j is %i', async (header, status) => {
    expect(
      (
        await api.ask('GET', '/v1/addresses', {
          token: null,
          headers: { authorization: header.replaceAll('{token}', api.token) },
        })
      ).status,
    ).toBe(status);
  });

  test('a token in the query is ignored', async () => {
    expect(
      (await api.ask('GET', `/v1/addresses?access_token=${api.token}`, { token: null })).status,
    ).toBe(401);
  });

  test('authentication precedes validation of the body', async () => {
    expect((await api.ask('POST', '/v1/addresses', { token: null, text: '{' })).status).toBe(401);
    const { token } = await api.issue({ permissions: ['addresses:read'] });
    expect((await api.ask('POST', '/v1/addresses', { token, text: '{' })).status).toBe(403);
  });
});

describe('spec 5.1.5, D26: only HTTPS', () => {
  test('with REQUIRE_HTTPS, plain HTTP is 403 https_required, except for health probes', async () => {
    await using strict = await startTestApi({ env: { REQUIRE_HTTPS: 'true' } });
    // no proxy is trusted
    const claims: Record<string, string>[] = [{}, { 'x-forwarded-proto': 'https' }];
    for (const headers of claims) {
      expect(await strict.ask('GET', '/v1/addresses', { headers })).toMatchObject({
        status: 403,
        body: { error: 'https_required' },
      });
    }
    for (const path of ['/healthz', '/readyz'])
      expect((await strict.ask('GET', path, { token: null })).status).toBe(200);
  });

  test.each([
    ['https', 200],
    ['HTTPS', 200],
    ['https, http', 200],
    ['http', 403],
    ['http, https', 403],
    ['', 403],
    ['httpsx', 403],
  ])('X-Forwarded-Proto: %j from a trusted proxy is %i', async (proto, status) => {
    await using strict = await startTestApi({
      env: { REQUIRE_HTTPS: 'true', TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.0/8' },
    });
    expect(
      (await strict.ask('GET', '/v1/addresses', { headers: { 'x-forwarded-proto': proto } }))
        .status,
    ).toBe(status);
  });

  test('the API serves TLS itself with a certificate, and reloads a renewed one', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'inlet-api-'));
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }]);
    const files = {
      API_TLS_CERT_FILE: join(dir, 'cert.pem'),
      API_TLS_KEY_FILE: join(dir, 'key.pem'),
    };
    await Promise.all([
      writeFile(files.API_TLS_CERT_FILE, cert),
      writeFile(files.API_TLS_KEY_FILE, key),
    ]);
    await using secure = await startTestApi({
      env: { ...files, REQUIRE_HTTPS: 'true' },
      constants: { certificateCheckMs: 20 },
    });
    const statusFor = (ca: string) =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${secure.token}` };
        request(
          `${secure.url}/v1/addresses`,
          { ca, headers, agent: false, checkServerIdentity: () => undefined },
          (response) => resolve(response.resume().statusCode),
        )
          .on('error', reject)
          .end();
      });
    expect(await statusFor(cert)).toBe(200);

    const renewed = await generate([{ name: 'commonName', value: 'localhost' }]);
    await Promise.all([
      writeFile(files.API_TLS_CERT_FILE, renewed.cert),
      writeFile(files.API_TLS_KEY_FILE, renewed.private),
    ]);
    await until(
      'the renewed certificate',
      async () => (await statusFor(renewed.cert).catch(() => undefined)) === 200,
    );
    await expect(statusFor(cert)).rejects.toThrow(/self-signed|certificate/);
    const ends = new X509Certificate(renewed.cert).validToDate.getTime() / 1000;
    expect(await (await fetch(`${secure.metricsUrl}/metrics`)).text()).toMatch(
      new RegExp(
        `^inlet_tls_certificate_expiry_timestamp_seconds\\{component="api"\\} ${ends}$`,
        'm',
      ),
    );
    await rm(dir, { recursive: true });
  });
});

test('D11: a new address belongs to the environment of the token that created it', async () => {
  for (const environment of ['live', 'test'] as const) {
    const { token } = await api.issue({ environment });
    const { body } = await api.ask('POST', '/v1/addresses', { token, body: { webhook_url: HOOK } });
    expect(await api.byRecipient(String(body.address))).toMatchObject({
      account_id: api.account.id,
      environment,
    });
  }
});
