/** `inlet` against all of Inlet as `npm start` runs it: profiles, addresses, email, deliveries. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { AddressWithSecret } from '../../services/core/address/address-view.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { runCommand } from '../support/inlet-command.ts';
import { until } from '../support/until.ts';
import { startWholeSystem, type WholeSystem } from '../support/start-standalone.ts';

const parts = new AsyncDisposableStack();
let system: WholeSystem;
let home: string;
beforeAll(async () => {
  system = parts.use(await startWholeSystem());
  home = await mkdtemp(join(tmpdir(), 'inlet-home-'));
  parts.defer(() => rm(home, { recursive: true }));
});
afterAll(() => parts.disposeAsync());

/** Finds the running Inlet, as in a checkout. */
const inlet = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  runCommand(args, { env: { HOME: home, INLET_DIR: system.standalone.dataDir, ...env } });

async function json<T>(...args: string[]): Promise<T> {
  const { code, out, err } = await inlet([...args, '--json']);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as T;
}

async function received(subject: string): Promise<string> {
  return until('the delivery', async () => {
    type List = { data: { event_id: string; subject: string; status: string }[] };
    const { data } = await json<List>('deliveries', 'list', '--since', '1h');
    return data.find((one) => one.subject === subject && one.status === 'delivered')?.event_id;
  });
}

describe('the running npm start is found', () => {
  test('refusals: list, show, let the sender in, and erase', async () => {
    const { address, id } = await system.address('/refusing', {
      allowed_senders: { senders: ['partner.example'], require_authenticated: false },
    });
    const send = () => inlet(['send', address, '--from', 'ann@sender.example']);
    expect((await send()).err).toContain('550 5.7.1');
    const list = ['refusals', 'list', '--address', id, '--reason', 'sender_not_allowed'];
    const [refusal] = await until('a refusal', async () => {
      const { data } = await json<{ data: { id: string }[] }>(...list);
      return data.length > 0 ? data : undefined;
    });
    expect((await inlet(list)).out).toMatch(/^ID +LAST +COUNT +MAILBOX +SENDER +REASON\n/);
    const one = String(refusal?.id);
    expect((await inlet(['refusals', 'show', one])).out).toMatch(
      /decided_by +field allowed_senders/,
    );
    const allowed = await inlet(['refusals', 'allow', one]);
    expect(allowed).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^Nothing proves/) as string,
    });
    await until('the change', async () => (await send()).out.includes('250'));
    expect((await inlet(['refusals', 'allow', one])).err).toContain('is allowed already');
    expect(await json('refusals', 'erase', one)).toEqual({ id: one, deleted: true });
    expect((await inlet(['refusals', 'show', one])).code).toBe(4);
    expect((await inlet(['refusals', 'erase'])).code).toBe(2);
  });

  test('refusals: hold what a rule refuses', async () => {
    const rules = [{ name: 'offers', when: 'subject == "An offer"', action: 'refuse' }];
    const { address, id } = await system.address('/holding', { rules });
    const send = () => inlet(['send', address, '--subject', 'An offer']);
    expect((await send()).err).toContain('550 5.7.1');
    const one = await until('a refusal', async () => {
      const { data } = await json<{ data: { id: string }[] }>('refusals', 'list', '--address', id);
      return data[0]?.id;
    });
    expect(await json('refusals', 'hold', one)).toMatchObject({
      id,
      rules: [{ name: 'offers', action: 'hold' }],
    });
    expect(await inlet(['refusals', 'hold', one])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no rule of the address can hold') as string,
    });
    await until('the change', async () => (await send()).out.includes('250'));
    const held = ['deliveries', 'list', '--address', id, '--status', 'held'];
    const eventId = await until('held', async () => {
      const { data } = await json<{ data: { event_id: string }[] }>(...held);
      return data[0]?.event_id;
    });
    const shown = await inlet(['deliveries', 'show', eventId]);
    expect(shown.out).toMatch(/^ruling +hold by offers$/m);
  });

  test('send, then list, show and print the payload of the email', async () => {
    const address = await system.address('/cli');
    const sent = await inlet(['send', address.address, '--subject', 'From the \u001b[31mterminal']);
    expect(sent.out).toMatch(new RegExp(`^${address.address}: 250 .*\\n$`));
    const webhook = await system.receiver.nth('/cli', 1);
    const id = webhook.payload.event_id;
    await received('From the \u001b[31mterminal');

    const list = await inlet(['deliveries', 'list', '--address', address.id]);
    expect(list.out).toMatch(/^RECEIVED +EVENT +STATUS +FROM +TO +RECEIVER +SUBJECT\n/);
    expect(list.out).toContain('From the \ufffd[31mterminal');
    const search = [
      '--subject',
      'from the',
      '--sender',
      '@example.com',
      '--recipient',
      address.address,
    ];
    expect((await inlet(['deliveries', 'list', ...search])).out).toContain(id);
    expect((await inlet(['deliveries', 'list', ...search, '--verdict', 'spam'])).out).not.toContain(
      id,
    );
    expect((await inlet(['deliveries', 'show', id])).out).toMatch(/\n1 +\S+ +accepted +200 +\d+/);
    expect((await inlet(['deliveries', 'payload', id])).out).toBe(webhook.raw.toString());
    const replay = ['deliveries', 'replay', '--status', 'delivered', ...search];
    const rest = { skipped: { no_longer_kept: 0, under_way: 0 }, next_cursor: null };
    expect(await json(...replay, '--verdict', 'spam')).toEqual({ queued: 0, ...rest });
    expect(await json(...replay)).toEqual({ queued: 1, ...rest });
    expect((await system.receiver.nth('/cli', 2)).payload.event_id).toBe(id);
    await until(
      'another replay',
      async () => (await inlet(['deliveries', 'replay', id])).code === 0,
    );
    expect((await system.receiver.nth('/cli', 3)).payload.event_id).toBe(id);
    expect(
      await json('deliveries', 'replay', '--status', 'failed', '--address', address.id),
    ).toMatchObject({ queued: 0 });
  });

  test('the options for retention and redaction; erase', async () => {
    const made = ['--retention-hours', '24', '--redact', 'subject,from'];
    const url = system.receiver.url('/private');
    const { id, address } = await json<AddressWithSecret>(
      'addresses',
      'create',
      '--webhook-url',
      url,
      ...made,
    );
    expect((await inlet(['send', address, '--subject', 'kept private'])).code).toBe(0);
    const { payload } = await system.receiver.nth('/private', 1);
    await until('the outcome', async () =>
      (await inlet(['deliveries', 'show', payload.event_id])).out.includes('accepted'),
    );
    const list = await inlet(['deliveries', 'list', '--address', id]);
    expect(list.out).not.toContain('kept private');
    const erased = await inlet(['deliveries', 'erase', payload.event_id]);
    expect(erased.out).toMatch(/^content_erased_at +\d{4}-/m);
    expect((await inlet(['deliveries', 'payload', payload.event_id])).err).toContain('was erased');

    const inherit = ['--retention-hours', 'account', '--redact', 'account'];
    expect(await json('addresses', 'update', id, ...inherit)).toMatchObject({
      retention_hours: null,
      redact: null,
    });
    expect(await json('addresses', 'update', id, '--redact', 'none')).toMatchObject({ redact: [] });
    const senders = ['--allowed-senders', 'a.example,ann@b.example'];
    expect(await json('addresses', 'update', id, ...senders)).toMatchObject({
      allowed_senders: { senders: ['a.example', 'ann@b.example'], require_authenticated: true },
    });
    expect(await json('addresses', 'update', id, '--no-allowed-senders')).toMatchObject({
      allowed_senders: null,
    });
    expect(await json('addresses', 'update', id, '--extract', 'links,hidden_text')).toMatchObject({
      payload: { attachments: 'inline', extract: ['links', 'hidden_text'] },
    });
    const files = ['--extract', 'none', '--attachments', 'omit', '--spam-refuse-above', '7.5'];
    expect(await json('addresses', 'update', id, ...files)).toMatchObject({
      payload: { extract: [], attachments: 'omit', raw: false },
      spam_refuse_above: 7.5,
    });
    expect(await json('addresses', 'update', id, '--spam-refuse-above', 'none')).toMatchObject({
      payload: { attachments: 'omit' },
      spam_refuse_above: null,
    });
    expect(await json('addresses', 'update', id, '--ttl-hours', '5')).toMatchObject({
      is_permanent: false,
    });
    expect(await json('addresses', 'update', id, '--permanent')).toMatchObject({
      is_permanent: true,
      expires_at: null,
    });
    for (const [requested, refuse_infected] of [
      ['yes', true],
      ['no', false],
      ['account', null],
    ] as const)
      expect(await json('addresses', 'update', id, '--refuse-infected', requested)).toMatchObject({
        refuse_infected,
      });
    const limits = ['--max-per-hour', '9', '--attachment-types', 'image/*'];
    expect(await json('addresses', 'update', id, ...limits)).toMatchObject({
      max_per_hour: 9,
      allowed_attachments: { types: ['image/*'], max_bytes: null },
    });
    expect(await json('addresses', 'update', id, '--attachment-max-bytes', '5')).toMatchObject({
      allowed_attachments: { types: ['image/*'], max_bytes: 5 },
    });
    const unlimited = ['--attachment-types', 'all', '--attachment-max-bytes', 'none'];
    expect(
      await json('addresses', 'update', id, '--max-per-hour', 'none', ...unlimited),
    ).toMatchObject({ max_per_hour: null, allowed_attachments: null });
    const fault = await inlet(['addresses', 'update', id, '--retention-hours', '-1']);
    expect(fault.err).toContain('It must be a whole number from 0, or account.');
  });

  test('retry makes a waiting delivery due now; cancel ends it', async () => {
    const address = await system.address('/down');
    let status = 503;
    system.receiver.answer('/down', () => ({ status }));
    for (const subject of ['first', 'second'])
      expect((await inlet(['send', address.address, '--subject', subject])).code).toBe(0);
    const waiting = () =>
      json<{ data: { event_id: string; subject: string }[] }>(
        'deliveries',
        'list',
        '--address',
        address.id,
        '--status',
        'retrying',
      );
    const { data } = await until('both to wait', async () => {
      const list = await waiting();
      const isAsleep = (
        await json<{ data: { attempt_count: number }[] }>(
          'deliveries',
          'list',
          '--address',
          address.id,
        )
      ).data.every(({ attempt_count }) => attempt_count === 2);
      return list.data.length === 2 && isAsleep ? list : undefined;
    });
    const idOf = (subject: string) => String(data.find((one) => one.subject === subject)?.event_id);
    const canceled = await inlet(['deliveries', 'cancel', idOf('first')]);
    expect([canceled.code, canceled.out]).toEqual([0, expect.stringMatching(/status +failed/)]);
    status = 200;
    expect((await inlet(['deliveries', 'retry', idOf('second')])).code).toBe(0);
    await received('second');
    expect((await inlet(['deliveries', 'retry', idOf('first')])).err).toContain('[conflict]');
  });

  test('an address without a URL, and the options of its first receiver', async () => {
    const created = await json<AddressWithSecret>('addresses', 'create', '--description', 'read');
    expect(created).toMatchObject({ webhook_url: null });
    const { id } = created;
    expect((await inlet(['addresses', 'list'])).out).toMatch(new RegExp(`${id} .* - *$`, 'm'));
    expect((await inlet(['addresses', 'test', id])).err).toContain('[conflict]');
    const file = join(home, 'auth.json');
    await writeFile(file, JSON.stringify({ basic: { username: 'inlet', password: 'p' } }));
    const url = system.receiver.url('/first-options');
    const set = ['--webhook-url', url, '--auth-file', file, '--format', 'cloudevents'];
    expect(await json('addresses', 'update', id, ...set, '--when', 'size_bytes > 0')).toMatchObject(
      {
        webhook_url: url,
        auth: { basic: { username: 'inlet' } },
        format: 'cloudevents',
        when: 'size_bytes > 0',
      },
    );
    expect(await json('receivers', 'update', id, id, '--signing', 'ed25519')).toMatchObject({
      signing: 'ed25519',
      url,
    });
    const unset = ['--no-webhook-url', '--no-auth', '--no-when', '--disable-webhook'];
    expect(await json('addresses', 'update', id, ...unset)).toMatchObject({
      webhook_url: null,
      auth: null,
      when: null,
      webhook_enabled: false,
    });
    expect((await inlet(['addresses', 'update', id])).err).toContain('nothing to change');
  });

  test('an address from creation to deletion', async () => {
    const url = system.receiver.url('/life');
    const created = await json<AddressWithSecret>('addresses', 'create', '--webhook-url', url);
    expect(created.webhook_secret).toMatch(/^whsec_/);
    const { id } = created;
    expect((await inlet(['addresses', 'list'])).out).toContain(created.address);
    expect((await inlet(['addresses', 'update', id, '--disable'])).out).toMatch(
      /is_enabled +false/,
    );
    expect(await inlet(['addresses', 'test', id])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/outcome +accepted/) as string,
    });
    system.receiver.answer('/life', () => 500);
    expect(await inlet(['addresses', 'test', id])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/outcome +busy/) as string,
      err: '',
    });
    const rotated = await json<AddressWithSecret>('addresses', 'rotate-secret', id);
    expect(rotated.webhook_secret).not.toBe(created.webhook_secret);
    const only = ['addresses', 'update', id, '--reply-addresses', 'only'];
    expect(await json(...only)).toMatchObject({ reply_addresses: true, reply_only: true });
    type Key = { reply_key: string; former_reply_keys_valid_until: string | null };
    const key = await json<Key>('addresses', 'reply-key', id);
    const reply = ['reply-address', id, 'ticket-42', '--ttl-hours', '2', '--sender', 'Ann@x.test'];
    expect(await json(...reply)).toMatchObject({
      address: expect.stringMatching(
        /\+rticket-42\.[0-9a-f]{8}\.[0-9a-v]{8}\.[0-9a-v]{16}@/,
      ) as string,
      sender: 'ann@x.test',
    });
    const second = await json<Key>('addresses', 'rotate-reply-key', id, '--overlap-hours', '0');
    expect(second.reply_key).not.toBe(key.reply_key);
    expect(second.former_reply_keys_valid_until).toBeNull();
    expect((await inlet(['addresses', 'delete', id])).code).toBe(0);
    expect(await inlet(['addresses', 'show', id])).toMatchObject({
      code: 4,
      err: expect.stringContaining('[not_found]') as string,
    });
  });

  test('J2: a hook is set, shown and removed, of an address and of the account', async () => {
    const { id } = await system.address('/hooked');
    const url = system.receiver.url('/decide');
    const hook = { url, when: 'is_list', timeout_ms: 900, on_error: 'defer' };
    const requested = ['--when', 'is_list', '--timeout', '900', '--on-error', 'defer'];
    expect(await json('hooks', 'set', url, ...requested, '--address', id)).toEqual(hook);
    expect((await inlet(['hooks', 'show', '--address', id])).out).toContain('timeout_ms');
    expect((await inlet(['hooks', 'show'])).out).toBe('no hook\n');
    expect(await json('hooks', 'remove', '--address', id)).toBeNull();
    expect(await json('hooks', 'set', url)).toMatchObject({ url, on_error: 'accept' });
    expect(await json('hooks', 'remove')).toBeNull();
  });

  test('authentication to a receiver comes from a file; a fault does not quote it', async () => {
    const { id, address } = await system.address('/cli-auth');
    const file = join(home, 'auth.json');
    await writeFile(file, '{"headers": {"X-Api-Key": "of-the-gateway"}}');
    const url = system.receiver.url('/cli-guarded');
    const create = ['receivers', 'create', id, '--url', url, '--auth-file', file];
    const made = await json<{ id: string; auth: object }>(...create);
    expect(made.auth).toMatchObject({ headers: ['X-Api-Key'], basic: null });
    await writeFile(file, '{"auth": {"headers": {"X-Other": "as an example of a request"}}}');
    const changed = await json<{ auth: object }>(
      'receivers',
      'update',
      id,
      made.id,
      '--auth-file',
      file,
    );
    expect(changed.auth).toMatchObject({ headers: ['X-Other'] });
    await writeFile(file, '{"headers": {"X-Api-Key": "of-the-gateway"}}');
    const update = ['receivers', 'update', id, made.id];
    expect(await json(...update, '--no-auth')).toMatchObject({ auth: null });
    expect(await json(...update, '--auth-file', file)).toMatchObject({ auth: made.auth });
    await writeFile(file, '{"headers": of-the-gateway}');
    // an email to several receivers has a line for each, which says whose it is
    await inlet(['send', address, '--subject', 'to both']);
    await until('both deliveries', async () => {
      const { out } = await inlet(['deliveries', 'list', '--address', id]);
      return out.includes('  first  ') && out.includes(`  ${made.id}  `);
    });
    const refused = await inlet([...update, '--auth-file', file]);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain(`${file} is not JSON`);
    expect(refused.err).not.toContain('of-the-gateway');
  });

  test('tokens, domains and usage', async () => {
    const created = await json<{ id: string; token: string }>(
      'tokens',
      'create',
      '--name',
      'reader',
      '--permissions',
      'deliveries:read',
    );
    const env = {
      INLET_API_URL: system.standalone.state().api_url,
      INLET_TOKEN: created.token,
    };
    expect((await inlet(['deliveries', 'list'], env)).code).toBe(0);
    expect(await inlet(['addresses', 'list'], env)).toMatchObject({ code: 3, out: '' });
    const list = (await inlet(['tokens', 'list'])).out;
    expect(list).toContain('reader');
    expect(list).not.toContain('within its limit'); // none is limited
    expect((await inlet(['tokens', 'delete', created.id])).code).toBe(0);
    const limited = ['tokens', 'create', '--name', 'agent', '--label', 'team=shop,stage=test'];
    const agent = await json<{ id: string; labels: object }>(...limited);
    expect(agent.labels).toEqual({ team: 'shop', stage: 'test' });
    expect((await inlet(['tokens', 'list'])).out).toContain('stage=test,team=shop');
    expect((await inlet(['tokens', 'delete', agent.id])).code).toBe(0);
    const domain = await json<{ id: string }>('domains', 'create', 'cli.example');
    expect(await json('domains', 'get', 'cli.example')).toMatchObject({ id: domain.id });
    expect((await inlet(['domains', 'delete', domain.id])).code).toBe(0);
    expect((await inlet(['usage'])).out).toContain('success_rate');
  });

  test('what the API refuses is one sentence with the field, and what helps', async () => {
    expect(await inlet(['addresses', 'create', '--webhook-url', 'ftp://x'])).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /^inlet: .*\(field webhook_url\) \[validation_failed\]\n.*inlet listen.*\n$/,
      ) as string,
    });
  });
});

const signIn = (token: string, env: NodeJS.ProcessEnv = {}) =>
  runCommand(['login', '--api-url', system.standalone.state().api_url], {
    env: { HOME: home, ...env },
    input: Buffer.from(`${token}\n`),
  });

describe('profiles', () => {
  test('login stores a token that works in a file of mode 600; logout removes it', async () => {
    const { token, api_url } = system.standalone.state();
    const file = join(home, '.config', 'inlet', 'profiles.json');
    expect((await signIn(token)).out).toContain(file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const env = { HOME: home };
    expect((await runCommand(['addresses', 'list'], { env })).code).toBe(0);
    expect((await runCommand(['profiles'], { env })).out).toMatch(
      new RegExp(`^default +${api_url} +live +\\*$`, 'm'),
    );
    expect((await runCommand(['usage', '--profile', 'work'], { env })).code).toBe(2);
    expect((await runCommand(['logout'], { env })).code).toBe(0);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ profiles: {} });
    expect(await runCommand(['usage'], { env })).toMatchObject({
      code: 3,
      err: expect.stringContaining('inlet login') as string,
    });
  });

  test('login refuses a token that does not work, and an API without TLS', async () => {
    expect(await signIn(`svc_live_${'x'.repeat(43)}`)).toMatchObject({
      code: 3,
      err: expect.stringContaining('refuses this token') as string,
    });
    expect((await signIn('a password')).code).toBe(2);
    const plain = ['login', '--api-url', 'http://inlet.example.com/v1'];
    expect((await runCommand(plain)).err).toContain('unencrypted');
  });

  test('an API that does not respond is exit code 6', async () => {
    const env = {
      INLET_API_URL: `http://127.0.0.1:${await freePort()}/v1`,
      INLET_TOKEN: system.standalone.state().token,
    };
    expect(await runCommand(['usage'], { env })).toMatchObject({
      code: 6,
      err: expect.stringContaining('ECONNREFUSED') as string,
    });
  });
});

const listDeliveries = async (given: { isInteractive: boolean; env?: NodeJS.ProcessEnv }) => {
  const env = { INLET_DIR: system.standalone.dataDir, ...given.env };
  return (await runCommand(['deliveries', 'list'], { ...given, env })).out;
};

describe('colors', () => {
  test('only on a terminal, and not with NO_COLOR', async () => {
    expect(await listDeliveries({ isInteractive: true })).toContain('\u001b[32mdelivered');
    expect(await listDeliveries({ isInteractive: false })).not.toContain('\u001b');
    expect(await listDeliveries({ isInteractive: true, env: { NO_COLOR: '1' } })).not.toContain(
      '\u001b',
    );
  });
});

describe('P.2: a command', () => {
  test('takes a noun by its name, and exits with 4 for one that does not exist', async () => {
    const file = join(home, 'senders.txt');
    await writeFile(file, 'partner.test\n');
    const list = await json<{ id: string }>('lists', 'create', 'by_name', file);
    expect(await json('lists', 'show', 'by_name')).toMatchObject({ id: list.id });
    expect((await inlet(['lists', 'export', 'by_name'])).out).toBe('partner.test\n');
    const { code, err } = await inlet(['buckets', 'test', 'no-such-bucket']);
    expect([code, err]).toEqual([4, 'inlet: There is no such bucket [not_found]\n']);
  });

  test('takes an address by its name, and exits with 4 for one that does not exist', async () => {
    const { id, address } = await system.address('/named');
    expect(await json('addresses', 'show', address)).toMatchObject({ id });
    const { data } = await json<{ data: { id: string }[] }>('receivers', 'list', address);
    expect(data[0]?.id).toBe(id);
    await inlet(['send', address, '--subject', 'to a name']);
    const waited = await inlet(['wait', '--address', address, '--since', '1h']);
    expect(waited.out).toContain('to a name');
    const listed = await inlet(['deliveries', 'list', '--address', address.toUpperCase()]);
    expect(listed.out).toContain('to a name');
    for (const args of [
      ['addresses', 'show', 'nobody@inlet.localhost'],
      ['rules', 'list', '--address', 'nobody@inlet.localhost'],
      ['deliveries', 'list', '--address', 'nobody@inlet.localhost'],
      ['wait', '--address', 'nobody@inlet.localhost'],
      ['tail', '--address', 'nobody@inlet.localhost'],
    ])
      expect([args, await inlet(args)]).toMatchObject([
        args,
        { code: 4, err: 'inlet: There is no such address: nobody@inlet.localhost\n' },
      ]);
  });

  test('shows what the receiver responded, and never JSON', async () => {
    const { address } = await system.address('/refused');
    system.receiver.answer('/refused', () => ({
      status: 422,
      body: 'no such order\nin this shop',
    }));
    await inlet(['send', address, '--subject', 'refused']);
    const { payload } = await system.receiver.nth('/refused', 1);
    const shown = await until('the attempt', async () => {
      const { out } = await inlet(['deliveries', 'show', payload.event_id]);
      return out.includes('refused') ? out : undefined;
    });
    expect(shown).toMatch(/^status +failed$/m);
    expect(shown).toContain('response to attempt 1:\n  no such order\n  in this shop\n');
    expect(shown).not.toMatch(/[[{]"/);
    for (const args of [
      ['usage'],
      ['addresses', 'show', address],
      ['tokens', 'list'],
      ['deliveries', 'replay', payload.event_id],
    ]) {
      const { code, out } = await inlet(args);
      expect([args, code, /[[{]"/.exec(out)]).toEqual([args, 0, null]);
    }
    const open = await inlet(['open', payload.event_id, '--print']);
    expect(open.out).toMatch(new RegExp(`/dashboard/mail/${payload.event_id}#code=\\S+\n$`));
    expect((await inlet(['open', 'evt_unknown', '--print'])).code).toBe(4);
  });

  test('has one voice for errors', async () => {
    for (const args of [
      ['bogus'],
      ['send', 'nobody'],
      ['addresses', 'show'],
      ['listen', '--print', 'x'],
    ])
      expect([args, await inlet(args)]).toMatchObject([
        args,
        { code: 2, err: expect.stringMatching(/^inlet: /) as string },
      ]);
    expect((await inlet(['bogus'])).err).not.toContain('Did you mean');
    expect((await inlet(['adresses'])).err).toContain('Did you mean addresses?');
    expect((await inlet(['usage', '--jsn'])).err).toContain('Did you mean --json?');
  });

  test('creates with a hint for a program on this machine, and changes without the secret', async () => {
    const create = ['addresses', 'create', '--webhook-url', 'http://localhost:3000'];
    const { code, err } = await inlet(create);
    expect([code, err]).toEqual([1, expect.stringMatching(/must be an https URL[^]*inlet listen/)]);
    const { id } = await system.address('/changed');
    const shown = await json<{ webhook_secret: string }>('addresses', 'show', id);
    for (const requested of [[], ['--json']]) {
      const change = ['addresses', 'update', id, '--description', 'changed', ...requested];
      const changed = await inlet(change);
      expect(changed.out).toContain('changed');
      expect(changed.out).not.toContain(shown.webhook_secret);
    }
  });
});

describe('send', () => {
  test('P.2: one email to several recipients; a refused one is named', async () => {
    const [one, other] = [await system.address('/many-1'), await system.address('/many-2')];
    const both = await inlet(['send', one.address, '--to', other.address]);
    expect(both.out).toMatch(new RegExp(`^${one.address}: 250 .*\n${other.address}: 250 .*\n$`));
    await system.receiver.nth('/many-1', 1);
    await system.receiver.nth('/many-2', 1);
    const partly = await inlet(['send', '--to', one.address, '--to', 'nobody@inlet.localhost']);
    expect(partly.code).toBe(1);
    expect(partly.out).toMatch(/: 250 .*\nnobody@inlet\.localhost: 550 .*\n$/);
  });

  test('attachments and a size; a refused recipient is exit code 1', async () => {
    const address = await system.address('/sized');
    const file = join(home, 'order.txt');
    await writeFile(file, 'three');
    const args = ['send', address.address, '--attach', file, '--size', '100k'];
    expect((await inlet(args)).code).toBe(0);
    const { payload } = await system.receiver.nth('/sized', 1);
    expect(payload.attachments.map(({ filename }) => filename)).toEqual([
      'order.txt',
      'filler.bin',
    ]);
    expect(await inlet(['send', 'nobody@inlet.localhost'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('550') as string,
    });
    expect((await inlet(['send', '--attach', join(home, 'none')])).err).toContain('cannot attach');
    expect((await runCommand(['send'])).code).toBe(6);
  });

  test('HTML and headers; an email as it is, from a file or from standard input', async () => {
    const { address } = await system.address('/sent-as');
    const extra = ['--header', 'X-Ticket: 7', '--header', 'Reply-To: ann@a.example'];
    expect((await inlet(['send', address, '--html', '<p>hi</p>', ...extra])).code).toBe(0);
    const { payload } = await system.receiver.nth('/sent-as', 1);
    expect(payload.content).toMatchObject({ html: '<p>hi</p>', text: 'Sent by inlet send.' });
    expect(payload.headers.all).toContainEqual({ name: 'X-Ticket', value: '7' });
    const eml = 'From: Bob <bob@b.example>\nSubject: as it is\n\nBody\n';
    const file = join(home, 'mail.eml');
    await writeFile(file, eml);
    expect((await inlet(['send', address, '--eml', file])).code).toBe(0);
    const env = { HOME: home, INLET_DIR: system.standalone.dataDir };
    const piped = { env, input: Buffer.from(eml) };
    expect((await runCommand(['send', address, '--eml', '-'], piped)).code).toBe(0);
    for (const n of [2, 3])
      expect((await system.receiver.nth('/sent-as', n)).payload).toMatchObject({
        headers: { from: '"Bob" <bob@b.example>', subject: 'as it is' },
        content: { text: 'Body\n' },
      });
    const both = await inlet(['send', address, '--eml', file, '--html', 'x']);
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('--eml is the whole email')]);
    expect((await inlet(['send', address, '--header', 'no header'])).code).toBe(2);
  });
});
