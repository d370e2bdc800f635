/** Error responses (spec 7; D4, D5): statuses, bodies, request ids. */
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';

import type { Log } from '../../../services/adapters/process/log.ts';
import { HOOK, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const lines: string[] = [];
const log: Log = {
  debug: (event, fields) => void lines.push(JSON.stringify({ event, ...fields })),
  info: (event, fields) => void lines.push(JSON.stringify({ event, ...fields })),
  warn: (event, fields) => void lines.push(JSON.stringify({ event, ...fields })),
  error: (event, fields) =>
    void lines.push(JSON.stringify({ event, ...fields, error: String(fields?.error) })),
  child: () => log,
};

const api = await useInFile(startTestApi({ log }));

const padded = (bytes: number) =>
  JSON.stringify({ webhook_url: HOOK, description: 'x' }).padEnd(bytes, ' ');

/** Everything that the server sends in response to these bytes. */
function say(text: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let heard = '';
  const socket = connect(api.port, '127.0.0.1', () => socket.write(text));
  socket.setEncoding('utf8').on('data', (part: string) => (heard += part));
  socket.on('close', () => resolve(heard)).on('error', reject);
  return promise;
}

describe('D4: bodies that are not JSON', () => {
  test.each(['{', '{"webhook_url":}', "{'a':1}", '{"a":1}x', ' ', '\u0000', 'undefined'])(
    '%j is 400 invalid_json',
    async (text) => {
      expect(await api.ask('POST', '/v1/addresses', { text })).toMatchObject({
        status: 400,
        body: { error: 'invalid_json' },
      });
    },
  );

  test('bytes that are not UTF-8 are 400 invalid_json', async () => {
    const response = await fetch(`${api.url}/v1/addresses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
      body: Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: 'invalid_json' },
    ]);
  });

  test('D300: what a response repeats is text that every program can read', async () => {
    const text = `{"webhook_url":"${HOOK}","a\\u0000b\\ud83d":1}`;
    expect((await api.ask('POST', '/v1/addresses', { text })).body).toMatchObject({
      details: { field: 'a\ufffdb\ufffd' },
    });
  });

  test('a missing body is an empty object', async () => {
    expect(await api.ask('POST', '/v1/addresses')).toMatchObject({
      status: 422,
      body: { details: { field: 'webhook_url', code: 'required' } },
    });
  });

  test('a deeply nested body is refused like any other', async () => {
    const text = `{"webhook_url":"${HOOK}","x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    expect(await api.ask('POST', '/v1/addresses', { text })).toMatchObject({
      status: 422,
      body: { details: { field: 'x', code: 'unknown_field' } },
    });
  });
});

describe('D5: statuses', () => {
  test.each([
    '/v1/addresses/addr_none',
    '/v1/addresses/%E0%A4%A',
    '/v1/addresses/..%2f..',
    '/v1/addresses/%00',
    '/v1/nothing',
    '/v1/',
    '/v2/addresses',
    '/V1/addresses',
    '/v1/addresses/a/b',
  ])('GET %s is 404 not_found', async (path) => {
    const { status, body } = await api.ask('GET', path);
    expect([status, body]).toEqual([
      404,
      { error: 'not_found', message: expect.any(String) as string },
    ]);
  });

  test.each([
    ['PUT', '/v1/addresses', 'GET, HEAD, POST'],
    ['DELETE', '/v1/addresses', 'GET, HEAD, POST'],
    ['OPTIONS', '/v1/addresses', 'GET, HEAD, POST'],
    ['POST', '/v1/addresses/addr_x', 'DELETE, GET, HEAD, PATCH'],
    ['PROPFIND', '/v1/addresses/addr_x', 'DELETE, GET, HEAD, PATCH'],
  ])('%s %s is 405 method_not_allowed with Allow', async (method, path, allow) => {
    const { status, body, headers } = await api.ask(method, path, { token: null });
    expect([status, body.error, headers.get('allow')]).toEqual([405, 'method_not_allowed', allow]);
  });

  test('a body of 64 KiB is read', async () => {
    expect((await api.ask('POST', '/v1/addresses', { text: padded(64 * 1024) })).status).toBe(201);
  });

  test.each([64 * 1024 + 1, 1024 * 1024])(
    'a body of %i bytes is 413 payload_too_large',
    async (bytes) => {
      expect(await api.ask('POST', '/v1/addresses', { text: padded(bytes) })).toMatchObject({
        status: 413,
        body: { error: 'payload_too_large' },
      });
    },
  );

  test('a body without a Content-Length is measured while it arrives', async () => {
    const chunks = Array.from({ length: 10 }, () => Buffer.alloc(30_000, ' '));
    const response = await fetch(`${api.url}/v1/addresses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
      body: ReadableStream.from(chunks),
      duplex: 'half',
    });
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { error: 'payload_too_large' },
    ]);
  });

  test.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json; charset=latin1', {}],
    ['application/jsonp', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('a body of type %s %j is 415 unsupported_media_type', async (type, headers) => {
    const answer = await api.ask('POST', '/v1/addresses', {
      body: { webhook_url: HOOK },
      headers: { 'content-type': type, ...headers },
    });
    expect(answer).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } });
  });

  test.each([
    'application/json; charset=utf-8',
    'APPLICATION/JSON;charset="UTF-8"',
    'application/json',
  ])('a body of type %s is read', async (type) => {
    expect(
      (
        await api.ask('POST', '/v1/addresses', {
          body: { webhook_url: HOOK },
          headers: { 'content-type': type },
        })
      ).status,
    ).toBe(201);
  });

  test('an unexpected error is 500 with the request id, and one log line has its causes', async () => {
    const { id } = await api.create();
    await api.mongo.db
      .collection<{ _id: string }>('addresses')
      .updateOne({ _id: id }, { $set: { sealed_secret: 'broken' } });
    lines.length = 0;
    const { status, body } = await api.ask('GET', `/v1/addresses/${id}`, {
      headers: { 'x-request-id': 'trace-1' },
    });
    expect([status, body]).toEqual([
      500,
      { error: 'internal_error', message: expect.stringContaining('trace-1') as string },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/secret|stack|\.ts/i);
    expect(lines.filter((line) => line.includes('decrypt the secret'))).toHaveLength(1);
  });
});

describe('D5: every response carries X-Request-Id', () => {
  test.each(['trace-1', '1-67891233-abcdef012345678912345678', 'a'.repeat(128)])(
    'a valid one from the client is used: %s',
    async (id) => {
      for (const path of ['/v1/addresses', '/v1/nothing', '/healthz']) {
        expect(
          (await api.ask('GET', path, { headers: { 'x-request-id': id } })).headers.get(
            'x-request-id',
          ),
        ).toBe(id);
      }
    },
  );

  test.each(['', 'a b', 'a'.repeat(129), '<script>', 'ü', '{"a":1}'])(
    'another is replaced: %j',
    async (id) => {
      const { headers } = await api.ask('GET', '/v1/addresses', {
        headers: { 'x-request-id': id },
      });
      expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    },
  );

  test('each request has its own id', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () =>
        (await api.ask('GET', '/v1/addresses', { token: null })).headers.get('x-request-id'),
      ),
    );
    expect(new Set(ids).size).toBe(3);
  });

  test('malformed HTTP gets the same kind of response', async () => {
    for (const [bytes, status, error] of [
      ['SSH-2.0-OpenSSH\r\n\r\n', 400, 'bad_request'],
      [
        `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`,
        431,
        'headers_too_large',
      ],
      ...['identity, chunked', 'identity', 'gzip, chunked', 'chunked, chunked'].map(
        (coding) =>
          [
            `POST /v1/addresses HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n` +
              '0\r\n\r\nGET /v1/addresses HTTP/1.1\r\nHost: x\r\n\r\n',
            400,
            'bad_request',
          ] as const,
      ),
    ] as const) {
      const heard = await say(bytes);
      expect(heard).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(heard).toMatch(/\r\nX-Request-Id: [\da-f-]{36}\r\n/);
      expect(JSON.parse(heard.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error });
    }
  });
});

test.each([
  ['no Host', 'GET /v1/addresses HTTP/1.1\r\n', 400],
  ['no Host, as HTTP/1.0 may', 'GET /v1/addresses HTTP/1.0\r\n', 200],
  ['an invalid Host', 'GET /v1/addresses?limit=1 HTTP/1.1\r\nHost: [\r\n', 200],
  [
    'a whole URL as target',
    'GET http://elsewhere/v1/addresses?limit=1 HTTP/1.1\r\nHost: elsewhere\r\n',
    200,
  ],
  ['an invalid target', 'GET //[/v1?% HTTP/1.1\r\nHost: x\r\n', 404],
  ['an unknown expectation', 'GET /v1/addresses HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n', 200],
])('unusual requests get a JSON response with a request id: %s', async (_, request, status) => {
  const heard = await say(
    `${request}Authorization: Bearer ${api.token}\r\nConnection: close\r\n\r\n`,
  );
  expect(heard).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(heard).toMatch(/\r\nX-Request-Id: [\da-f-]{36}\r\n/);
  expect(() => JSON.parse(heard.split('\r\n\r\n')[1] ?? '') as unknown).not.toThrow();
});

test('a client that disconnects during its request affects no other', async () => {
  lines.length = 0;
  const socket = connect(api.port, '127.0.0.1');
  socket.write(
    `POST /v1/addresses HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"webhook`,
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.destroy();
  expect((await api.ask('GET', '/v1/addresses')).status).toBe(200);
  await expect
    .poll(
      () =>
        lines.filter((line) => line.includes('"status":400') && line.includes('"method":"POST"'))
          .length,
    )
    .toBeGreaterThan(0);
  expect(lines.join('\n')).not.toContain('api.failed');
});

test('the log has one line per request, without tokens, queries or bodies', async () => {
  lines.length = 0;
  await api.ask('POST', '/v1/addresses?note=private', {
    body: { webhook_url: 'https://example.com/private' },
    headers: { 'x-request-id': 'seen' },
  });
  await api.ask('GET', '/v1/addresses', { token: 'svc_live_private' });
  const requested = lines.filter((line) => line.includes('api.requested'));
  expect(requested.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      event: 'api.requested',
      request_id: 'seen',
      method: 'POST',
      route: '/v1/addresses',
      status: 422,
      account_id: api.account.id,
    }),
    expect.objectContaining({
      event: 'api.requested',
      method: 'GET',
      route: '/v1/addresses',
      status: 401,
    }),
  ]);
  expect(lines.join('\n')).not.toMatch(/private|svc_live_/);
});
