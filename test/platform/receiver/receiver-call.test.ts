/** Bearer tokens for receivers, of a real authorization server (oidc-provider) over HTTPS (D52). */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { createWebhooks, type Webhooks } from '../../../services/adapters/http/webhook.ts';
import type { OAuthClient } from '../../../services/core/receiver/oauth-client.ts';
import { createReceiverCalls } from '../../../services/platform/receiver/receiver-call.ts';
import { ensureTls } from '../../../services/standalone/keys.ts';
import { REFUSED_ADDRESSES, REFUSED_EMBEDDED } from '../../support/refused-addresses.ts';
import { testDir } from '../../support/servers.ts';

const SECRET = 'p@ss word+100%/ü'.replace('ü', ':'); // RFC 6749 appendix A: printable ASCII

const parts = new AsyncDisposableStack();
let origin: string;
let ca: string;
let webhooks: Webhooks;
let tokenRequests = 0;
let answer: ((request: IncomingMessage) => number) | undefined;
const authorizations: (string | undefined)[] = [];

beforeAll(async () => {
  const tls = await ensureTls(parts.use(await testDir()).path);
  ca = await readFile(tls.caFile, 'utf8');
  const server = createServer(
    { cert: await readFile(tls.certFile), key: await readFile(tls.keyFile) },
    (request, response) => {
      if (request.url === '/hook') {
        authorizations.push(request.headers.authorization);
        request.resume().on('end', () => response.writeHead(answer?.(request) ?? 200).end());
        return;
      }
      tokenRequests++;
      if (request.url === '/html') response.end('<p>access_token</p>');
      else void handle(request, response);
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(origin, {
    clients: (['basic', 'post'] as const).map((method) => ({
      client_id: `inlet:${method}`,
      client_secret: SECRET,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: `client_secret_${method}`,
    })),
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    scopes: ['inbound:write'],
    cookies: { keys: ['of this test'] },
    ttl: { ClientCredentials: 600 },
  });
  const handle = provider.callback();
  parts.defer(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  webhooks = parts.use(
    createWebhooks({
      timeoutMs: 20_000,
      allowedNetworks: ['127.0.0.0/8', '::1/128'],
      extraCa: [ca],
    }),
  );
});
afterAll(() => parts.disposeAsync());
beforeEach(() => {
  tokenRequests = 0;
  answer = undefined;
  authorizations.length = 0;
});

const client = (fields: Partial<OAuthClient> = {}): OAuthClient => ({
  token_url: `${origin}/token`,
  client_id: 'inlet:basic',
  client_secret: SECRET,
  scope: 'inbound:write',
  ...fields,
});

/** Calls with a clock that the test moves. */
function caller(oauth2: OAuthClient) {
  let nowMs = 0;
  const call = createReceiverCalls(webhooks, () => nowMs);
  return {
    wait: (seconds: number) => void (nowMs += seconds * 1000),
    call: (id = 'rcv_1') =>
      call({ id, auth: { oauth2, headers: { 'X-Key': 'k' } } }, ({ headers, connection }) =>
        webhooks.post(`${origin}/hook`, headers, Buffer.from('{}'), { connection }),
      ),
  };
}

test('twenty webhooks at the same time need one token; another receiver has its own', async () => {
  const { call } = caller(client());
  const results = await Promise.all(Array.from({ length: 20 }, () => call()));
  expect(new Set(results.map(({ outcome }) => outcome.kind))).toEqual(new Set(['accepted']));
  const [token] = authorizations;
  expect(token).toMatch(/^Bearer \S{20,}$/);
  expect([new Set(authorizations).size, tokenRequests]).toEqual([1, 1]);
  await call('rcv_2');
  expect([new Set(authorizations).size, tokenRequests]).toEqual([2, 2]);
});

test('the client authenticates with HTTP Basic or in the body', async () => {
  const { call } = caller(client({ client_id: 'inlet:post', client_auth: 'post' }));
  expect(await call()).toMatchObject({ outcome: { kind: 'accepted' }, error: null });
});

test('a token is replaced before it expires', async () => {
  const { call, wait } = caller(client());
  await call();
  wait(530);
  await call();
  expect(tokenRequests).toBe(1);
  wait(20);
  await call();
  expect([tokenRequests, new Set(authorizations).size]).toEqual([2, 2]);
});

test('after a 401 for an old token, the same webhook is sent with a new one, once', async () => {
  const { call, wait } = caller(client());
  await call();
  wait(1);
  const [old] = authorizations;
  answer = ({ headers }) => (headers.authorization === old ? 401 : 200);
  expect(await call()).toMatchObject({ outcome: { kind: 'accepted' } });
  expect([tokenRequests, authorizations.length]).toEqual([2, 3]);
  answer = () => 401;
  wait(1);
  expect(await call()).toMatchObject({ outcome: { kind: 'refused', status: 401 } });
  expect([tokenRequests, authorizations.length]).toEqual([3, 5]);
  await caller(client()).call(); // its first token is new
  expect([tokenRequests, authorizations.length]).toEqual([4, 6]);
});

test('without a token the receiver is not called, and the next attempt asks again', async () => {
  const wrong = caller(client({ client_secret: 'wrong' }));
  for (let attempt = 1; attempt <= 2; attempt++) {
    expect(await wrong.call()).toMatchObject({
      outcome: { kind: 'unreachable', reason: 'token' },
      excerpt: null,
      error: 'token URL: it responded with 401 (invalid_client)',
    });
    expect(tokenRequests).toBe(attempt);
  }
  expect(await caller(client({ token_url: `${origin}/html` })).call()).toMatchObject({
    outcome: { kind: 'unreachable', reason: 'token' },
    excerpt: null,
    error: 'token URL: it responded with 200, but without a bearer token',
  });
  const closed = caller(client({ token_url: 'https://localhost:1/' }));
  expect(await closed.call()).toMatchObject({
    outcome: { kind: 'unreachable', reason: 'connection' },
    error: expect.stringMatching(/^token URL: connect ECONNREFUSED/) as string,
  });
  expect(authorizations).toEqual([]);
});

test('a token URL reaches no address that a webhook may not reach', async () => {
  const spellings = [
    ...REFUSED_ADDRESSES.map(([address]) => address),
    ...REFUSED_EMBEDDED.map(([, address]) => address),
  ].filter((address) => !address.includes('%')); // no URL can have a zone
  for (const address of spellings) {
    const name = 'internal.example.com';
    await using guarded = createWebhooks({
      timeoutMs: 20_000,
      allowedNetworks: [],
      lookup: (_name, _options, callback) =>
        callback(null, [{ address, family: address.includes(':') ? 6 : 4 }], 0),
    });
    const call = createReceiverCalls(guarded, () => 0);
    const literal = address.includes(':') ? `[${address}]` : address;
    for (const host of [literal, name]) {
      const oauth2 = client({ token_url: `https://${host}/token` });
      const { outcome, error } = await call({ id: 'rcv_1', auth: { oauth2 } }, () => {
        throw new Error('the receiver was called');
      });
      expect([address, outcome.kind, error]).toEqual([
        address,
        host === name ? 'unreachable' : 'blocked',
        expect.stringMatching(/^token URL: .* (does not resolve to a public address|is .*)$/),
      ]);
    }
  }
});
