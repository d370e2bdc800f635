/** One POST to a receiver that is slow, broken, endless or forbidden (spec 5.2.7, 6.2, D18). */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer, type Server } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type LookupFunction,
  type Socket,
} from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';

import type { AgentOptions } from '../../../services/adapters/http/agents.ts';
import { createWebhooks, type Webhooks } from '../../../services/adapters/http/webhook.ts';
import { ensureTls } from '../../../services/standalone/keys.ts';
import { testDir } from '../../support/servers.ts';
import { atMost } from '../../support/slowdown.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

/** For receivers that do not respond. All others have enough time on a busy machine. */
const TIMEOUT_MS = 500;
const AMPLE_MS = 20_000;
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

const tls = await ensureTls((await useInFile(testDir())).path);
const ca = await readFile(tls.caFile, 'utf8');

const webhooks = (options: Partial<AgentOptions> = {}): Webhooks =>
  createWebhooks({ timeoutMs: AMPLE_MS, allowedNetworks: LOOPBACK, extraCa: [ca], ...options });

type Receiver = AsyncDisposable & {
  port: number;
  url: string;
  sockets: Set<Socket>;
  connections: number;
};

async function receiver(listener: RequestListener): Promise<Receiver> {
  return listen(
    createServer(
      { cert: await readFile(tls.certFile), key: await readFile(tls.keyFile) },
      listener,
    ),
  );
}

async function listen(
  server: Server | ReturnType<typeof createTcpServer> | ReturnType<typeof createSecureServer>,
): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const made = { connections: 0 };
  server.on('connection', (socket: Socket) => {
    made.connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `https://localhost:${port}/hook`,
    sockets,
    get connections() {
      return made.connections;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const post = async (url: string, options: Partial<AgentOptions> = {}, body = Buffer.from('{}')) => {
  await using caller = webhooks(options);
  return await caller.post(url, { 'content-type': 'application/json' }, body);
};

/** A lookup that answers each query with the next of these lists of addresses. */
function answering(...answers: string[][]): { lookup: LookupFunction; requested: () => number } {
  let requested = 0;
  const lookup: LookupFunction = (_, __, callback) => {
    const addresses = answers[Math.min(requested++, answers.length - 1)] ?? [];
    process.nextTick(() =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        0,
      ),
    );
  };
  return { lookup, requested: () => requested };
}

const notFound: LookupFunction = (name, _, callback) =>
  callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), '', 0);

describe('the request', () => {
  test('is a POST of exactly these bytes and headers', async () => {
    const seen: unknown[] = [];
    await using server = await receiver((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push({
          method: request.method,
          url: request.url,
          headers: request.headers,
          body: Buffer.concat(chunks),
        });
        response.end();
      });
    });
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
    expect(await post(`${server.url}?a=b`, {}, body)).toMatchObject({
      outcome: { kind: 'accepted', status: 200 },
      excerpt: null,
      error: null,
    });
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: '/hook?a=b',
        body,
        headers: {
          'content-type': 'application/json',
          'content-length': '4',
          host: `localhost:${server.port}`,
        },
      },
    ]);
  });

  test('reuses a connection', async () => {
    await using server = await receiver((request, response) =>
      request.resume().on('end', () => response.end('thanks')),
    );
    await using caller = webhooks();
    for (let i = 0; i < 20; i++)
      expect((await caller.post(server.url, {}, Buffer.from('{}'))).outcome.kind).toBe('accepted');
    // a request can start just before the last one has freed its connection
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  test('uses HTTP/1.1 even if the receiver offers HTTP/2; a missing response harms no other request', async () => {
    let version = '';
    let respond: (() => void) | undefined;
    const server = createSecureServer(
      { cert: await readFile(tls.certFile), key: await readFile(tls.keyFile), allowHTTP1: true },
      (request, response) => {
        version = request.httpVersion;
        request.resume();
        if (request.url === '/hook')
          respond = () => void response.writeHead(503, { 'retry-after': '7' }).end('not now');
      },
    );
    await using listening = await listen(server);
    await using caller = webhooks({ timeoutMs: 3_000 });
    const hanging = caller.post(`https://localhost:${listening.port}/hangs`, {}, Buffer.from('{}'));
    await sleep(2_000); // it times out while the other one waits for its response
    const other = caller.post(listening.url, {}, Buffer.from('{}'));
    expect((await hanging).outcome).toEqual({ kind: 'unreachable', reason: 'timeout' });
    await until('the request', () => respond !== undefined);
    respond?.();
    expect(await other).toMatchObject({
      outcome: { kind: 'busy', status: 503, retryAfterMs: 7_000 },
      excerpt: 'not now',
    });
    expect(version).toBe('1.1');
  });
});

describe('the response', () => {
  test.each<[number, Record<string, string>, object]>([
    [200, {}, { kind: 'accepted', status: 200 }],
    [204, {}, { kind: 'accepted', status: 204 }],
    [301, { location: '/elsewhere' }, { kind: 'refused', status: 301 }],
    [307, { location: 'https://169.254.169.254/' }, { kind: 'refused', status: 307 }],
    [401, {}, { kind: 'refused', status: 401 }],
    [429, { 'retry-after': '2' }, { kind: 'busy', status: 429, retryAfterMs: 2_000 }],
    [503, { 'retry-after': 'soon' }, { kind: 'busy', status: 503 }],
    [599, {}, { kind: 'busy', status: 599 }],
  ])(
    'spec 3, D18: a %d with %j is %j, and no redirect is followed',
    async (status, headers, outcome) => {
      let requests = 0;
      await using server = await receiver((request, response) => {
        requests++;
        request.resume();
        response.writeHead(status, headers).end();
      });
      expect((await post(server.url)).outcome).toEqual(outcome);
      expect(requests).toBe(1);
    },
  );

  test.each<[number, string, string | undefined]>([
    [301, '/elsewhere', '/elsewhere'],
    [302, `https://x.test/\u00fc${'a'.repeat(5_000)}`, `https://x.test/?${'a'.repeat(240)}`],
    [200, '/elsewhere', undefined],
  ])(
    'the Location of a %d is reported: bounded, and printable',
    async (status, location, shown) => {
      await using server = await receiver(
        (request, response) => request.resume() && response.writeHead(status, { location }).end(),
      );
      expect((await post(server.url)).location).toBe(shown);
    },
  );

  test('its first KiB is returned as text', async () => {
    await using server = await receiver(
      (request, response) =>
        request.resume() && response.writeHead(400).end(`${'ü'.repeat(400)}${'x'.repeat(5_000)}`),
    );
    const { excerpt } = await post(server.url);
    expect(excerpt).toBe(`${'ü'.repeat(400)}${'x'.repeat(224)}`);
  });

  test('is not read beyond 64 KiB, and its status counts', async () => {
    let sent = 0;
    await using server = await receiver((request, response) => {
      request.resume();
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) sent += 16_384;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    expect(await post(server.url, { timeoutMs: 20_000 })).toMatchObject({
      outcome: { kind: 'accepted', status: 200 },
      excerpt: 'x'.repeat(1_024),
    });
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  test('D18: informational responses before it are skipped', async () => {
    await using server = await receiver((request, response) => {
      request.resume().on('end', () => {
        response.writeContinue();
        response.writeContinue();
        response.writeEarlyHints({ link: '</style.css>; rel=preload' });
        response.writeHead(202).end('HTTP/1.1 100 Continue');
      });
    });
    await using caller = webhooks();
    for (let n = 0; n < 5; n++)
      expect(await caller.post(server.url, {}, Buffer.from('{}'))).toMatchObject({
        outcome: { kind: 'accepted', status: 202 },
        excerpt: 'HTTP/1.1 100 Continue',
      });
    expect(server.connections).toBeLessThanOrEqual(2); // as above: it is reused
  });

  test.each(['100 Continue', '103 Early Hints', '101 Switching Protocols'])(
    'D18: a receiver that sends only %s is unreachable',
    async (status) => {
      await using server = await receiver((request) => {
        request.resume().on('end', () => request.socket.end(`HTTP/1.1 ${status}\r\n\r\n`));
      });
      expect((await post(server.url)).outcome).toEqual({
        kind: 'unreachable',
        reason: 'connection',
      });
    },
  );

  test.each([
    ['informational responses', '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
    [
      'extensions of chunks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      `1;e=${'x'.repeat(4_000)}\r\nx\r\n`,
    ],
  ])('%s without an end are not read', async (_, beginning, repeated) => {
    let written = 0;
    await using server = await receiver((request) => {
      const { socket } = request.resume();
      socket.on('error', () => undefined).write(beginning);
      const more = () => {
        while (!socket.destroyed && socket.write(repeated)) written += repeated.length;
        if (!socket.destroyed) socket.once('drain', more);
      };
      request.on('end', more);
    });
    expect(await post(server.url)).toMatchObject({
      outcome: { kind: 'unreachable', reason: 'connection' },
      error: expect.stringContaining('more than 256 KiB'),
    });
    expect(written).toBeLessThan(64 * 1024 * 1024); // what buffers of sockets take
  });

  test('has at most 16 KiB of headers', async () => {
    await using server = await receiver(
      (request, response) =>
        request.resume() && response.writeHead(200, { 'x-large': 'x'.repeat(20_000) }).end(),
    );
    expect(await post(server.url)).toMatchObject({
      outcome: { kind: 'unreachable', reason: 'connection' },
      excerpt: null,
      error: expect.any(String),
    });
  });

  test('a broken one closes its connection, and the next email gets a new one', async () => {
    let requests = 0;
    await using server = await receiver((request, response) => {
      request.resume();
      if (++requests === 1) response.socket?.destroy();
      else response.end();
    });
    await using caller = webhooks();
    expect((await caller.post(server.url, {}, Buffer.from('{}'))).outcome).toEqual({
      kind: 'unreachable',
      reason: 'connection',
    });
    expect((await caller.post(server.url, {}, Buffer.from('{}'))).outcome.kind).toBe('accepted');
  });
});

describe('spec 6.2.1: the time limit for the whole response', () => {
  test.each<[string, RequestListener]>([
    ['a receiver that never answers', (request) => void request.resume()],
    [
      'one that sends its status and then nothing',
      (request, response) => {
        request.resume();
        response.writeHead(200).flushHeaders();
      },
    ],
    [
      'one that sends its body slowly',
      (request, response) => {
        request.resume();
        response.writeHead(200);
        const drip = setInterval(() => response.write('.'), 50);
        response.on('close', () => clearInterval(drip));
      },
    ],
    ['one that does not read the request', () => undefined],
  ])('%s is a timeout', async (_, listener) => {
    await using server = await receiver(listener);
    const answer = await post(server.url, { timeoutMs: TIMEOUT_MS }, Buffer.alloc(5_000_000));
    expect(answer).toMatchObject({
      outcome: { kind: 'unreachable', reason: 'timeout' },
      excerpt: null,
    });
    expect(answer.durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 5);
    expect(answer.durationMs).toBeLessThan(TIMEOUT_MS + atMost(1_500));
  });

  test('D169: the limit for the first byte ends only an exchange without an answer', async () => {
    await using silent = await receiver((request) => void request.resume());
    await using caller = webhooks();
    const options = { firstByteMs: TIMEOUT_MS };
    expect(await caller.post(silent.url, {}, Buffer.from('{}'), options)).toMatchObject({
      outcome: { kind: 'unreachable', reason: 'timeout' },
    });
    await using slow = await receiver((request, response) => {
      request.resume();
      response.writeHead(200).flushHeaders();
      setTimeout(() => response.end('ok'), 2 * TIMEOUT_MS);
    });
    const { outcome } = await caller.post(slow.url, {}, Buffer.from('{}'), {
      firstByteMs: atMost(TIMEOUT_MS),
    });
    expect(outcome).toEqual({ kind: 'accepted', status: 200 });
  });

  test('a connection on which TLS never starts is a timeout', async () => {
    await using server = await listen(createTcpServer());
    const { outcome } = await post(server.url, { timeoutMs: TIMEOUT_MS });
    expect(outcome).toEqual({ kind: 'unreachable', reason: 'timeout' });
  });

  test('a lookup that never answers is a timeout', async () => {
    expect(
      (await post('https://receiver.example/', { timeoutMs: TIMEOUT_MS, lookup: () => undefined }))
        .outcome,
    ).toEqual({
      kind: 'unreachable',
      reason: 'timeout',
    });
  });
});

describe('unreachable', () => {
  test('a name that does not exist', async () => {
    expect(await post('https://no-such-name.example/', { lookup: notFound })).toMatchObject({
      outcome: { kind: 'unreachable', reason: 'dns' },
      error: 'no-such-name.example does not resolve to a public address',
      detail: expect.stringContaining('ENOTFOUND'),
    });
  });

  test('a name without any address', async () => {
    expect(
      (await post('https://empty.example/', { lookup: answering([]).lookup })).outcome,
    ).toMatchObject({ kind: 'unreachable', reason: 'dns' });
  });

  test('a port other than 443 is allowed, and reported so that it can be logged', async () => {
    await using server = await receiver((request, response) =>
      request.resume().on('end', () => response.end('ok')),
    );
    await using caller = webhooks();
    expect(await caller.post(server.url, {}, Buffer.from('{}'))).toMatchObject({
      outcome: { kind: 'accepted' },
      unusualPort: Number(new URL(server.url).port),
    });
    expect(
      await caller.post('https://no-such-name.invalid/', {}, Buffer.from('{}')),
    ).not.toHaveProperty('unusualPort');
  });

  test('a port where nothing listens', async () => {
    const server = await listen(createTcpServer());
    await server[Symbol.asyncDispose]();
    expect(await post(server.url)).toMatchObject({
      outcome: { kind: 'unreachable', reason: 'connection' },
      error: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('a certificate of an unknown authority', async () => {
    await using server = await receiver((_, response) => void response.end());
    const { outcome, error } = await post(server.url, { extraCa: [] });
    expect(outcome).toEqual({ kind: 'unreachable', reason: 'tls' });
    expect(error).toContain('WEBHOOK_CA_FILE');
    expect(error).not.toContain('--use');
  });

  test('a certificate for another name', async () => {
    await using server = await receiver((_, response) => void response.end());
    const answer = await post(`https://other.example:${server.port}/`, {
      lookup: answering(['127.0.0.1']).lookup,
    });
    expect(answer.outcome).toEqual({ kind: 'unreachable', reason: 'tls' });
  });

  test('a server that does not speak TLS', async () => {
    await using server = await listen(
      createTcpServer((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n')),
    );
    const { outcome, error } = await post(server.url);
    expect(outcome).toEqual({ kind: 'unreachable', reason: 'tls' });
    expect(error).toMatch(/does not speak TLS/);
  });
});

describe('which addresses may be called', () => {
  test.each([
    'https://127.0.0.1/',
    'https://10.1.2.3:8443/x',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://0x7f.1/',
    'https://2130706433/',
  ])('%s is blocked without being dialled', async (url) => {
    const { outcome } = await post(url, { allowedNetworks: [] });
    expect(outcome).toMatchObject({ kind: 'blocked', reason: expect.any(String) });
  });

  test.each([
    ['a private address', ['10.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['a public address and a private one', ['93.184.216.34', '10.0.0.1']],
    ['a private address and a public one', ['10.0.0.1', '93.184.216.34']],
    ['a text that is not an address', ['localhost']],
  ])(
    'a name that resolves to %s is blocked, and looks like one that does not resolve',
    async (_, addresses) => {
      const answer = await post('https://receiver.example/', {
        lookup: answering(addresses).lookup,
        allowedNetworks: [],
      });
      const unknown = await post('https://receiver.example/', { lookup: notFound });
      const { durationMs: _a, detail, ...seen } = answer;
      const { durationMs: _b, detail: _c, ...seenOfUnknown } = unknown;
      expect(seen).toEqual(seenOfUnknown);
      expect(detail).toMatch(/^receiver\.example resolves to /); // for the log
    },
  );

  test('a public name that becomes private between two connections is blocked, and never connected to', async () => {
    await using server = await receiver(
      (request, response) =>
        request.resume() && response.writeHead(200, { connection: 'close' }).end(),
    );
    const names = answering(['127.0.0.1'], ['127.0.0.2']);
    await using caller = webhooks({ lookup: names.lookup, allowedNetworks: ['127.0.0.1/32'] });
    const url = `https://localhost:${server.port}/`;
    expect((await caller.post(url, {}, Buffer.from('{}'))).outcome.kind).toBe('accepted');
    await sleep(20);
    expect((await caller.post(url, {}, Buffer.from('{}'))).outcome).toEqual({
      kind: 'unreachable',
      reason: 'dns',
    });
    // one lookup per connection: the checked address is the one that is used
    expect(names.requested()).toBe(2);
    expect(server.connections).toBe(1);
  });

  test('proxies from the environment are ignored', async () => {
    await using proxy = await listen(createTcpServer((socket) => void socket.end()));
    await using server = await receiver((request, response) => request.resume() && response.end());
    process.env.HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`;
    expect((await post(server.url)).outcome.kind).toBe('accepted');
    delete process.env.HTTPS_PROXY;
    expect(proxy.connections).toBe(0);
  });

  test('an invalid URL is an outcome, too, and not an error', async () => {
    expect((await post('no url')).outcome.kind).not.toBe('accepted');
  });
});
