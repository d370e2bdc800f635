/** `inlet admin`: accounts, tokens, invoices, suspension, and secrets under a new key. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';

import { describe, expect, inject, test } from 'vitest';

import {
  createRecipientLookup,
  createTargetLookup,
} from '../../services/adapters/mongo/address/address-lookup.ts';
import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import { createAccountKeys } from '../../services/adapters/mongo/account/account-keys.ts';
import { createAccounts } from '../../services/adapters/mongo/account/accounts.ts';
import { refusalOf } from '../../services/core/smtp/admission.ts';
import { noSuchAddress } from '../../services/core/smtp/smtp-reply.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { runCommand } from '../support/inlet-command.ts';
import { testDir } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { startTestApi } from '../support/start-api.ts';
import { atMost } from '../support/slowdown.ts';
import { useInFile } from '../support/use-in-file.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];

const api = await useInFile(startTestApi({ env: { SECRET_KEYS: oldKey.toString('base64') } }));
const uri = new URL(inject('mongoUri'));
uri.pathname = `/${api.mongo.db.databaseName}`;
const mongoUri = uri.href;

async function admin(args: string[], env: NodeJS.ProcessEnv = {}) {
  const result = await runCommand(['admin', ...args], { env: { MONGODB_URI: mongoUri, ...env } });
  return {
    code: result.code,
    answer: (/^[[{]/.test(result.out) ? JSON.parse(result.out) : undefined) as Record<
      string,
      unknown
    >,
    printed: result.out,
    complaint: result.err,
  };
}

test('creates and lists an account and a token that work, and revokes the token', async () => {
  const { answer: account } = await admin(
    'account create --email new@example.com --name New --company Co'.split(' '),
  );
  expect(account).toMatchObject({
    id: expect.stringMatching(/^acc_/) as string,
    email: 'new@example.com',
    name: 'New',
    company: 'Co',
    plan: 'free',
  });
  const id = String(account.id);
  expect((await admin(['account', 'list'])).answer).toContainEqual(expect.objectContaining({ id }));

  const made = ['--account', id, '--name', 'ops', '--environment', 'test'];
  const { answer: token } = await admin([
    'token',
    'create',
    ...made,
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
  ).toBe(4); // another account's
  expect((await admin(['token', 'revoke', '--account', id, String(token.id)])).answer).toEqual({
    id: token.id,
    deleted: true,
  });
  await until(
    'the end of the token',
    async () =>
      (await api.ask('GET', '/v1/account', { token: String(token.token) })).status === 401,
  );
});

test('D15: the creation and the end of a token are events of its account and environment', async () => {
  const { id: account } = await api.newAccount();
  const reader = await api.issue({ accountId: account, environment: 'test' });
  const made = ['--account', account, '--name', 'ops', '--environment', 'test'];
  const { answer } = await admin(['token', 'create', ...made, '--permissions', 'account:read']);
  await admin(['token', 'revoke', '--account', account, String(answer.id)]);
  const { body } = await api.ask('GET', '/v1/usage/events', { token: reader.token });
  expect(body.data).toMatchObject([
    { type: 'token.deleted', data: { deleted_token_id: answer.id } },
    {
      type: 'token.created',
      data: {
        created_token_id: answer.id,
        name: 'ops',
        prefix: answer.prefix,
        environment: 'test',
        permissions: ['account:read'],
      },
    },
  ]);
  expect(JSON.stringify(body)).not.toContain(answer.token);
});

test('plan set, with PLANS', async () => {
  const { id } = await api.newAccount();
  const plan = { base_cost: 0, emails_included: 9, over_quota: 'refuse' };
  const env = { PLANS: JSON.stringify({ currency: 'EUR', plans: { free: plan, pro: plan } }) };
  const { code, complaint } = await admin(['plan', 'set', id, 'gold'], env);
  expect([code, complaint]).toEqual([2, expect.stringMatching(/PLAN must be one of free, pro\n/)]);
  expect((await admin(['plan', 'set', id, 'pro'], env)).answer).toEqual({ id, plan: 'pro' });
});

test('plan set', async () => {
  const { id } = await api.newAccount();
  expect((await admin(['plan', 'set', id, 'pro'])).answer).toEqual({ id, plan: 'pro' });
  const { token } = await api.issue({ accountId: id });
  expect((await api.ask('GET', '/v1/account', { token })).body.plan).toBe('pro');
  // D294: without PLANS it is only a name
  expect((await api.ask('GET', '/v1/usage', { token })).body.quota).toBeNull();
  expect((await api.ask('GET', '/v1/billing', { token })).body).toMatchObject({
    subscription: { plan: 'pro', status: 'active' },
    usage: { emails_included: 1_000_000_000, emails_used: 0, emails_remaining: 1_000_000_000 },
    costs: { base_cost: 0, total_cost: 0, currency: 'USD' },
  });
});

test('marks an open invoice as paid, once', async () => {
  const invoices = api.mongo.db.collection<{ _id: string; status: string }>('invoices');
  await invoices.insertOne({ _id: 'inv_1', status: 'open' });
  expect((await admin(['invoice', 'mark-paid', 'inv_1'])).answer).toEqual({
    id: 'inv_1',
    status: 'paid',
  });
  expect((await admin(['invoice', 'void', 'inv_1'])).code).toBe(4);
  expect(await invoices.findOne({ _id: 'inv_1' })).toMatchObject({
    status: 'paid',
    paid_at: expect.any(Date) as Date,
  });
  await invoices.deleteOne({ _id: 'inv_1' });
});

test.each([
  [[], 2, /Usage: inlet admin \[options\] \[command\][^]* {2}secrets /],
  [['--help'], 0, /invoice .*[^]*SECRET_KEYS/],
  [['account'], 2, /Usage: inlet admin account [^]* {2}close /],
  [['account', 'create', '--help'], 0, /^Usage: inlet admin account create [^]*--email <email>/],
  [['account', 'explode'], 2, /unknown command 'explode'/],
  [['account', 'create', '--name', 'x'], 2, /required option '--email <email>' not specified/],
  [['account', 'create', '--email', 'x', '--name', 'x'], 2, /not an email address[^]*--help/],
  [['account', 'create', '--email', 'a@b.example', '--name', 'x', '--colour'], 2, /'--colour'/],
  [['account', 'list', 'all'], 2, /too many arguments/],
  [['account', 'suspend', 'acc_one', 'acc_two'], 2, /too many arguments/],
  [['account', 'show', 'acc_none'], 4, /There is no such account: acc_none/],
  [['account', 'update', 'acc_none', '--name', 'x'], 4, /There is no such account: acc_none/],
  [['account', 'update', 'acc_none'], 2, /at least one of --email, --name and --company/],
  [['invoice', 'list', '--status', 'late'], 2, /Allowed choices are open, paid, void/],
  [['invoice', 'list', '--limit', '0'], 2, /whole number from 1/],
  [['account', 'suspend', 'acc_none'], 4, /There is no such account: acc_none/],
  [
    ['token', 'create', '--account', 'acc_none', '--name', 'x'],
    4,
    /There is no such account: acc_none/,
  ],
  [['plan', 'set', 'acc_none'], 2, /missing required argument 'plan'/],
  [['plan', 'set', 'acc_none', 'gold'], 4, /There is no such account: acc_none/],
  [['invoice', 'void', 'inv_none'], 4, /There is no such open invoice: inv_none/],
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
    const receiver = await api.ask('POST', `/v1/addresses/${id}/receivers`, {
      body: { url: 'https://example.com/', auth: { headers: { 'X-Key': 'k' } } },
    });
    const secrets = async (key: Buffer) => {
      const find = createTargetLookup(api.mongo.db, createSecretBox([key]));
      const target = await find(id);
      const { auth } = (await find(String(receiver.body.id))) ?? {};
      return [target?.webhook_secret, target?.former_secrets[0]?.secret, auth?.headers?.['X-Key']];
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

const create = (email: string) => admin(['account', 'create', '--email', email, '--name', 'N']);

describe('accounts', () => {
  test('two accounts cannot share an email address, in any case of its letters', async () => {
    expect((await create('shared@example.com')).code).toBe(0);
    const other = String((await create('not-shared@example.com')).answer.id);
    expect(await create('Shared@Example.com')).toMatchObject({
      code: 1,
      complaint: 'inlet: another account has the email address Shared@Example.com\n',
    });
    expect((await admin(['account', 'update', other, '--email', 'shared@example.com'])).code).toBe(
      1,
    );
    const raced = await Promise.all(Array.from({ length: 5 }, () => create('raced@example.com')));
    expect(raced.filter(({ code }) => code === 0)).toHaveLength(1);
  });

  test('an account of an earlier release keeps its email address, too', async () => {
    const { id } = await api.newAccount();
    await api.mongo.db
      .collection<{ _id: string }>('accounts')
      .updateOne({ _id: id }, { $set: { email: 'old@example.com' }, $unset: { email_key: '' } });
    for (const email of ['old@example.com', 'Old@Example.COM'])
      expect((await create(email)).complaint).toContain('another account');
    expect((await admin(['account', 'update', id, '--email', 'old@example.com'])).code).toBe(0);
    expect((await create('OLD@example.com')).complaint).toContain('another account');
  });

  test('show has the subscription and counts; update changes the owner', async () => {
    const { id } = await api.newAccount();
    const { token } = await api.issue({ accountId: id });
    await api.ask('POST', '/v1/addresses', {
      token,
      body: { webhook_url: 'https://example.com/' },
    });
    expect((await admin(['account', 'update', id, '--company', 'Shop', '--name', 'S'])).code).toBe(
      0,
    );
    expect((await admin(['account', 'show', id])).answer).toMatchObject({
      id,
      name: 'S',
      company: 'Shop',
      subscription: { plan: 'free', status: 'active' },
      addresses: 1,
      domains: 0,
      tokens: 1,
    });
  });

  test('close asks first, then ends tokens and addresses and gives the email address free', async () => {
    const { id, email } = await api.newAccount();
    const { token } = await api.issue({ accountId: id });
    const { address } = (
      await api.ask('POST', '/v1/addresses', {
        token,
        body: { webhook_url: 'https://example.com/' },
      })
    ).body;
    const requested = await admin(['account', 'close', id]);
    expect([requested.code, requested.complaint]).toEqual([
      2,
      expect.stringContaining('deletes 1 addresses, 0 domains and 1 tokens') as string,
    ]);
    expect((await api.ask('GET', '/v1/account', { token })).status).toBe(200);

    const contentKey = createAccountKeys(api.mongo.db, createSecretBox([oldKey, newKey]));
    expect(await contentKey.ensure(id)).toMatchObject({ kind: 'keys' });
    expect((await admin(['account', 'close', id, '--yes'])).answer).toEqual({
      id,
      closed: true,
      addresses: 1,
      domains: 0,
      tokens: 1,
      deliveries_ended: 0,
    });
    expect((await admin(['account', 'close', id, '--yes', '--erase'])).answer).toMatchObject({
      addresses: 0, // a repetition completes it
      deliveries_ended: 0,
    });
    expect(await contentKey.ensure(id)).toEqual({ kind: 'deleted' });
    await until(
      'the end of the token',
      async () => (await api.ask('GET', '/v1/account', { token })).status === 401,
    );
    expect(refusalOf({ recipient: await api.byRecipient(String(address)), now: new Date() })).toBe(
      noSuchAddress,
    );
    expect((await admin(['account', 'show', id])).answer).toMatchObject({
      closed_at: expect.any(String) as string,
      subscription: { status: 'canceled' },
    });
    expect((await admin(['account', 'resume', id])).complaint).toContain('is closed');
    expect((await create(email)).code).toBe(0);
  });

  test('an account of a Kubernetes resource is changed there', async () => {
    const { id } = await createAccounts(api.mongo.db).create({
      email: 'managed@example.com',
      name: 'M',
      managed_by: { kind: 'Account', namespace: 'shop', name: 'main', uid: 'u' },
    });
    for (const args of [
      ['update', id, '--name', 'x'],
      ['close', id, '--yes'],
    ])
      expect((await admin(['account', ...args])).complaint).toContain('resource Account shop/main');
  });
});

async function invoiceIds(...args: string[]): Promise<string[]> {
  const { answer } = await admin(['invoice', 'list', ...args]);
  return (answer as unknown as { id: string }[]).map(({ id }) => id);
}

test('dashboard link signs in to the account once', async () => {
  const { id } = await api.newAccount();
  const link = ['dashboard', 'link', '--account', id, '--permissions', 'deliveries:read'];
  expect((await admin(link)).complaint).toContain('--origin');
  const { answer } = await admin([...link, '--origin', `${api.url}/v1`]);
  const [page, code = ''] = String(answer.url).split('#code=');
  expect(page).toBe(`${api.url}/dashboard/`);
  const signIn = () => api.ask('POST', '/v1/sessions', { token: null, body: { code } });
  expect(await signIn()).toMatchObject({
    status: 201,
    body: { account_id: id, permissions: ['deliveries:read'], method: 'link' },
  });
  expect((await signIn()).status).toBe(401);
});

test('invoice list shows those of all accounts or of one, newest first', async () => {
  const { id: account_id } = await api.newAccount();
  const invoices = api.mongo.db.collection<{ _id: string }>('invoices');
  const times = [1, 2, 3].map((month) => new Date(Date.UTC(2026, month)));
  await invoices.insertMany(
    times.map((period_start, i) => ({
      _id: `inv_list_${i}`,
      account_id: i === 2 ? 'acc_other' : account_id,
      period_start,
      status: i === 1 ? 'open' : 'paid',
    })),
  );
  expect(await invoiceIds()).toEqual(['inv_list_2', 'inv_list_1', 'inv_list_0']);
  expect(await invoiceIds('--account', account_id)).toEqual(['inv_list_1', 'inv_list_0']);
  expect(await invoiceIds('--status', 'open')).toEqual(['inv_list_1']);
  expect(await invoiceIds('--limit', '1')).toEqual(['inv_list_2']);
});

describe('which MongoDB', () => {
  const MAX_WAIT_MS = 5_000;

  async function timed(env: NodeJS.ProcessEnv) {
    const startedMs = Date.now();
    const result = await runCommand(['admin', 'account', 'list'], { env });
    expect(Date.now() - startedMs).toBeLessThan(atMost(MAX_WAIT_MS));
    return result;
  }

  test('a MongoDB that refuses connections is reported once, within five seconds', async () => {
    const port = await freePort();
    expect(await timed({ MONGODB_URI: `mongodb://u:secret@127.0.0.1:${port}/inlet` })).toEqual({
      code: 6,
      out: '',
      err: expect.stringMatching(
        `^inlet: MongoDB at 127.0.0.1:${port} is not available. Check MONGODB_URI[^\n]*\n$`,
      ) as string,
    });
  });

  test('so is one that never responds', async () => {
    const sockets: Socket[] = [];
    await using silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const { code, err } = await timed({ MONGODB_URI: `mongodb://127.0.0.1:${port}/inlet` });
    expect([code, err.split('\n').length]).toEqual([6, 2]);
    for (const socket of sockets) socket.destroy();
  });

  test('one that is slow, but answers, is waited for', async () => {
    const { port, hostname } = new URL(mongoUri);
    await using slow = await startTcpProxy(Number(port), hostname);
    slow.delay(300); // less than four seconds to connect, more with the indexes
    const { code } = await runCommand(['admin', 'account', 'list'], {
      env: { MONGODB_URI: `mongodb://127.0.0.1:${slow.port}/inlet?directConnection=true` },
    });
    expect(code).toBe(0);
  });

  test('without MONGODB_URI it is that of the running npm start, found in a folder above', async () => {
    await using dir = await testDir();
    const inner = join(dir.path, 'shop', 'src');
    await mkdir(inner, { recursive: true });
    const record = (pid: number) =>
      writeFile(
        join(dir.path, '.inlet', 'standalone.json'),
        JSON.stringify({
          api_url: 'http://127.0.0.1:1/v1',
          smtp_host: '127.0.0.1',
          address: 'demo@in.example.com',
          mongodb_uri: mongoUri,
          pids: { standalone: pid },
        }),
        { mode: 0o600 },
      );
    await mkdir(join(dir.path, '.inlet'));
    await writeFile(join(dir.path, '.inlet', 'secret-key'), `${oldKey.toString('base64')}\n`);
    await record(process.pid);
    const found = await runCommand(['admin', 'account', 'list'], { cwd: inner });
    expect([found.code, found.out]).toEqual([0, expect.stringContaining(api.account.id) as string]);
    const NO_SUCH_PID = 2 ** 22 + 1;
    await record(NO_SUCH_PID); // a killed npm start
    const { code, err } = await runCommand(['admin', 'account', 'list'], {
      cwd: inner,
      env: { MONGODB_URI: '' },
    });
    expect([code, err]).toEqual([6, expect.stringContaining('npm start') as string]);
  });
});
