/** Idempotency-Key on POST: one effect and one response, across all API processes. */
import { describe, expect, test } from 'vitest';

import { createIdempotencyKeys } from '../../../services/adapters/mongo/limit/idempotency.ts';
import { createSecretBox } from '../../../services/adapters/mongo/database/secrets.ts';
import { HOOK, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const api = await useInFile(startTestApi());

const create = (key: string, fields: object = {}, token = api.token) =>
  api.ask('POST', '/v1/addresses', {
    token,
    body: { webhook_url: HOOK, ...fields },
    headers: { 'idempotency-key': key },
  });
const count = async () =>
  ((await api.ask('GET', '/v1/addresses')).body.pagination as { total: number }).total;

test('a repeated request with the same key has one effect and one response, secrets included', async () => {
  const before = await count();
  const first = await create('k1');
  const second = await create('k1');
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
  expect([
    first.headers.get('idempotency-replayed'),
    second.headers.get('idempotency-replayed'),
  ]).toEqual([null, 'true']);
  expect(await count()).toBe(before + 1);
});

test('the same key for another request is 409 conflict', async () => {
  await create('k2');
  for (const answer of [
    await create('k2', { description: 'other' }),
    await api.ask('POST', '/v1/account/tokens', {
      body: { name: 'x' },
      headers: { 'idempotency-key': 'k2' },
    }),
  ]) {
    expect(answer).toMatchObject({ status: 409, body: { error: 'conflict' } });
  }
});

test('concurrent requests: one is executed, the others get its response or 409', async () => {
  const before = await count();
  const answers = await Promise.all(Array.from({ length: 20 }, () => create('k3')));
  const made = answers.filter(({ status }) => status === 201);
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
  expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
  expect(await count()).toBe(before + 1);
  expect((await create('k3')).body.id).toBe(made[0]?.body.id);
});

test('keys belong to their token', async () => {
  const { token } = await api.issue();
  expect((await create('k4', {}, token)).body.id).not.toBe((await create('k4')).body.id);
});

test('a failure is not stored: the same key may be used again', async () => {
  expect((await create('k5', { webhook_url: 'http://no.example' })).status).toBe(422);
  expect((await create('k5')).status).toBe(201);
  expect(
    (
      await api.ask('POST', '/v1/addresses/addr_none/rotate-secret', {
        headers: { 'idempotency-key': 'k6' },
      })
    ).status,
  ).toBe(404);
  const stored = await api.mongo.db
    .collection('idempotency_keys')
    .countDocuments({ sealed_answer: null });
  expect(stored).toBe(0);
});

test.each([
  ['', 'too_small'],
  ['a b', 'invalid_value'],
  ['a'.repeat(256), 'too_long'],
])('an invalid key is 422: %s', async (key, code) => {
  expect(await create(key)).toMatchObject({
    status: 422,
    body: { details: { field: 'Idempotency-Key', code } },
  });
});

test('other methods ignore the key', async () => {
  const { id } = await api.create();
  for (const description of ['one', 'two']) {
    const headers = { 'idempotency-key': 'k7' };
    expect(
      (await api.ask('PATCH', `/v1/addresses/${id}`, { body: { description }, headers })).body
        .description,
    ).toBe(description);
  }
});

describe('at rest', () => {
  test('a response is encrypted: neither its secret nor the key is visible', async () => {
    const { body } = await create('a-key-to-find');
    const stored = JSON.stringify(
      await api.mongo.db.collection('idempotency_keys').find().toArray(),
    );
    for (const text of ['a-key-to-find', String(body.webhook_secret), 'whsec_'])
      expect(stored).not.toContain(text);
  });

  test('it expires after a day through its index', async () => {
    expect(await api.mongo.db.collection('idempotency_keys').indexes()).toContainEqual(
      expect.objectContaining({ key: { created_at: 1 }, expireAfterSeconds: 86_400 }),
    );
  });

  test('a claim of a process that died can be taken over after two minutes', async () => {
    const keys = createIdempotencyKeys(api.mongo.db, createSecretBox([Buffer.alloc(32)]));
    const request = { tokenId: 'token_1', key: 'lost', content: 'c' };
    const now = new Date();
    const later = new Date(now.getTime() + 120_000);
    expect(await keys.claim(request, now)).toEqual({ kind: 'claimed' });
    expect(await keys.claim(request, now)).toEqual({ kind: 'in-flight' });
    expect(
      (await Promise.all([keys.claim(request, later), keys.claim(request, later)]))
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(['claimed', 'in-flight']);
  });
});
