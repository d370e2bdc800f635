/** The OpenAPI document and its page (spec 9), security headers, and no CORS. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

import type { Media, OpenApi, Operation } from '../../../services/api/documentation/document.ts';
import { escapeHtml } from '../../../services/api/sites/html-page.ts';
import { NOTIFICATION_TYPES } from '../../../services/core/notification/notification.ts';
import { VERIFY_SAMPLE } from '../../../services/api/documentation/verify-sample.ts';
import { EXAMPLE } from '../../../services/core/resource/api-reference.ts';
import {
  EXAMPLE_BODY,
  EXAMPLE_HEADERS,
  EXAMPLE_TIME,
} from '../../../services/core/webhook/example.ts';
import {
  callTypesOf,
  schemaTypesOf,
  type TypedDocument,
} from '../../../services/generate/api-types.ts';
import { pythonOperationsOf } from '../../../services/generate/clients/python-operations.ts';
import { pythonTypesOf } from '../../../services/generate/clients/python-types.ts';
import { typescriptClientOf } from '../../../services/generate/clients/typescript.ts';
import { webhookDocuments, webhookOf } from '../../support/webhook-documents.ts';
import { createDocumentCheck } from '../../support/document-check.ts';
import { OPENAPI_FOLDER, openApiFiles } from '../../support/openapi-files.ts';
import { startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const run = promisify(execFile);

const EXAMPLE_WEBHOOK_HEADERS = {
  ...EXAMPLE_HEADERS,
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00',
  'user-agent': 'Inlet/1.0.0',
};

const api = await useInFile(startTestApi());
const document = (await api.ask('GET', '/v1/openapi.json', { token: null }))
  .body as unknown as OpenApi;

/** What a reference within a document leads to. */
const referredIn = (root: unknown, reference: string): unknown =>
  reference
    .split('/')
    .reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], root);

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

test('the document equals the golden files; npm run golden updates them', async () => {
  const files = openApiFiles(document);
  for (const [name, text] of files)
    await expect(text).toMatchFileSnapshot(join(OPENAPI_FOLDER, name));
});

test('the types of the dashboard, the command and the client are those of the document', async () => {
  const typed = document as unknown as TypedDocument;
  const folder = '../../../services/core/api';
  await expect(schemaTypesOf(typed)).toMatchFileSnapshot(`${folder}/api-types.generated.ts`);
  await expect(callTypesOf(typed)).toMatchFileSnapshot(`${folder}/api-calls.generated.ts`);
});

test.each([
  ['typescript/src/operations.generated.ts', typescriptClientOf],
  ['python/src/inlet_client/types.py', pythonTypesOf],
  ['python/src/inlet_client/_async_operations.py', pythonOperationsOf],
])(
  'L.5: services/clients/%s is that of the document; npm run golden updates it',
  async (file, write) => {
    await expect(write(document as unknown as TypedDocument)).toMatchFileSnapshot(
      `../../../services/clients/${file}`,
    );
  },
);

describe('the document', () => {
  test('is OpenAPI 3.1 of the version that the path names (spec 9.1)', () => {
    expect([document.openapi, document.servers[0]?.url]).toEqual(['3.1.0', '/v1']);
  });

  test('names the rate-limit headers of errors, except where the limits are not known yet', () => {
    const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
    const { responses } = document.components;
    const without = Object.keys(responses ?? {}).filter((name) => {
      const { headers = {} } = responses?.[name] ?? {};
      return !names.every((header) => header in headers);
    });
    expect(without.toSorted()).toEqual(['Unauthorized', 'Unavailable']);
  });

  test('names each operation once, with its permission', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
    expect(document.paths['/addresses']?.post?.operationId).toBe('createAddress');
    expect(document.paths['/addresses']?.post).toMatchObject({
      security: [{ token: [] }],
      'x-permission': 'addresses:write',
    });
  });

  test('every reference resolves', () => {
    const text = JSON.stringify(document);
    for (const [, ref = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g))
      expect([ref, typeof referredIn(document, ref)]).toEqual([ref, 'object']);
  });

  test('contains limits, defaults and required fields of requests', () => {
    const { parameters = [] } = document.paths['/addresses']?.get ?? {};
    expect(parameters.find(({ name }) => name === 'limit')).toMatchObject({
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
    });
    const schema = { $ref: '#/components/schemas/CreateAddressRequest' };
    expect(document.paths['/addresses']?.post?.requestBody).toMatchObject({
      required: true,
      content: { 'application/json': { schema } },
    });
    expect(document.components.schemas.CreateAddressRequest).toMatchObject({
      required: ['webhook_url'],
      additionalProperties: false,
    });
  });

  test('names the combinations of fields that a body cannot have', () => {
    expect(document.paths['/sessions']?.post?.requestBody).toMatchObject({ required: true });
    const { not } = document.components.schemas.CreateSessionRequest ?? {};
    expect(not).toEqual({
      anyOf: [
        { properties: { code: { not: {} }, token: { not: {} } } },
        { required: ['code', 'token'], properties: { code: {}, token: {} } },
      ],
    });
  });

  test('a response that does not match it fails this suite', () => {
    const check = createDocumentCheck(document);
    const answer = (status: number, body: unknown) => () =>
      check('GET', '/v1/account', { status, contentType: 'application/json', body });
    expect(answer(418, {})).toThrow('answered 418');
    expect(answer(200, { id: 7 })).toThrow('that violates its schema');
    expect(answer(401, { error: 'odd', message: '' })).toThrow('that violates its schema');
    expect(answer(401, { error: 'unauthorized', message: '' })).not.toThrow();
  });
});

describe('the webhooks in the document, and the schema of the payload', () => {
  test('the examples of both kinds of webhooks are as they say', async () => {
    const { openApi, payloadSchema, problems } = await webhookDocuments(`${api.url}/v1`);
    expect(payloadSchema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    const payloads = (kind: 'email' | 'notification') => {
      const { examples = {} } =
        webhookOf(openApi, kind).requestBody?.content['application/json'] ?? {};
      return Object.values(examples).map(({ value }) => value);
    };
    expect(payloads('email').length).toBeGreaterThan(0);
    expect(payloads('notification').map((payload) => (payload as { type: string }).type)).toEqual(
      NOTIFICATION_TYPES,
    );
    for (const kind of ['email', 'notification'] as const)
      for (const payload of payloads(kind))
        expect(problems(kind, { headers: EXAMPLE_WEBHOOK_HEADERS, payload })).toEqual([]);
  });

  test('every reference in them resolves', async () => {
    for (const name of ['openapi.json', 'payload.schema.json']) {
      const { body } = await api.ask('GET', `/v1/${name}`, { token: null });
      const references = [...JSON.stringify(body).matchAll(/"\$ref":"#\/([^"]+)"/g)];
      expect(references.length).toBeGreaterThan(3);
      for (const [, reference = ''] of references)
        expect(referredIn(body, reference)).toBeTypeOf('object');
    }
  });

  test('operations that are no part of the contract are marked as beta', async () => {
    const beta = operations().filter(({ operation }) => operation['x-stability-level'] === 'beta');
    expect(beta.map(({ operation }) => operation.operationId).toSorted()).toEqual([
      'createSession',
      'deleteCurrentSession',
      'getCurrentSession',
      'getSingleSignOn',
    ]);
    const page = await (await fetch(`${api.url}/v1/docs`)).text();
    expect(page.match(/ \(beta\)<\/span>/g)).toHaveLength(beta.length);
  });
});

describe('examples', () => {
  test('every request, response, error and path parameter has one', () => {
    const media = operations().flatMap(({ operation }) => mediaOf(operation));
    expect(media.length).toBeGreaterThan(30);
    expect(media.filter(({ example }) => example === undefined)).toEqual([]);
    for (const { content = {} } of Object.values(document.components.responses))
      expect(Object.keys(content['application/json']?.examples ?? {})).not.toEqual([]);
    const parameters = operations().flatMap(({ operation }) => operation.parameters ?? []);
    expect(parameters.filter((one) => one.in === 'path' && one.example === undefined)).toEqual([]);
  });

  test('each curl line is a request of its operation, with the example as body', async () => {
    const all = operations();
    const lines = all.map(({ operation }) => operation['x-codeSamples'][0]?.source);
    const script = `curl() { printf '%s\\0' "$@"; printf '\\n\\0'; }\n${lines.join('\n')}`;
    const env = { INLET_API_URL: 'https://api.example/v1', INLET_TOKEN: 'token' };
    const { stdout } = await run('bash', ['-c', script], { env: { ...process.env, ...env } });
    const commands = stdout.split('\0\n\0');
    expect(commands).toHaveLength(all.length + 1);
    for (const [i, { path, method, operation }] of all.entries()) {
      const words = commands[i]?.split('\0') ?? [];
      const url = words.find((word) => word.startsWith('https:')) ?? '';
      const pattern = path.replaceAll(/\{\w+\}/g, '[^/]+');
      expect(new URL(url).pathname).toMatch(new RegExp(`^/v1${pattern}$`));
      expect(after(words, '-X') ?? 'GET').toBe(method.toUpperCase());
      const body = after(words, '-d');
      expect(body && JSON.parse(body)).toEqual(
        operation.requestBody?.content['application/json']?.example,
      );
      const needsToken = operation.security.some((needed) => 'token' in needed);
      expect(words.includes('Authorization: Bearer token')).toBe(needsToken);
    }
  });

  test('the documented code verifies the documented webhook, and no other', async () => {
    const url = `data:text/javascript,${encodeURIComponent(VERIFY_SAMPLE.source)}`;
    const { isFromInlet } = (await import(/* @vite-ignore */ url)) as {
      isFromInlet: (body: string, header: string, secret: string, now?: number) => boolean;
    };
    const header = EXAMPLE_HEADERS['svc-signature'];
    const at = EXAMPLE_TIME.getTime() / 1000;
    expect(isFromInlet(EXAMPLE_BODY, header, EXAMPLE.webhook_secret, at)).toBe(true);
    expect(isFromInlet(EXAMPLE_BODY, header, EXAMPLE.webhook_secret, at + 301)).toBe(false);
    expect(isFromInlet(EXAMPLE_BODY, header, EXAMPLE.webhook_secret)).toBe(false);
    expect(isFromInlet(`${EXAMPLE_BODY} `, header, EXAMPLE.webhook_secret, at)).toBe(false);
    expect(isFromInlet(EXAMPLE_BODY, header, `${EXAMPLE.webhook_secret}x`, at)).toBe(false);
    expect(isFromInlet(EXAMPLE_BODY, 'v1,t=x,s=y', EXAMPLE.webhook_secret, at)).toBe(false);
    expect(
      isFromInlet(EXAMPLE_BODY, `${header},s=${'0'.repeat(64)}`, EXAMPLE.webhook_secret, at),
    ).toBe(true);
    expect(document.webhooks.receiveEmail?.post.parameters).toContainEqual(
      expect.objectContaining({ name: 'Svc-Signature', example: header }),
    );
  });
});

/** The body of a request, and that of its success. */
const mediaOf = ({ requestBody, responses }: Operation): Media[] =>
  [requestBody ?? {}, ...Object.values(responses)].flatMap((one) =>
    'content' in one ? Object.values(one.content ?? {}) : [],
  );

const after = (words: readonly string[], option: string): string | undefined =>
  words.includes(option) ? words[words.indexOf(option) + 1] : undefined;

describe('the page at /v1/docs', () => {
  test('shows every operation, without a token or external content', async () => {
    const html = await (await fetch(`${api.url}/v1/docs`)).text();
    for (const { path, operation } of operations()) {
      expect(html).toContain(`id="${operation.operationId}"`);
      expect(html).toContain(path);
    }
    expect(html).not.toMatch(/<img|url\(|(href|src)="(https?:)?\/\//i);
  });

  test('shows for each call a curl line, its request and its response', async () => {
    const html = await (await fetch(`${api.url}/v1/docs`)).text();
    const shown = (text: string) => expect(html).toContain(escapeHtml(text));
    for (const { operation } of operations()) {
      for (const { example } of mediaOf(operation))
        shown(typeof example === 'string' ? example : JSON.stringify(example, undefined, 2));
      for (const { source } of operation['x-codeSamples']) shown(source);
    }
    shown(EXAMPLE_HEADERS['svc-signature']);
    shown(VERIFY_SAMPLE.source);
  });

  test('allows scripts and styles of this server only, and no frames', async () => {
    const { headers } = await fetch(`${api.url}/v1/docs`);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'/,
    );
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  test.each(['/v1/docs', '/v1/openapi.json', '/v1/payload.schema.json'])(
    '%s is not sent again to a client that has it',
    async (path) => {
      const etag = (await fetch(`${api.url}${path}`)).headers.get('etag') ?? '';
      expect(
        (await fetch(`${api.url}${path}`, { headers: { 'if-none-match': etag } })).status,
      ).toBe(304);
      expect((await fetch(`${api.url}${path}`, { method: 'POST' })).status).toBe(405);
    },
  );
});

test('a GET response has an ETag, and is not sent again to a client that has it', async () => {
  const { id } = await api.create();
  const { headers } = await api.ask('GET', `/v1/addresses/${id}`);
  const known = headers.get('etag') ?? '';
  for (const tag of [known, `W/${known}`, `"other", ${known}`]) {
    expect(
      await api.ask('GET', `/v1/addresses/${id}`, { headers: { 'if-none-match': tag } }),
    ).toMatchObject({ status: 304, body: {} });
  }
  await api.ask('PATCH', `/v1/addresses/${id}`, { body: { description: 'changed' } });
  const changed = await api.ask('GET', `/v1/addresses/${id}`, {
    headers: { 'if-none-match': known },
  });
  expect([changed.status, changed.body.description]).toEqual([200, 'changed']);
});

describe('security headers', () => {
  test.each(['/v1/account', '/v1/nothing', '/healthz'])(
    '%s forbids caching, sniffing and framing',
    async (path) => {
      const { headers } = await api.ask('GET', path);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('strict-transport-security')).toBeNull();
    },
  );

  test('HSTS for requests over HTTPS', async () => {
    await using behind = await startTestApi({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } });
    expect(
      (
        await behind.ask('GET', '/v1/account', { headers: { 'x-forwarded-proto': 'https' } })
      ).headers.get('strict-transport-security'),
    ).toBe('max-age=31536000');
  });

  test('CORS is off: no origin is allowed, nor a preflight', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    for (const answer of [
      await api.ask('GET', '/v1/account', { headers }),
      await api.ask('OPTIONS', '/v1/account', { headers, token: null }),
    ]) {
      expect(
        [...answer.headers.keys()].filter((name) => name.startsWith('access-control-')),
      ).toEqual([]);
    }
  });
});
