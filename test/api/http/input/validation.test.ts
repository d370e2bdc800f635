/**
 * Validation (spec 7; D4, D6, D9, D27, D29): 422 with the first invalid field in document order.
 */
import { describe, expect, test } from 'vitest';

import { HOOK, startTestApi } from '../../../support/start-api.ts';
import { useInFile } from '../../../support/use-in-file.ts';

const api = await useInFile(startTestApi());
const id = (await api.create()).id;

const url = { webhook_url: HOOK };

describe('D4: POST /addresses', () => {
  test.each([
    [{}, 'webhook_url', 'required'],
    [{ webhook_url: 7 }, 'webhook_url', 'invalid_type'],
    [{ webhook_url: ['https://example.com'] }, 'webhook_url', 'invalid_type'],
    [{ webhook_url: '' }, 'webhook_url', 'invalid_url'],
    [{ webhook_url: 'example.com' }, 'webhook_url', 'invalid_url'],
    [{ webhook_url: 'https://user:%ff@example.com/' }, 'webhook_url', 'invalid_url'],
    [{ webhook_url: 'https://a:b@example.com/', auth: {} }, 'webhook_url', 'conflict'],
    [{ webhook_url: 'https://a:b@127.0.0.1/' }, 'webhook_url', 'not_public'],
    [
      { webhook_url: `https://${'a'.repeat(256)}@example.com/` },
      'auth.basic.username',
      'invalid_value',
    ],
    [{ webhook_url: 'https://example.com/#part' }, 'webhook_url', 'invalid_url'],
    [{ webhook_url: 'http://example.com/' }, 'webhook_url', 'not_https'],
    [{ webhook_url: 'https://127.0.0.1/' }, 'webhook_url', 'not_public'],
    [{ webhook_url: 'https://localhost/' }, 'webhook_url', 'not_public'],
    [{ webhook_url: 'https://[::ffff:169.254.169.254]/' }, 'webhook_url', 'not_public'],
    [{ webhook_url: `https://example.com/${'a'.repeat(2048)}` }, 'webhook_url', 'too_long'],
    [{ ...url, is_permanent: 'true' }, 'is_permanent', 'invalid_type'],
    [{ ...url, is_permanent: null }, 'is_permanent', 'invalid_type'],
    [{ ...url, ttl_hours: 0 }, 'ttl_hours', 'too_small'],
    [{ ...url, ttl_hours: -1 }, 'ttl_hours', 'too_small'],
    [{ ...url, ttl_hours: 8761 }, 'ttl_hours', 'too_big'],
    [{ ...url, ttl_hours: 1e300 }, 'ttl_hours', 'too_big'],
    [{ ...url, ttl_hours: 1.5 }, 'ttl_hours', 'invalid_type'],
    [{ ...url, ttl_hours: '24' }, 'ttl_hours', 'invalid_type'],
    [{ ...url, ttl_hours: null }, 'ttl_hours', 'invalid_type'],
    [{ ...url, ttl_hours: 24, is_permanent: true }, 'ttl_hours', 'conflict'],
    [{ ...url, description: 5 }, 'description', 'invalid_type'],
    [{ ...url, description: null }, 'description', 'invalid_type'],
    [{ ...url, description: 'a'.repeat(501) }, 'description', 'too_long'],
    [{ ...url, description: 'a\ud800' }, 'description', 'invalid_value'],
    [{ ...url, description: 'a\u0000' }, 'description', 'invalid_value'],
    [{ ...url, description: 'a\nb' }, 'description', 'invalid_value'],
    [{ ...url, description: 'a\u001b[2J' }, 'description', 'invalid_value'],
    [{ ...url, description: 'a\u0085' }, 'description', 'invalid_value'],
    [{ ...url, webhook_uri: HOOK }, 'webhook_uri', 'unknown_field'],
    [{ ...url, is_enabled: false }, 'is_enabled', 'unknown_field'],
    [[], 'body', 'invalid_type'],
    ['text', 'body', 'invalid_type'],
    [null, 'body', 'invalid_type'],
    [7, 'body', 'invalid_type'],
  ])('%j', async (body, field, code) => {
    expect(await api.ask('POST', '/v1/addresses', { body })).toMatchObject({
      status: 422,
      body: { error: 'validation_failed', details: { field, code } },
    });
  });

  test.each([
    [{ description: 5 }, 'webhook_url', 'required'],
    [
      { description: 5, ttl_hours: 0, is_permanent: 'x', webhook_url: 'http://example.com' },
      'webhook_url',
      'not_https',
    ],
    [
      { description: 5, ttl_hours: 0, is_permanent: 'x', webhook_url: HOOK },
      'is_permanent',
      'invalid_type',
    ],
    [
      { description: 'a'.repeat(501), ttl_hours: 5, is_permanent: true, webhook_url: HOOK },
      'ttl_hours',
      'conflict',
    ],
    [{ ttl_hours: 0, is_permanent: true, webhook_url: HOOK }, 'ttl_hours', 'too_small'],
    [{ zzz: 1, description: 5, webhook_url: HOOK }, 'description', 'invalid_type'],
    [{ zzz: 1, aaa: 1, webhook_url: HOOK }, 'zzz', 'unknown_field'],
  ])('the first invalid field in document order: %j', async (body, field, code) => {
    expect((await api.ask('POST', '/v1/addresses', { body })).body).toMatchObject({
      details: { field, code },
    });
  });

  test('names of JavaScript built-ins are unknown fields like any other', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const text = `{"webhook_url":"${HOOK}","${name}":{"is_admin":true}}`;
      expect((await api.ask('POST', '/v1/addresses', { text })).body).toMatchObject({
        details: { field: name, code: 'unknown_field' },
      });
    }
  });

  test('D9: a description may have 500 characters; an emoji counts as one', async () => {
    for (const description of ['a'.repeat(500), '\u{1f4e8}'.repeat(500)]) {
      expect(
        await api.ask('POST', '/v1/addresses', { body: { ...url, description } }),
      ).toMatchObject({ status: 201, body: { description } });
    }
  });

  test('D6: the bounds themselves are allowed', async () => {
    for (const ttl_hours of [1, 8760])
      expect((await api.ask('POST', '/v1/addresses', { body: { ...url, ttl_hours } })).status).toBe(
        201,
      );
  });
});

describe('D4, D29: PATCH /addresses/{address_id}', () => {
  test.each([
    [{ webhook_url: 'http://example.com' }, 'webhook_url', 'not_https'],
    [{ is_enabled: 'no' }, 'is_enabled', 'invalid_type'],
    [{ description: 'a'.repeat(501) }, 'description', 'too_long'],
    [{ is_permanent: false }, 'is_permanent', 'invalid_value'],
    [{ ttl_hours: 0 }, 'ttl_hours', 'too_small'],
    [{ ttl_hours: 5, is_permanent: true }, 'ttl_hours', 'conflict'],
    [{ address: 'me@in.example' }, 'address', 'unknown_field'],
    [{ webhook_secret: 'whsec_x' }, 'webhook_secret', 'unknown_field'],
    [{ account_id: 'acc_1' }, 'account_id', 'unknown_field'],
    [{ $set: {} }, '$set', 'unknown_field'],
  ])('%j', async (body, field, code) => {
    expect(await api.ask('PATCH', `/v1/addresses/${id}`, { body })).toMatchObject({
      status: 422,
      body: { error: 'validation_failed', details: { field, code } },
    });
  });

  test('a refused change has no effect', async () => {
    const before = (await api.ask('GET', `/v1/addresses/${id}`)).body;
    await api.ask('PATCH', `/v1/addresses/${id}`, {
      body: { description: 'new', is_enabled: 'no' },
    });
    expect((await api.ask('GET', `/v1/addresses/${id}`)).body).toEqual(before);
  });
});

describe('D4: queries', () => {
  test.each([
    ['limit=0', 'limit', 'too_small'],
    ['limit=-1', 'limit', 'too_small'],
    ['limit=101', 'limit', 'too_big'],
    ['limit=99999999999999999999', 'limit', 'too_big'],
    ['limit=ten', 'limit', 'invalid_type'],
    ['limit=', 'limit', 'invalid_type'],
    ['limit=1.5', 'limit', 'invalid_type'],
    ['limit=1e1', 'limit', 'invalid_type'],
    ['limit=+5', 'limit', 'invalid_type'],
    ['limit=1&limit=2', 'limit', 'invalid_type'],
    ['limit[$gt]=1', 'limit[$gt]', 'unknown_field'],
    ['offset=-1', 'offset', 'too_small'],
    ['offset=99999999999999999999', 'offset', 'too_big'],
    ['is_enabled=1', 'is_enabled', 'invalid_type'],
    ['is_enabled=TRUE', 'is_enabled', 'invalid_type'],
    ['is_permanent=', 'is_permanent', 'invalid_type'],
    ['page=2', 'page', 'unknown_field'],
    ['page=2&limit=0', 'limit', 'too_small'],
    ['__proto__=2', '__proto__', 'unknown_field'],
  ])('GET /addresses?%s', async (query, field, code) => {
    expect(await api.ask('GET', `/v1/addresses?${query}`)).toMatchObject({
      status: 422,
      body: { error: 'validation_failed', details: { field, code } },
    });
  });

  test.each([
    'POST /v1/addresses',
    'GET /v1/addresses/x',
    'PATCH /v1/addresses/x',
    'DELETE /v1/addresses/x',
  ])('%s accepts no query', async (call) => {
    const [method = '', path = ''] = call.split(' ');
    const answer = await api.ask(
      method,
      `${path}?verbose=1`,
      method === 'POST' ? { body: url } : {},
    );
    expect(answer).toMatchObject({
      status: 422,
      body: { details: { field: 'verbose', code: 'unknown_field' } },
    });
  });
});

test('spec 7: the body has error, message and details, and nothing else', async () => {
  const { body } = await api.ask('POST', '/v1/addresses', { body: {} });
  expect(body).toEqual({
    error: 'validation_failed',
    message: 'webhook_url is required',
    details: { field: 'webhook_url', code: 'required' },
  });
});

test('D27: a webhook_url may name an allowed network, but no other', async () => {
  await using opened = await startTestApi({ env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
  for (const [webhook_url, status] of [
    ['https://127.0.0.1:9443/x', 201],
    ['https://localhost:9443/x', 201],
    ['https://10.0.0.1/x', 422],
    ['http://127.0.0.1/x', 422],
  ] as const) {
    expect((await opened.ask('POST', '/v1/addresses', { body: { webhook_url } })).status).toBe(
      status,
    );
  }
});
