/** `npm run admin`, suspended accounts, and secrets under a new key. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { runAdmin } from '../../services/api/admin/admin.ts';
import {
  createRecipientLookup,
  createTargetLookup,
} from '../../services/adapters/mongo/address-lookup.ts';
import { createSecretBox } from '../../services/adapters/mongo/secrets.ts';
import { refusalOf } from '../../services/core/smtp/admission.ts';
import { until } from '../support/until.ts';
import { startTestApi, type TestApi } from './test-api.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
let api: TestApi;
let mongoUri: string;

beforeAll(async () => {
  api = await startTestApi({ env: { SECRET_KEYS: oldKey.toString('base64') } });
  const uri = new URL(inject('mongoUri'));
  uri.pathname = `/${api.mongo.db.databaseName}`;
  mongoUri = uri.href;
});
afterAll(() => api[Symbol.asyncDispose]());

async function admin(args: string[], env: NodeJS.ProcessEnv = {}) {
  const printed: string[] = [];
  const complaints: string[] = [];
  const code = await runAdmin(
    args,
    { MONGODB_URI: mongoUri, ...env },
    { print: (line) => printed.push(line), printError: (line) => complaints.push(line) },
  );
  return {
    code,
    answer: (code === 0 && printed[0]?.startsWith('npm') !== true
      ? JSON.parse(printed.join('\n'))
      : undefined) as Record<string, unknown>,
    printed: printed.join('\n'),
    complaint: complaints.join('\n'),
  };
}

test('creates and lists an account and a token that work, and revokes the token', async () => {
  const { answer: account } = await admin([
    'account',
    'create',
    '--email',
    'new@example.com',
    '--name',
    'New',
    '--company',
    'Co',
  ]);
  expect(account).toMatchObject({
    id: expect.stringMatching(/^acc_/) as string,
    email: 'new@example.com',
    name: 'New',
    company: 'Co',
    plan: 'free',
  });
  const id = String(account.id);
  expect((await admin(['account', 'list'])).answer).toContainEqual(expect.objectContaining({ id }));

  const { answer: token } = await admin([
    'token',
    'create',
    '--account',
    id,
    '--name',
    'ops',
    '--environment',
    'test',
    '--permissions',
    'account:read',
  ]);
  expect(token).toMatchObject({
    token: expect.stringMatching(/^svc_test_/) as string,
    permissions: ['account:read'],
  });
  expect(await api.ask('GET', '/v1/account', { token: String(token.token) })).toMatchObject({
    status: 200,
    body: { id },
  });
  const { printed } = await admin(['token', 'list', '--account', id]);
  expect(printed).toContain(String(token.id));
  expect(printed).not.toContain(String(token.token));
  expect(
    (await admin(['token', 'revoke', '--account', api.account.id, String(token.id)])).code,
  ).toBe(1); // another account's
  expect((await admin(['token', 'revoke', '--account', id, String(token.id)])).answer).toEqual({
    id: token.id,
    deleted: true,
  });
  expect((await api.ask('GET', '/v1/account', { token: String(token.token) })).status).toBe(401);
});

test('plan set', async () => {
  const { id } = await api.newAccount();
  expect((await admin(['plan', 'set', id, 'pro'])).answer).toEqual({ id, plan: 'pro' });
  const { token } = await api.issue({ accountId: id });
  expect((await api.ask('GET', '/v1/account', { token })).body.plan).toBe('pro');
});

test('marks an open invoice as paid, once', async () => {
  const invoices = api.mongo.db.collection<{ _id: string; status: string }>('invoices');
  await invoices.insertOne({ _id: 'inv_1', status: 'open' });
  expect((await admin(['invoice', 'mark-paid', 'inv_1'])).answer).toEqual({
    id: 'inv_1',
    status: 'paid',
  });
  expect((await admin(['invoice', 'void', 'inv_1'])).code).toBe(1);
  expect(await invoices.findOne({ _id: 'inv_1' })).toMatchObject({
    status: 'paid',
    paid_at: expect.any(Date) as Date,
  });
  await invoices.deleteOne({ _id: 'inv_1' });
});

test.each([
  [[], 2, /account create/],
  [['--help'], 0, /secrets reencrypt/],
  [['account', 'explode'], 2, /unknown command "account explode"/],
  [
    ['account', 'create', '--name', 'x'],
    2,
    /--email is required\nusage: npm run admin -- account create --email/,
  ],
  [['account', 'create', '--email', 'x', '--name', 'x'], 2, /not an email address/],
  [['account', 'create', '--colour', 'red'], 2, /--colour/],
  [['account', 'suspend', 'acc_none'], 1, /account not found/],
  [['token', 'create', '--account', 'acc_none', '--name', 'x'], 1, /account acc_none not found/],
  [['plan', 'set', 'acc_none'], 2, /PLAN is required/],
  [['plan', 'set', 'acc_none', 'gold'], 2, /PLAN must be one of free, pro, business/],
  [['invoice', 'void', 'inv_none'], 1, /open invoice not found/],
  [['secrets', 'reencrypt'], 1, /SECRET_KEYS: must be set/],
])('%j exits with %i and the reason', async (args, code, words) => {
  const done = await admin(args);
  expect([done.code, `${done.printed}${done.complaint}`]).toEqual([
    code,
    expect.stringMatching(words),
  ]);
});

test('refuses an unknown permission or environment', async () => {
  for (const [option, value] of [
    ['--permissions', 'everything'],
    ['--environment', 'prod'],
  ] as const) {
    expect(
      (await admin(['token', 'create', '--account', api.account.id, '--name', 'x', option, value]))
        .code,
    ).toBe(2);
  }
});

describe('a suspended account', () => {
  test('gets 403 forbidden from the API and 450 4.7.1 from the gateway until it is resumed', async () => {
    const { id } = await api.newAccount();
    const { token } = await api.issue({ accountId: id });
    const { address } = (
      await api.ask('POST', '/v1/addresses', {
        token,
        body: { webhook_url: 'https://example.com/' },
      })
    ).body;
    const recipient = () => createRecipientLookup(api.mongo.db)(String(address));
    const reply = async () => refusalOf({ recipient: await recipient(), now: new Date() });
    expect(await reply()).toBeUndefined();

    expect((await admin(['account', 'suspend', id])).code).toBe(0);
    const refused = await until('the suspension', async () => {
      const answer = await api.ask('GET', '/v1/account', { token });
      return answer.status === 403 ? answer : undefined;
    });
    expect(refused).toMatchObject({
      body: { error: 'forbidden', message: expect.stringContaining('suspended') as string },
    });
    expect(refused.headers.get('x-ratelimit-limit')).toBeTruthy();
    expect(await reply()).toMatchObject({ code: 450, enhanced: '4.7.1' });
    expect((await api.ask('GET', '/v1/account')).status).toBe(200); // nobody else

    expect((await admin(['account', 'resume', id])).code).toBe(0);
    await until(
      'the end of the suspension',
      async () => (await api.ask('GET', '/v1/account', { token })).status === 200,
    );
    expect(await reply()).toBeUndefined();
  });
});

const keys = (...all: Buffer[]) => ({
  SECRET_KEYS: all.map((key) => key.toString('base64')).join(','),
});

describe('secrets reencrypt', () => {
  test('includes previous secrets; a second run changes nothing; then the new key alone is enough', async () => {
    const { id } = await api.create();
    await api.ask('POST', `/v1/addresses/${id}/rotate-secret`);
    const secrets = async (key: Buffer) => {
      const target = await createTargetLookup(api.mongo.db, createSecretBox([key]))(id);
      return [target?.webhook_secret, target?.former_secrets[0]?.secret];
    };
    const before = await secrets(oldKey);
    const { addresses, ...first } = (await admin(['secrets', 'reencrypt'], keys(newKey, oldKey)))
      .answer;
    expect([first, Number(addresses) > 0]).toEqual([{ resealed: addresses, changed: 0 }, true]);
    expect((await admin(['secrets', 'reencrypt'], keys(newKey, oldKey))).answer).toEqual({
      addresses,
      resealed: 0,
      changed: 0,
    });
    expect(await secrets(newKey)).toEqual(before);
    await expect(secrets(oldKey)).rejects.toThrow('not in SECRET_KEYS');
  });

  test('fails without the key that encrypted a secret, and says why', async () => {
    expect(await admin(['secrets', 'reencrypt'], keys(oldKey))).toMatchObject({
      code: 1,
      complaint: expect.stringContaining('not in SECRET_KEYS') as string,
    });
  });
});
