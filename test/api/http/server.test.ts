/** The process around the API: health, metrics, slow clients, a port in use, a graceful stop. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { readConfig } from '../../../services/adapters/process/config.ts';
import { ApiConfig } from '../../../services/api/process/config.ts';
import { HOOK, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const api = await useInFile(startTestApi());

test('/healthz and /readyz need no token', async () => {
  expect(await api.ask('GET', '/healthz', { token: null })).toMatchObject({
    status: 200,
    body: { status: 'ok' },
  });
  expect(await api.ask('GET', '/readyz', { token: null })).toMatchObject({
    status: 200,
    body: { status: 'ready', away: [] },
  });
  expect((await api.ask('HEAD', '/readyz', { token: null })).status).toBe(200);
  expect((await api.ask('POST', '/healthz', { token: null })).status).toBe(404);
});

test('/metrics counts requests by route, method and status, with bounded labels', async () => {
  const { id } = await api.create();
  await api.ask('GET', `/v1/addresses/${id}`);
  await api.ask('GET', '/v1/addresses/addr_none');
  await api.ask('GET', '/v1/wp-login.php');
  await api.ask('PROPFIND', '/v1/addresses');
  const metrics = await (await fetch(`${api.metricsUrl}/metrics`)).text();
  for (const line of [
    'inlet_api_requests_total{route="/v1/addresses",method="POST",status="201",component="api"} 1',

    'inlet_api_requests_total{route="/v1/addresses/{address_id}",method="GET",status="200",component="api"} ' +
      '1',

    'inlet_api_requests_total{route="/v1/addresses/{address_id}",method="GET",status="404",component="api"} ' +
      '1',
    'inlet_api_requests_total{route="none",method="GET",status="404",component="api"} 1',
    'inlet_api_requests_total{route="none",method="other",status="405",component="api"} 1',
  ])
    expect(metrics).toContain(line);
  expect(metrics).toMatch(
    /inlet_api_request_duration_seconds_count\{[^\n]*route="\/v1\/addresses\/\{address_id\}"[^\n]*\} 2\n/,
  );
  expect(metrics).not.toContain(id);
  expect(metrics).not.toContain('wp-login');
});

test('a stop lets requests in flight finish and accepts no more', async () => {
  const stopping = await startTestApi();
  const text = JSON.stringify({ webhook_url: HOOK });
  const { promise, resolve } = Promise.withResolvers<string>();
  let heard = '';
  const socket = connect(stopping.port, '127.0.0.1');
  socket
    .setEncoding('utf8')
    .on('data', (part: string) => (heard += part))
    .on('close', () => resolve(heard));
  socket.write(
    `POST /v1/addresses HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stopping.token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`,
  );
  await sleep(200); // its headers are in
  const stopped = stopping[Symbol.asyncDispose]();
  await sleep(200);
  await expect(fetch(`${stopping.url}/healthz`)).rejects.toThrow('fetch failed');
  socket.write(text);
  expect(await promise).toMatch(/^HTTP\/1\.1 201 /);
  await stopped;
});

test('a port in use is reported in one sentence', async () => {
  await expect(startTestApi({ env: { API_PORT: String(api.port) } })).rejects.toThrow(
    `serve the API on 127.0.0.1:${api.port}`,
  );
});

const GIVEN = { SECRET_KEYS: Buffer.alloc(32).toString('base64'), INBOUND_DOMAIN: 'in.example' };

test('settings: two are required, and each fault is named', () => {
  expect(readConfig(ApiConfig, GIVEN)).toMatchObject({
    API_PORT: 8080,
    REQUIRE_HTTPS: false,
    TRUSTED_PROXIES: [],
    WEBHOOK_ALLOWED_NETWORKS: [],
    INBOUND_DOMAIN: 'in.example',
  });
  expect(
    readConfig(ApiConfig, { ...GIVEN, INBOUND_DOMAIN: 'Bücher.Example.' }).INBOUND_DOMAIN,
  ).toBe('xn--bcher-kva.example');
  expect(() => readConfig(ApiConfig, {})).toThrow(
    /SECRET_KEYS: must be set\n.*INBOUND_DOMAIN: must be set/s,
  );
  for (const [name, value] of [
    ['SECRET_KEYS', 'abc'],
    ['INBOUND_DOMAIN', 'not a domain'],
    ['MONGODB_URI', 'http://x'],
    ['REQUIRE_HTTPS', 'yes'],
    ['TRUSTED_PROXIES', '10.0.0.0/99'],
    ['WEBHOOK_ALLOWED_NETWORKS', 'localhost'],
    ['API_PORT', '70000'],
  ] as const) {
    expect(() => readConfig(ApiConfig, { ...GIVEN, [name]: value })).toThrow(name);
  }
  expect(() => readConfig(ApiConfig, { ...GIVEN, API_TLS_CERT_FILE: '/cert.pem' })).toThrow(
    'API_TLS_KEY_FILE: must be set',
  );
});
