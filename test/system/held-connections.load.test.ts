/**
 * Clients that hold connections: every listener ends all of them in time, and serves others
 * meanwhile. Receivers that hold connections are in the last test.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { GatewayConstants } from '../../services/gateway/process/constants.ts';
import { createWebhooks } from '../../services/adapters/http/webhook.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { createRegistry, serveObservability } from '../../services/adapters/process/observe.ts';
import { serveHttp, type HttpLimits } from '../../services/api/http/server.ts';
import type { ApiState } from '../../services/api/http/state/state.ts';
import { readTlsPair, type TlsPair } from '../../services/adapters/tls/tls-files.ts';
import { ensureTls, type Tls } from '../../services/standalone/keys.ts';
import { heldSockets, holdConnections, type Holding } from '../support/held-connections.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { proxyV1 } from '../support/proxy-protocol.ts';
import { testDir } from '../support/servers.ts';
import { dialogue } from '../support/smtp-play.ts';
import { until } from '../support/until.ts';

const CLIENTS = 200;
const HOST = '127.0.0.1';
const LIMITS: HttpLimits = {
  headersMs: 500,
  requestMs: 1_000,
  checkMs: 100,
  lingerMs: 300,
  maxConnections: 4_096,
};
/** The first bytes of a TLS record of 512 bytes with a handshake. */
const HALF_HELLO = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03';

const parts = new AsyncDisposableStack();
let tls: Tls;
let pair: TlsPair;
let gateway: Pipeline;
let proxied: Pipeline;

const startGateway = (env: Record<string, string>, constants: Partial<GatewayConstants> = {}) =>
  startPipeline({
    withDispatcher: false,
    constants: { idleMs: 1_000, dataMs: 1_000, ...constants },
    env: {
      SOURCE_MAX_CONNECTIONS: '10000',
      SOURCE_CONNECTIONS_PER_MINUTE: '1000000',
      MAX_CONNECTIONS: '3000',
      ...env,
    },
  });

beforeAll(async () => {
  tls = await ensureTls(parts.use(await testDir()).path);
  pair = await readTlsPair(tls);
  gateway = parts.use(
    await startGateway({
      TLS_CERT_FILE: tls.certFile,
      TLS_KEY_FILE: tls.keyFile,
      LMTP_PORT: '0',
      LMTP_NETWORKS: '127.0.0.1/32',
    }),
  );
  proxied = parts.use(
    await startGateway({ PROXY_PROTOCOL_NETWORKS: '127.0.0.0/8' }, { proxyHeaderMs: 500 }),
  );
});
afterAll(() => parts.disposeAsync());

type Listener = AsyncDisposable & { port: number; serves: () => Promise<unknown> };

async function serveApi(isTls: boolean, limits: Partial<HttpLimits> = {}): Promise<Listener> {
  const app = new Koa<ApiState>();
  app.silent = true;
  app.use(async (ctx) => {
    await buffer(ctx.req);
    ctx.body = 'ok';
  });
  const options = { host: HOST, port: 0, tls: isTls ? pair : undefined };
  const server = await serveHttp(app, { ...options, limits: { ...LIMITS, ...limits } });
  return {
    port: server.port,
    serves: () => (isTls ? tlsGet(server.port) : httpGet(server.port)),
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
}

async function serveMetrics(): Promise<Listener> {
  const options = { host: HOST, port: 0, registry: createRegistry('test'), isReady: () => true };
  const limits = { ...LIMITS, requestMs: 500 };
  const server = await serveObservability({ ...options, limits }, createLog('silent'));
  return { ...server, serves: () => httpGet(server.port) };
}

const httpGet = async (port: number): Promise<void> => {
  const response = await fetch(`http://${HOST}:${port}/healthz`, {
    headers: { connection: 'close' },
  });
  expect(response.status).toBe(200);
  await response.text();
};
async function tlsGet(port: number): Promise<void> {
  const socket = connectTls({ port, host: HOST, rejectUnauthorized: false });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const heard = (await buffer(socket)).toString();
  expect(heard).toMatch(/^HTTP\/1\.1 200 /);
}
const mailServer = (port: number, first?: Buffer): Listener => ({
  port,
  serves: async () => {
    await using smtp = await dialogue(port, undefined, first);
    expect(smtp.greeting).toMatch(/^220 /);
  },
  [Symbol.asyncDispose]: () => Promise.resolve(),
});
const proxyHeader = () =>
  proxyV1({ source: '203.0.113.7', sourcePort: 1, destination: '192.0.2.25', destinationPort: 25 });

const HEADERS = 'POST /v1/intake HTTP/1.1\r\nHost: x\r\n';
const LISTENERS: Record<string, [start: () => Promise<Listener>, begin: string[]]> = {
  'the API, within headers': [() => serveApi(false), [HEADERS]],
  'the API, within a body': [() => serveApi(false), [`${HEADERS}Content-Length: 9\r\n\r\nx`]],
  'the API, malformed': [() => serveApi(false), ['nonsense\r\n\r\n']],
  'the API with TLS, within the handshake': [() => serveApi(true), [HALF_HELLO]],
  'the API with TLS, plain text': [() => serveApi(true), [HEADERS]],
  'metrics and probes': [serveMetrics, ['GET /metrics HTTP/1.1\r\nHost: x\r\n']],
  'SMTP, within a command': [async () => mailServer(gateway.smtpPort), ['', 'EHLO a']],
  'SMTP, within the TLS handshake': [
    async () => mailServer(gateway.smtpPort),
    ['', 'EHLO a\r\n', 'STARTTLS\r\n', HALF_HELLO],
  ],
  'SMTP, after QUIT': [async () => mailServer(gateway.smtpPort), ['', 'QUIT\r\n']],
  LMTP: [async () => mailServer(gateway.lmtpPort), ['', 'LHLO a\r\n']],
  'SMTP, within a PROXY header': [
    async () => mailServer(proxied.smtpPort, proxyHeader()),
    ['PROXY TCP4 203'],
  ],
};
const HOLDINGS: Holding[] = ['silent', 'half-open', 'half-closed'];

describe.skipIf(!existsSync('/proc/net/tcp'))('connections that clients hold', () => {
  test.each(Object.entries(LISTENERS))('%s: all end, and others are served', async (_, row) => {
    const [start, begin] = row;
    await using listener = await start();
    await using held = new AsyncDisposableStack();
    for (const holding of HOLDINGS)
      held.use(await holdConnections(listener.port, CLIENTS, holding, begin));
    await listener.serves();
    const haveEnded = async () => (await heldSockets(listener.port, 'listener')) === 0;
    expect(await until('the end of all', haveEnded)).toBe(true);
  });

  test.each([false, true])('at most so many; a new client gets in (TLS: %s)', async (isTls) => {
    const forever = { headersMs: 600_000, requestMs: 600_000, maxConnections: 50 };
    await using listener = await serveApi(isTls, forever);
    await using held = new AsyncDisposableStack();
    for (const bytes of [[HEADERS], [isTls ? HALF_HELLO : 'GET']])
      for (const holding of HOLDINGS)
        held.use(await holdConnections(listener.port, CLIENTS / 5, holding, bytes));
    const areFew = async () => (await heldSockets(listener.port, 'listener')) <= 50;
    expect(await until('the bound', areFew)).toBe(true);
    await listener.serves();
  });
});

/** What a receiver does with a connection that it never closes. */
const RECEIVERS: Record<string, (socket: Socket) => void> = {
  'sends nothing': () => undefined,
  'stops within the headers': (socket) => socket.write('HTTP/1.1 200 OK\r\nX: '),
  'stops within the body': (socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'),
  'ends its side': (socket) => socket.end(),
  'wants to keep it for an hour': (socket) =>
    socket.write(
      'HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=3600\r\nContent-Length: 0\r\n\r\n',
    ),
};

describe.skipIf(!existsSync('/proc/net/tcp'))('connections that receivers hold', () => {
  test.each(Object.entries(RECEIVERS))('one that %s holds nothing', async (_, act) => {
    const sockets = new Set<Socket>();
    const accept = (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).once('data', () => act(socket));
    };
    for (const server of [
      createServer({ allowHalfOpen: true }, accept),
      createTlsServer({ ...pair, allowHalfOpen: true }, accept),
    ]) {
      server.listen(0, HOST);
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const ca = await readFile(tls.caFile, 'utf8');
      await using webhooks = createWebhooks({
        timeoutMs: 1_000,
        idleMaxMs: 500,
        allowedNetworks: ['127.0.0.0/8'],
        extraCa: [ca],
      });
      const posts = Array.from({ length: 100 }, () =>
        webhooks.post(`https://localhost:${port}/`, {}, Buffer.from('{}')),
      );
      await Promise.all(posts);
      expect(sockets.size).toBeGreaterThan(0);
      await until('the end of all', async () => (await heldSockets(port, 'client')) === 0);
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });
});
