/** Webhooks through the operator's proxy: which address it is asked for, and what tenants see (D50). */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createPlainServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type LookupFunction,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import type { AgentOptions } from '../../../services/adapters/http/agents.ts';
import { createWebhooks } from '../../../services/adapters/http/webhook.ts';
import {
  REFUSED_ADDRESSES,
  REFUSED_EMBEDDED,
  REFUSED_URLS,
} from '../../support/refused-addresses.ts';
import { startReceiver } from '../../support/receiver.ts';
import { testDir } from '../../support/servers.ts';
import { findTinyproxy, PROXY_PASSWORD, startTinyproxy } from '../../support/tinyproxy.ts';
import { useInFile } from '../../support/use-in-file.ts';

const tlsDir = (await useInFile(testDir())).path;
const receiver = await useInFile(startReceiver(tlsDir));
const ca = await readFile(receiver.caFile, 'utf8');

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const BODY = Buffer.from('{"event_id":"evt_1"}');

const resolving =
  (...addresses: string[]): LookupFunction =>
  (_name, _options, callback) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    callback(null, found, 0);
  };

const unresolvable: LookupFunction = (name, _, callback) =>
  callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), '');

const webhooks = (proxyUrl: string, options: Partial<AgentOptions> = {}) =>
  createWebhooks({
    timeoutMs: 20_000,
    allowedNetworks: LOOPBACK,
    extraCa: [ca],
    lookup: resolving('127.0.0.1'),
    proxyUrl,
    ...options,
  });

async function listening(server: TcpServer) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('D50: a real proxy is asked for the checked address; TLS inside has the name; connections are reused', async ({
  skip,
}) => {
  await using proxy = await startTinyproxy((await findTinyproxy()) ?? skip());
  await using caller = webhooks(proxy.url);
  const large = Buffer.from(`{"text":"${'x'.repeat(2_000_000)}"}`);
  const inPieces = [large.subarray(0, 1_000_000), large.subarray(1_000_000)];
  for (const body of [BODY, inPieces, BODY, BODY]) {
    const { outcome } = await caller.post(receiver.url('/tunnel'), {}, body);
    expect(outcome).toEqual({ kind: 'accepted', status: 200 });
  }
  expect(receiver.received('/tunnel').map(({ raw }) => raw.byteLength)).toEqual([
    BODY.byteLength,
    large.byteLength,
    BODY.byteLength,
    BODY.byteLength,
  ]);
  const targets = await proxy.targets();
  expect([targets.length < 4, new Set(targets)]).toEqual([
    true,
    new Set([`127.0.0.1:${receiver.port}`]),
  ]);
});

test('what a tenant sees of a proxy that refuses names neither its address nor the password', async ({
  skip,
}) => {
  await using proxy = await startTinyproxy((await findTinyproxy()) ?? skip());
  await using caller = webhooks(proxy.url.replace(PROXY_PASSWORD, 'wrong-password'));
  const { detail, ...seen } = await caller.post(receiver.url('/refused'), {}, BODY);
  expect(seen).toEqual({
    outcome: { kind: 'unreachable', reason: 'connection' },
    durationMs: expect.any(Number) as number,
    excerpt: null,
    error: 'the egress proxy of Inlet did not connect to the receiver (status 401)',
    unusualPort: receiver.port,
  });
  expect(detail).toMatch(new RegExp(`^127\\.0\\.0\\.1:${proxy.port} responded with 401`));
  expect(detail).not.toContain('password');
});

test('nor of one that is down, does not resolve, or never responds', async () => {
  await using silent = await listening(createTcpServer());
  const { port: free } = await (async () => {
    await using closed = await listening(createTcpServer());
    return { port: closed.port };
  })();
  for (const place of [`127.0.0.1:${free}`, 'proxy.invalid', `127.0.0.1:${silent.port}`]) {
    await using caller = webhooks(`http://u:secret@${place}`, { timeoutMs: 300 });
    const { outcome, error, detail } = await caller.post(receiver.url('/down'), {}, BODY);
    expect(outcome.kind).toBe('unreachable');
    expect(error).toMatch(
      /^the egress proxy of Inlet cannot be reached$|^no response within 0.3 s$/,
    );
    expect(detail ?? '').not.toContain('secret');
  }
});

test('faults of the receiver are reported as without a proxy', async ({ skip }) => {
  await using proxy = await startTinyproxy((await findTinyproxy()) ?? skip());
  await using caller = webhooks(proxy.url, { extraCa: [] });
  const { outcome, error } = await caller.post(receiver.url('/untrusted'), {}, BODY);
  expect(outcome).toEqual({ kind: 'unreachable', reason: 'tls' });
  expect(error).toContain('WEBHOOK_CA_FILE');
  await using lost = webhooks(proxy.url, { lookup: unresolvable });
  expect((await lost.post('https://nowhere.example/', {}, BODY)).outcome).toEqual({
    kind: 'unreachable',
    reason: 'dns',
  });
});

test('spec 5.2.7: no spelling of an address that is refused reaches the proxy', async () => {
  await using proxy = await listening(createTcpServer((socket) => void socket.end()));
  const addresses = [
    ...REFUSED_ADDRESSES.map(([address]) => address),
    ...REFUSED_EMBEDDED.map(([, address]) => address),
  ];
  let found: LookupFunction = resolving();
  const url = `http://127.0.0.1:${proxy.port}`;
  await using caller = webhooks(url, {
    allowedNetworks: [],
    lookup: (...requested) => found(...requested),
  });
  const refused: string[] = [];
  const requested: string[] = [];
  const ask = async (target: string, meant = target) => {
    requested.push(meant);
    const { outcome } = await caller.post(target, {}, BODY);
    if (outcome.kind === 'blocked') refused.push(meant);
    else if (outcome.kind === 'unreachable' && outcome.reason === 'dns') refused.push(meant);
  };
  for (const address of addresses) {
    const literal = `https://${address.includes(':') ? `[${address}]` : address}/`;
    if (URL.canParse(literal)) await ask(literal);
    for (found of [resolving(address), resolving('93.184.216.34', address)])
      await ask('https://receiver.example/', address);
  }
  found = resolving('10.0.0.1');
  for (const target of REFUSED_URLS) await ask(target);
  expect(refused).toEqual(requested);
  expect(proxy.sockets.size).toBe(0);
  found = resolving('93.184.216.34');
  await caller.post('https://receiver.example/', {}, BODY);
  expect(proxy.sockets.size).toBe(1); // the count works
});

/**
 * Opens tunnels to 127.0.0.1 only, and notes what it is asked for.
 * @param dead the beginning of addresses that never answer
 */
function tunnelTo(server: Server, requested: string[], dead = 'none'): Server {
  return server.on('connect', ({ url = '' }, socket: Socket) => {
    requested.push(url);
    if (url.startsWith(dead)) {
      socket.resume().on('error', () => undefined);
      return;
    }
    if (!url.startsWith('127.0.0.1:')) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    const onward = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    socket.on('error', () => undefined).on('close', () => onward.destroy());
    onward.on('error', () => undefined).on('close', () => socket.destroy());
  });
}

test('a proxy that cannot use IPv6 is asked for the next address; one with TLS is verified', async () => {
  const { port } = receiver;
  const files = await Promise.all(
    ['cert', 'key'].map((name) => readFile(join(tlsDir, 'tls', `${name}.pem`))),
  );
  const lookup = resolving('::1', '127.0.0.1');
  for (const scheme of ['http', 'https'] as const) {
    const requested: string[] = [];
    const [cert, key] = files;
    const server = scheme === 'http' ? createPlainServer() : createTlsServer({ cert, key });
    await using proxy = await listening(tunnelTo(server, requested));
    const url = `${scheme}://localhost:${proxy.port}`;
    await using caller = webhooks(url, { lookup });
    expect((await caller.post(receiver.url('/next'), {}, BODY)).outcome.kind).toBe('accepted');
    expect(requested).toEqual([`[::1]:${port}`, `127.0.0.1:${port}`]);
    await using distrustful = webhooks(url, { lookup, extraCa: [] });
    await distrustful.post(receiver.url('/next'), {}, BODY);
    expect(requested).toHaveLength(scheme === 'http' ? 4 : 2);
  }
});

test('a proxy that gets no answer from an address is asked for the next one (D292)', async () => {
  const requested: string[] = [];
  const server = tunnelTo(createPlainServer(), requested, '127.0.0.2:');
  await using proxy = await listening(server);
  const lookup = resolving('127.0.0.2', '127.0.0.1');
  await using caller = webhooks(`http://localhost:${proxy.port}`, { lookup });
  expect((await caller.post(receiver.url('/dead'), {}, BODY)).outcome.kind).toBe('accepted');
  expect(requested).toEqual([`127.0.0.2:${receiver.port}`, `127.0.0.1:${receiver.port}`]);
});
