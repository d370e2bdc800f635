/** @inlet-email/client without a server: every operation, retries, lists, and streams. */
import { describe, expect, test } from 'vitest';

import { OPERATIONS } from '../../services/clients/typescript/src/operations.generated.ts';
import {
  type ClientOptions,
  createInlet,
  InletError,
} from '../../services/clients/typescript/src/inlet.ts';
import { pauseBeforeRetryMs } from '../../services/clients/typescript/src/retry.ts';
import type { OpenApi } from '../../services/api/documentation/document.ts';
import { readOpenApi } from '../support/openapi-files.ts';

const API = 'https://api.example/v1';
const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });
const problem = (status: number, error: string, headers = {}) =>
  json({ error, message: `it is ${error}` }, status, headers);

/** A client whose requests get these responses in turn, and then the last one again and again. */
function clientOf(responses: (() => Response)[], options: Partial<ClientOptions> = {}) {
  const requests: Request[] = [];
  const inlet = createInlet({
    apiUrl: API,
    token: 'svc_test_x',
    fetch: async (request) => {
      requests.push(request);
      const respond = responses[Math.min(requests.length, responses.length) - 1];
      if (respond === undefined) throw new TypeError('fetch failed');
      return respond();
    },
    ...options,
  });
  return { inlet, requests };
}

const page = (ids: number[], has_more: boolean) => () =>
  json({ data: ids.map((id) => ({ id })), pagination: { has_more } });
const created = () => json({ id: 'addr_1' }, 201);
const redirect = () => new Response(null, { status: 307, headers: { location: '/x' } });
const silent = (request: Request) =>
  new Promise<Response>((_, reject) => {
    request.signal.addEventListener('abort', () => reject(new Error('aborted')));
  });
const lost = (): Response => {
  throw new TypeError('fetch failed');
};

test('L.5: the TypeScript client calls every operation of the document, and no other', async () => {
  const { paths } = await readOpenApi<OpenApi>();
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const called: string[] = [];
  for (const [group, operations] of Object.entries(OPERATIONS))
    for (const [name, { call, body }] of Object.entries(operations)) {
      const { inlet, requests } = clientOf([() => json({ data: [] })]);
      const ids = Array.from(call.matchAll(/\{(\w+)\}/g), ([, part = '']) => part);
      const args = [...ids, ...(body === 'message/rfc822' ? [''] : [])];
      const operation = (inlet as unknown as Record<string, Record<string, Call>>)[group]?.[name];
      const result = operation?.(...args) as Promise<unknown> | { page(): Promise<unknown> };
      await ('page' in result ? result.page() : result);
      const [request] = requests;
      const path = decodeURIComponent(new URL(request?.url ?? '').pathname).replace('/v1', '');
      const template = call.split(' ')[1] ?? '';
      expect(path).toBe(template.replaceAll(/[{}]/g, ''));
      called.push(`${request?.method} ${template}`);
    }
  expect(called.toSorted()).toEqual(documented.toSorted());
});
type Call = (...args: unknown[]) => unknown;

describe('requests', () => {
  test('L.5: a header of an operation is a field of its query', async () => {
    const { inlet, requests } = clientOf([() => json({ recipients: [] })]);
    await inlet.deliveries.submitEmail('Subject: x\r\n\r\n', { svc_rcpt_to: 'a@b.example' });
    const [request] = requests;
    expect(request?.url).toBe(`${API}/intake`);
    expect(request?.headers.get('svc-rcpt-to')).toBe('a@b.example');
    expect(request?.headers.get('content-type')).toBe('message/rfc822');
    expect(request?.headers.get('idempotency-key')).toBeNull();
  });

  test.each(['', '.', '..'])('L.5: the id %j is refused, and others are encoded', async (id) => {
    const { inlet, requests } = clientOf([() => json({})]);
    expect(() => inlet.addresses.delete(id)).toThrow(TypeError);
    await inlet.addresses.get('a/../b');
    expect(requests.map(({ url }) => url)).toEqual([`${API}/addresses/a%2F..%2Fb`]);
  });

  test.each([
    ['ftp://api.example', 'is not an HTTP URL'],
    ['http://api.example/v1', 'would send the token unencrypted'],
    ['api.example', 'Invalid URL'],
  ])('L.5: the URL %s is refused', (apiUrl, message) => {
    expect(() => createInlet({ apiUrl, token: 'x' })).toThrow(message);
  });

  test('L.5: an origin gets /v1, and a redirect is an error', async () => {
    const { inlet, requests } = clientOf([redirect], { apiUrl: 'http://127.0.0.1:8080/' });
    const error = await inlet.account.get().catch((cause: unknown) => cause);
    expect(error).toMatchObject({ kind: 'unexpected_response', status: 307 });
    expect(requests.map(({ url, redirect: mode }) => [url, mode])).toEqual([
      ['http://127.0.0.1:8080/v1/account', 'manual'],
    ]);
  });
});

describe('failures', () => {
  test('L.5: an error has its kind, status, details, request id and Retry-After', async () => {
    const details = { field: 'webhook_url', code: 'not_https' };
    const body = { error: 'validation_failed', message: 'must be https', details };
    const { inlet } = clientOf([() => json(body, 422, { 'x-request-id': 'req_1' })]);
    const error = await inlet.addresses.create({ webhook_url: 'x' }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InletError);
    expect(error).toMatchObject({
      kind: 'validation_failed',
      message: 'must be https (field webhook_url)',
      status: 422,
      requestId: 'req_1',
      details,
    });
  });

  test.each([
    ['HTML', () => new Response('<html>', { status: 200 })],
    ['no list', () => json({})],
    ['the error of another server', () => new Response('Bad Gateway', { status: 502 })],
  ])('L.5: %s is unexpected_response', async (_, response) => {
    const { inlet } = clientOf([response], { maxRetries: 0 });
    await expect(inlet.addresses.list().page()).rejects.toMatchObject({
      kind: 'unexpected_response',
    });
  });

  test('L.5: a silent server is a timeout, an aborted call rejects with its reason', async () => {
    const { inlet } = clientOf([], { fetch: silent, timeoutMs: 5, maxRetries: 0 });
    await expect(inlet.account.get()).rejects.toMatchObject({ kind: 'timeout' });
    const stop = new AbortController();
    const call = inlet.account.get({}, { signal: stop.signal, timeoutMs: 60_000 });
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  test('L.5: a repeated POST has the same key, which the caller can choose', async () => {
    const { inlet, requests } = clientOf([lost, () => problem(503, 'unavailable'), created]);
    await inlet.addresses.create({ webhook_url: 'https://a.example' });
    await inlet.addresses.create({ webhook_url: 'https://a.example' }, { idempotencyKey: 'k' });
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
    expect(keys).toEqual([keys[0], keys[0], keys[0], 'k']);
  });

  test('L.5: the pause ends when the call is aborted', async () => {
    const stop = new AbortController();
    const { inlet } = clientOf([
      () => problem(429, 'rate_limit_exceeded', { 'retry-after': '60' }),
    ]);
    const call = inlet.account.get({}, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 10);
    await expect(call).rejects.toThrow('enough');
  });
});

const failure = (status?: number, retryAfterSeconds?: number) => ({
  kind: status === undefined ? ('unreachable' as const) : ('unavailable' as const),
  status,
  retryAfterSeconds,
});
test.each([
  ['a lost connection', failure(), true, 500],
  ['a lost connection of a POST without a key', failure(), false, undefined],
  ['503', failure(503), true, 500],
  ['503 of a POST without a key', failure(503), false, undefined],
  ['503 with Retry-After', failure(503, 7), true, 7_500],
  ['429', failure(429, 17), false, 17_500],
  ['429 for an hour', failure(429, 3_600), true, undefined],
  ['409', failure(409), true, undefined],
  ['409 while the first attempt is in progress', failure(409, 1), true, 1_500],
  ['404', failure(404), true, undefined],
  ['422', failure(422), true, undefined],
  ['no email', { ...failure(), kind: 'no_email' as const }, true, undefined],
])('L.5: %s: whether and when it is repeated', (_, one, isRepeatable, pauseMs) => {
  const tries = { attempt: 1, maxRetries: 2 };
  expect(pauseBeforeRetryMs(one, tries, isRepeatable, 1)).toBe(pauseMs);
  expect(pauseBeforeRetryMs(one, { attempt: 3, maxRetries: 2 }, isRepeatable, 1)).toBeUndefined();
});
test('L.5: pauses double up to eight seconds', () => {
  const pauses = Array.from({ length: 6 }, (_, i) =>
    pauseBeforeRetryMs(failure(), { attempt: i + 1, maxRetries: 9 }, true, 1),
  );
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000]);
});

describe('lists', () => {
  test('L.5: all pages are read, and items that a new one moved are not repeated', async () => {
    const { inlet, requests } = clientOf([
      page([5, 4], true),
      page([4, 3], true),
      page([2], false),
    ]);
    const found: unknown[] = [];
    for await (const { id } of inlet.addresses.list({ limit: 2, search: 'x' })) found.push(id);
    expect(found).toEqual([5, 4, 3, 2]);
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(
      [0, 2, 4].map((offset) => `?limit=2&search=x&offset=${offset}`),
    );
  });

  test('L.5: a list without pages is read once, and nothing is read before it is needed', async () => {
    const { inlet, requests } = clientOf([() => json({ data: [{ id: 'token_1' }] })]);
    const tokens = inlet.tokens.list();
    expect(requests).toEqual([]);
    for await (const { id } of tokens) expect(id).toBe('token_1');
    expect(requests.map(({ url }) => url)).toEqual([`${API}/account/tokens`]);
  });
});

test('L.5: a stream is read across chunks and reconnects, and continues after the last id', async () => {
  const encoder = new TextEncoder();
  const text =
    'id: 1\nevent: a\ndata: {"type":"ü"}\n\n: heartbeat\n\nid: 2\r\ndata: {"type":\ndata: "b"}\r\n\r\n';
  const inPieces = () =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const byte of encoder.encode(text)) controller.enqueue(Uint8Array.of(byte));
          controller.close();
        },
      }),
    );
  const { inlet, requests } = clientOf([inPieces, () => problem(403, 'forbidden')]);
  const types: string[] = [];
  const listening = (async () => {
    for await (const { type } of inlet.events()) types.push(type);
  })();
  await expect(listening).rejects.toMatchObject({ kind: 'forbidden' });
  expect(types).toEqual(['ü', 'b']);
  expect(requests.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, '2']);
});

test('L.5: a stream with types has no others, not even those that the API always sends', async () => {
  const text = ['stream.ready', 'email.received', 'stream.gap'].map(
    (type) => `data: {"type":"${type}"}\n\n`,
  );
  const { inlet, requests } = clientOf([
    () => new Response(text.join('')),
    () => problem(403, 'forbidden'),
  ]);
  const found: string[] = [];
  const listening = (async () => {
    const types = ['email.received', 'stream.gap'] as const;
    for await (const { type } of inlet.events({ types })) found.push(type);
  })();
  await expect(listening).rejects.toMatchObject({ kind: 'forbidden' });
  expect(found).toEqual(['email.received', 'stream.gap']);
  expect(new URL(requests[0]?.url ?? '').search).toBe('?types=email.received');
});
