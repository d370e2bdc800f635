/**
 * Domains of accounts: claims, permanent verification through the zone, and addresses with chosen
 * names (D4, D5, D8, D10, D11, D15, D30).
 */
import { beforeAll, describe, expect, test } from 'vitest';

import { createDomains } from '../../../services/adapters/mongo/domain/domains.ts';
import { startTestDns } from '../../support/dns-server.ts';
import { until } from '../../support/until.ts';
import { runCommand } from '../../support/inlet-command.ts';
import { HOOK, startTestApi, type Ask } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const dns = await useInFile(startTestDns());
const api = await useInFile(
  startTestApi({
    env: {
      DNS_SERVERS: dns.address,
      MX_HOSTS: 'mx1.in.example, MX2.in.example.',
    },
  }),
);

type Domain = {
  id: string;
  domain: string;
  status: string;
  problem: string | null;
  is_verified: boolean;
  verification: { name: string; value: string };
  mx: object;
  checked_at: string | null;
};
const domainOf = ({ body }: { body: object }) => body as Domain;

async function claim(domain: string, ask: Ask = {}): Promise<Domain> {
  const answer = await api.ask('POST', '/v1/domains', { ...ask, body: { domain } });
  expect([answer.status, answer.body]).toEqual([
    201,
    expect.objectContaining({ is_verified: false }),
  ]);
  return domainOf(answer);
}
const prove = ({ verification: { name, value } }: Domain) =>
  dns.set(name, { TXT: ['v=other', value] });
/** Sets the last check back in time. */
const rest = () =>
  api.mongo.db
    .collection('domains')
    .updateMany({ checked_at: { $ne: null } }, { $set: { checked_at: new Date(0) } });
async function verify({ id }: Domain, ask: Ask = {}) {
  await rest();
  return api.ask('POST', `/v1/domains/${id}/verify`, ask);
}
async function own(domain: string, ask: Ask = {}): Promise<Domain> {
  const claimed = await claim(domain, ask);
  prove(claimed);
  const answer = await verify(claimed, ask);
  expect(answer.body).toMatchObject({ is_verified: true, status: 'verified' });
  return domainOf(answer);
}
const create = (body: object, ask: Ask = {}) =>
  api.ask('POST', '/v1/addresses', { ...ask, body: { webhook_url: HOOK, ...body } });
const statuses = (answers: { status: number }[]) =>
  answers.map(({ status }) => status).toSorted((one, another) => one - another);
const other = async () => ({
  token: (await api.issue({ accountId: (await api.newAccount()).id })).token,
});

describe('a claim', () => {
  test('returns the records to create, and checks nothing yet', async () => {
    const answer = await api.ask('POST', '/v1/domains', {
      body: { domain: 'Bücher.Shop.Example.' },
    });
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^dom_/),
      domain: 'xn--bcher-kva.shop.example',
      unicode_domain: 'bücher.shop.example',
      is_verified: false,
      status: 'pending',
      problem: null,
      verification: {
        type: 'TXT',
        name: '_inlet-challenge.xn--bcher-kva.shop.example',
        value: expect.stringMatching(/^inlet-verification=\w{32}$/),
        found: [],
      },
      mx: { expected: ['mx1.in.example', 'mx2.in.example'], found: [], is_ok: false },
      mta_sts: 'none',
      deliverability: { checked_at: null, checks: expect.any(Array) },
      created_at: expect.any(String),
      verified_at: null,
      checked_at: null,
      managed_by: null,
    });
  });

  test.each([
    [{}, 'required'],
    [{ domain: 7 }, 'invalid_type'],
    [{ domain: '' }, 'too_small'],
    [{ domain: 'localhost' }, 'invalid_value'],
    [{ domain: '192.0.2.1' }, 'invalid_value'],
    [{ domain: '*.shop.example' }, 'invalid_value'],
    [{ domain: 'a b.example' }, 'invalid_value'],
    [{ domain: '-a.example' }, 'invalid_value'],
    [{ domain: '_a.example' }, 'invalid_value'],
    [{ domain: `${'a'.repeat(64)}.example` }, 'invalid_value'],
    [{ domain: `${'a.'.repeat(8)}example` }, 'invalid_value'],
    [{ domain: `${'a'.repeat(60)}.`.repeat(5) }, 'too_long'],
  ])('D4: %j is %s', async (body, code) => {
    const answer = await api.ask('POST', '/v1/domains', { body });
    expect([answer.status, answer.body.details]).toEqual([422, { field: 'domain', code }]);
  });

  test.each(['in.example', 'sub.in.example'])('%s belongs to the service', async (domain) => {
    expect((await api.ask('POST', '/v1/domains', { body: { domain } })).body).toMatchObject({
      error: 'conflict',
      message: expect.stringContaining('service itself'),
      details: { field: 'domain', code: 'conflict' },
    });
  });

  test('an account can claim a domain once; several accounts can claim the same one', async () => {
    await claim('claimed.example');
    expect(
      (await api.ask('POST', '/v1/domains', { body: { domain: 'CLAIMED.example' } })).status,
    ).toBe(409);
    await claim('claimed.example', await other());
  });

  test('an account can have a hundred unverified claims; verifying or deleting one allows another', async () => {
    const { id: account_id } = await api.newAccount();
    const ask = { token: (await api.issue({ accountId: account_id })).token };
    const domains = createDomains(api.mongo.db);
    const first = await claim('many.example', ask);
    for (let i = 1; i < 100; i++)
      await domains.insert(
        {
          account_id,
          environment: 'live',
          id: `dom_many${i}`,
          domain: `many${i}.example`,
          token: '',
        },
        new Date(),
      );
    const oneMore = { ...ask, body: { domain: 'more.example' } };
    expect(await api.ask('POST', '/v1/domains', oneMore)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('100 domains that are not verified') },
    });
    prove(first);
    expect((await verify(first, ask)).body).toMatchObject({ is_verified: true, problem: null });
    await claim('more.example', ask);
    await claim('more.example', await other());
  });

  test('D5, D11: visible only to its account and environment', async () => {
    const { id } = await claim('private.example');
    const strangers: Ask[] = [
      await other(),
      { token: (await api.issue({ environment: 'test' })).token },
    ];
    for (const ask of strangers) {
      const answers = await Promise.all([
        api.ask('GET', `/v1/domains/${id}`, ask),
        api.ask('POST', `/v1/domains/${id}/verify`, ask),
        api.ask('DELETE', `/v1/domains/${id}`, ask),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect((await api.ask('GET', '/v1/domains', ask)).body).toMatchObject({
        data: [],
        pagination: { total: 0 },
      });
    }
  });

  test('D10: reading and writing need separate permissions', async () => {
    const { token } = await api.issue({ permissions: ['domains:read', 'addresses:write'] });
    expect((await api.ask('GET', '/v1/domains', { token })).status).toBe(200);
    expect(
      (await api.ask('POST', '/v1/domains', { token, body: { domain: 'x.example' } })).status,
    ).toBe(403);
  });

  test('D30: listed newest first', async () => {
    const ask = await other();
    for (const domain of ['a.list.example', 'b.list.example', 'c.list.example'])
      await claim(domain, ask);
    const { body } = await api.ask('GET', '/v1/domains?limit=2&offset=1', ask);
    expect(body).toMatchObject({
      data: [{ domain: 'b.list.example' }, { domain: 'a.list.example' }],
      pagination: { total: 3, has_more: false },
    });
  });

  test('status finds the domains that have it', async () => {
    const ask = await other();
    const verified = await own('has-status.example', ask);
    const failed = await claim('has-failed.example', ask);
    await verify(failed, ask);
    const pending = await claim('has-none.example', ask);
    for (const { id, status } of [
      { ...verified, status: 'verified' },
      { ...failed, status: 'failed' },
      { ...pending, status: 'pending' },
    ])
      expect((await api.ask('GET', `/v1/domains?status=${status}`, ask)).body).toMatchObject({
        data: [{ id, status }],
        pagination: { total: 1 },
      });
  });

  test('Idempotency-Key: the same request claims once', async () => {
    const ask: Ask = {
      headers: { 'Idempotency-Key': 'claim-1' },
      body: { domain: 'once.example' },
    };
    const answers = [
      await api.ask('POST', '/v1/domains', ask),
      await api.ask('POST', '/v1/domains', ask),
    ];
    expect(answers.map(({ status, body }) => [status, body.id])).toEqual([
      [201, answers[0]?.body.id],
      [201, answers[0]?.body.id],
    ]);
  });
});

test('a parent of the shared domain can be claimed, except for names that would receive its mail', async () => {
  await using theirs = await startTestApi({
    env: { DNS_SERVERS: dns.address, INBOUND_DOMAIN: 'in.acme.example' },
  });
  const claimed = domainOf(
    await theirs.ask('POST', '/v1/domains', { body: { domain: 'acme.example' } }),
  );
  prove(claimed);
  expect((await theirs.ask('POST', `/v1/domains/${claimed.id}/verify`)).body).toMatchObject({
    is_verified: true,
  });
  expect(
    (await theirs.ask('POST', '/v1/domains', { body: { domain: 'sub.in.acme.example' } })).status,
  ).toBe(409);
  for (const place of ['acme.example', 'other.acme.example', '*.other.acme.example'])
    expect(await theirs.create({ local_part: '*', domain: place })).toMatchObject({
      address: `*@${place}`,
    });
  for (const place of ['*.acme.example', '*.in.acme.example', 'sub.in.acme.example']) {
    const { body } = await theirs.ask('POST', '/v1/addresses', {
      body: { webhook_url: HOOK, local_part: 'x', domain: place },
    });
    expect(body).toMatchObject({
      error: 'conflict',
      message: `${place} would take mail of in.acme.example, the domain that all accounts share`,
      details: { field: 'domain', code: 'conflict' },
    });
  }
  expect(
    (
      await theirs.ask('POST', '/v1/addresses', {
        body: { webhook_url: HOOK, local_part: 'postmaster', domain: 'in.acme.example' },
      })
    ).status,
  ).toBe(409);
});

describe('verification', () => {
  test('reports what it found instead of the TXT record', async () => {
    const domain = await claim('slow.example');
    const seen = async () => {
      const {
        body: { status, problem, verification },
      } = await verify(domain);
      return [status, problem, (verification as { found: string[] }).found];
    };
    expect(await seen()).toEqual(['failed', 'txt_missing', []]);
    dns.set(domain.verification.name, { TXT: ['inlet-verification=another'] });
    expect(await seen()).toEqual(['failed', 'txt_differs', ['inlet-verification=another']]);
    dns.set(domain.verification.name, 'SERVFAIL');
    expect(await seen()).toEqual(['pending', 'dns_unavailable', ['inlet-verification=another']]);
    prove(domain);
    expect(await seen()).toEqual(['verified', null, [domain.verification.value, 'v=other']]);
  });

  test('MX is reported, but not required', async () => {
    const domain = await claim('mx.example');
    prove(domain);
    dns.set('mx.example', {
      MX: [
        { exchange: 'MX2.in.example', priority: 20 },
        { exchange: 'mx.google.example', priority: 10 },
      ],
    });
    expect((await verify(domain)).body).toMatchObject({
      is_verified: true,
      mx: { found: ['mx.google.example', 'mx2.in.example'], is_ok: false },
    });
    dns.set('mx.example', {
      MX: [
        { exchange: 'MX2.in.example', priority: 5 },
        { exchange: 'mx.google.example', priority: 10 },
      ],
    });
    expect((await verify(domain)).body).toMatchObject({
      mx: { found: ['mx2.in.example', 'mx.google.example'], is_ok: true },
    });
  });

  test('a verification is permanent: neither a lost record nor a DNS outage ends it', async () => {
    const domain = await own('stays.example');
    dns.remove(domain.verification.name);
    expect((await verify(domain)).body).toMatchObject({
      is_verified: true,
      status: 'verified',
      problem: 'txt_missing',
      verification: { found: [] },
    });
    dns.set(domain.verification.name, 'SERVFAIL');
    expect((await verify(domain)).body).toMatchObject({
      is_verified: true,
      problem: 'dns_unavailable',
    });
    expect((await create({ domain: 'stays.example', local_part: 'still' })).status).toBe(201);
  });

  test('checks have a minimum interval', async () => {
    const domain = await claim('often.example');
    await verify(domain);
    const before = dns.requested.length;
    const answer = await api.ask('POST', `/v1/domains/${domain.id}/verify`);
    expect([answer.status, answer.body, dns.requested.length]).toEqual([
      429,
      expect.objectContaining({ error: 'rate_limit_exceeded', retry_after: 5 }),
      before,
    ]);
  });

  test('of twenty concurrent accounts, the first to verify wins', async () => {
    const claims = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const ask = await other();
        return {
          ask,
          domain: await claim(
            ['race.example', 'sub.race.example', 'deep.sub.race.example'][i % 3] ?? '',
            ask,
          ),
        };
      }),
    );
    const values = claims.map(({ domain }) => domain.verification);
    for (const { name } of values)
      dns.set(name, { TXT: values.filter((one) => one.name === name).map(({ value }) => value) });
    await rest();
    const answers = await Promise.all(
      claims.map(({ ask, domain }) => api.ask('POST', `/v1/domains/${domain.id}/verify`, ask)),
    );
    expect(statuses(answers)).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    expect(
      await api.mongo.db
        .collection('domains')
        .countDocuments({ is_verified: true, domain: /race\.example$/ }),
    ).toBe(1);
  });

  test('subdomains and parents of a verified domain belong to its account', async () => {
    await own('mid.tree.example');
    for (const domain of ['tree.example', 'low.mid.tree.example', 'mid.tree.example']) {
      const ask = await other();
      const claimed = await claim(domain, ask);
      prove(claimed);
      expect((await verify(claimed, ask)).body).toMatchObject({ error: 'conflict' });
      expect((await api.ask('GET', `/v1/domains/${claimed.id}`, ask)).body).toMatchObject({
        is_verified: false,
        status: 'failed',
        problem: 'taken',
      });
    }
    await own('tree.example');
    const ask: Ask = { token: (await api.issue({ environment: 'test' })).token };
    await own('low.mid.tree.example', ask);
    const again = await claim('mid.tree.example', ask);
    prove(again);
    expect((await verify(again, ask)).body).toMatchObject({
      error: 'conflict',
      message: expect.stringContaining('environment'),
    });
  });

  test('verified domains are checked again; after a week without the record, there is one event', async () => {
    const domain = await own('week.example');
    dns.remove(domain.verification.name);
    const stored = api.mongo.db.collection<{ _id: string }>('domains');
    await stored.updateOne(
      { _id: domain.id },
      { $set: { missing_since: new Date(Date.now() - 8 * 86_400_000), next_look_at: new Date(0) } },
    );
    await using _second = await startTestApi({
      env: { DNS_SERVERS: dns.address },
      mongoUri: api.mongoUri,
      natsServer: api.natsServer,
    }); // its sweep starts immediately
    const events = () =>
      api
        .ask('GET', '/v1/usage/events?event_type=domain.unconfirmed')
        .then(({ body }) => body.data as { data: object }[]);
    expect(
      await until('the event', async () =>
        (await events()).length > 0 ? await events() : undefined,
      ),
    ).toMatchObject([{ data: { domain_id: domain.id, domain: 'week.example' } }]);
    await verify(domain);
    expect(await events()).toHaveLength(1);
    expect((await api.ask('GET', `/v1/domains/${domain.id}`)).body).toMatchObject({
      is_verified: true,
      problem: 'txt_missing',
    });
  });

  test('D15: claims, verifications and deletions are events', async () => {
    const ask = await other();
    const { id } = await own('told.example', ask);
    await api.ask('DELETE', `/v1/domains/${id}`, ask);
    const { body } = await api.ask('GET', '/v1/usage/events', ask);
    expect((body.data as { type: string; data: object }[]).map(({ type }) => type)).toEqual([
      'domain.deleted',
      'domain.verified',
      'domain.created',
    ]);
    const origin = { source_ip: '127.0.0.1', request_id: expect.any(String) as string };
    expect(body.data).toMatchObject([
      { data: origin },
      { data: origin },
      {
        address_id: '',
        data: { domain_id: id, domain: 'told.example', token_id: expect.any(String) },
      },
    ]);
  });
});

describe('addresses with chosen names', () => {
  beforeAll(async () => {
    await own('shop.example');
  });

  test.each<[object, string]>([
    [{ local_part: 'Sales', domain: 'Shop.Example' }, 'sales@shop.example'],
    [{ local_part: '*', domain: 'shop.example' }, '*@shop.example'],
    [{ local_part: 'info', domain: '*.shop.example' }, 'info@*.shop.example'],
    [{ local_part: '*', domain: '*.shop.example' }, '*@*.shop.example'],
    [{ local_part: 'info', domain: 'eu.shop.example' }, 'info@eu.shop.example'],
    [{ local_part: 'BÜCHER', domain: 'shop.example' }, 'bücher@shop.example'],
    [{ local_part: "o'neil.{x}", domain: 'shop.example' }, "o'neil.{x}@shop.example"],
    [{ local_part: 'postmaster', domain: 'shop.example' }, 'postmaster@shop.example'],
    [{ local_part: 'my-team' }, 'my-team@in.example'],
    [{ local_part: 'my-other-team', domain: 'in.example' }, 'my-other-team@in.example'],
  ])('%j is %s', async (body, address) => {
    expect((await create(body)).body).toMatchObject({ address });
    expect(await api.byRecipient(address)).toMatchObject({ account_id: api.account.id });
    expect((await create(body)).body).toMatchObject({ error: 'conflict' });
  });

  test('a random name on an own domain', async () => {
    expect((await create({ domain: 'shop.example' })).body.address).toMatch(
      /^[0-9a-z]{16}@shop\.example$/,
    );
  });

  test.each<[object, string, string]>([
    [{ local_part: '' }, 'local_part', 'too_small'],
    [{ local_part: 7 }, 'local_part', 'invalid_type'],
    [{ local_part: 'a'.repeat(65) }, 'local_part', 'too_long'],
    [{ local_part: 'ü'.repeat(33) }, 'local_part', 'too_long'],
    [{ local_part: 'a+b', domain: 'shop.example' }, 'local_part', 'invalid_value'],
    [{ local_part: 'a*' }, 'local_part', 'invalid_value'],
    [{ local_part: 'a..b' }, 'local_part', 'invalid_value'],
    [{ local_part: '.a' }, 'local_part', 'invalid_value'],
    [{ local_part: 'a b' }, 'local_part', 'invalid_value'],
    [{ local_part: '"a"' }, 'local_part', 'invalid_value'],
    [{ local_part: 'a@b' }, 'local_part', 'invalid_value'],
    [{ local_part: 'a\u200bb' }, 'local_part', 'invalid_value'],
    [{ local_part: '\uff41dmin' }, 'local_part', 'invalid_value'], // full-width a
    [{ local_part: 'p\u043estmaster' }, 'local_part', 'invalid_value'], // Cyrillic o
    [{ local_part: 'bücher' }, 'local_part', 'invalid_value'],
    [{ local_part: "o'neil", domain: 'in.example' }, 'local_part', 'invalid_value'],
    [{ local_part: '*' }, 'local_part', 'conflict'],
    [{ local_part: 'a', domain: 'nodot' }, 'domain', 'invalid_value'],
    [{ local_part: 'a', domain: '*.*.shop.example' }, 'domain', 'invalid_value'],
  ])('D4: %j: %s %s', async (body, field, code) => {
    const answer = await create(body);
    expect([answer.status, answer.body.details]).toEqual([422, { field, code }]);
  });

  test.each([
    ['on an unknown domain', { local_part: 'a', domain: 'nobodys.example' }, 'domain'],
    ['above an own one', { local_part: 'a', domain: 'up.example' }, 'domain'],
    ['reserved on the shared domain', { local_part: 'Postmaster' }, 'local_part'],
    ['one that may give certificates', { local_part: 'admin', domain: 'in.example' }, 'local_part'],
    ['that looks like a generated one', { local_part: '0123456789abcdef' }, 'local_part'],
    ['a wildcard of the shared domain', { local_part: 'a', domain: '*.in.example' }, 'domain'],
  ])('a name %s is a conflict that names the field', async (_, body, field) => {
    expect((await create(body)).body).toMatchObject({
      error: 'conflict',
      message: expect.any(String),
      details: { field, code: 'conflict' },
    });
  });

  test('an unverified domain cannot have addresses', async () => {
    await claim('unproved.example');
    expect((await create({ local_part: 'a', domain: 'unproved.example' })).status).toBe(409);
  });

  test('D11: a live domain cannot have test addresses', async () => {
    expect(
      (
        await create(
          { local_part: 'test', domain: 'shop.example' },
          { token: (await api.issue({ environment: 'test' })).token },
        )
      ).status,
    ).toBe(409);
  });

  test('D8: a deleted name of the shared domain stays reserved; on a domain of an account it does not', async () => {
    const stranger = await other();
    const first = (await create({ local_part: 'mine-for-good' })).body;
    await api.ask('DELETE', `/v1/addresses/${String(first.id)}`);
    expect((await create({ local_part: 'mine-for-good' }, stranger)).status).toBe(409);
    expect((await create({ local_part: 'mine-for-good' })).status).toBe(201);

    for (let i = 0; i < 3; i++) {
      const { body } = await create({ local_part: 'again', domain: 'shop.example' });
      expect(await api.byRecipient('again@shop.example')).toMatchObject({
        id: body.id,
        deleted_at: null,
      });
      expect(await api.target(String(body.id))).toMatchObject({ webhook_url: HOOK });
      await api.ask('DELETE', `/v1/addresses/${String(body.id)}`);
      expect(await api.byRecipient('again@shop.example')).toMatchObject({
        id: body.id,
        deleted_at: expect.any(Date),
      });
    }
  });

  test('of twenty concurrent requests for a name, one succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, i) =>
        create(
          { local_part: 'wanted', ...(i % 2 === 0 && { domain: 'in.example' }) },
          i < 10 ? {} : await other(),
        ),
      ),
    );
    expect(statuses(answers)).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  test('a domain with addresses cannot be deleted; without them it can, and another account can claim it', async () => {
    const { id } = await own('sold.example');
    const address = (await create({ local_part: 'info', domain: 'sold.example' })).body;
    await create({ local_part: '*', domain: '*.sold.example' });
    expect((await api.ask('DELETE', `/v1/domains/${id}`)).body).toMatchObject({
      error: 'conflict',
      message: '2 addresses are on sold.example: delete them first',
    });
    const { body } = await api.ask('GET', '/v1/addresses?limit=100');
    for (const one of (body.data as { id: string; address: string }[]).filter((each) =>
      each.address.endsWith('sold.example'),
    ))
      await api.ask('DELETE', `/v1/addresses/${one.id}`);
    expect((await api.ask('DELETE', `/v1/domains/${id}`)).body).toEqual({ id, deleted: true });
    expect((await api.ask('DELETE', `/v1/domains/${id}`)).status).toBe(404);
    expect((await create({ local_part: 'late', domain: 'sold.example' })).status).toBe(409);

    const buyer = await other();
    await own('sold.example', buyer);
    const bought = await create({ local_part: 'info', domain: 'sold.example' }, buyer);
    expect(await api.byRecipient('info@sold.example')).toMatchObject({ id: bought.body.id });
    // D8: what it accepted before still goes out
    expect(await api.target(String(address.id))).toMatchObject({ account_id: api.account.id });
  });

  test('inlet admin domain release makes a domain available and deletes its addresses', async () => {
    const former = await other();
    const { id } = await own('b\u00fccher-bought.example', former);
    const { id: subId } = await own('sub.b\u00fccher-bought.example', former);
    await create({ local_part: 'info', domain: 'b\u00fccher-bought.example' }, former);
    const domain = 'xn--bcher-bought-dlb.example';
    const lines: string[] = [];
    const admin = async (...words: string[]) => {
      const env = { MONGODB_URI: api.mongoUri };
      const { code, out } = await runCommand(['admin', 'domain', ...words], { env });
      lines.push(out);
      return code;
    };
    expect([
      await admin('owner', 'B\u00dcCHER-bought.example.'),
      await admin('release', 'B\u00dcCHER-bought.example.'),
      await admin('release', domain),
      await admin('release', 'nodot'),
    ]).toEqual([0, 0, 4, 2]);
    expect(lines.slice(0, 2).map((line) => JSON.parse(line) as object)).toMatchObject([
      [{ id }, { id: subId }],
      { domain, addresses_deleted: 1 },
    ]);
    const { body } = await api.ask('GET', '/v1/usage/events?event_type=domain.deleted', former);
    expect(body.data).toMatchObject([
      { data: { domain_id: id, domain, addresses_deleted: 1, reason: 'released' } },
    ]);

    const buyer = await other();
    const claimed = await claim(domain, buyer);
    prove(claimed);
    expect((await verify(claimed, buyer)).status).toBe(409);
    expect(await admin('release', `sub.${domain}`)).toBe(0);
    expect((await verify(claimed, buyer)).body).toMatchObject({ is_verified: true });
    expect((await create({ local_part: 'info', domain }, buyer)).status).toBe(201);
  });

  test('a domain that is deleted while addresses are created either remains, or none of them exists', async () => {
    for (let round = 0; round < 5; round++) {
      const name = `round${round}.example`;
      const { id } = await own(name);
      const [deleted, ...made] = await Promise.all([
        api.ask('DELETE', `/v1/domains/${id}`),
        ...['a', 'b', 'c'].map((local_part) => create({ local_part, domain: name })),
      ]);
      const left = made.filter(({ status }) => status === 201).length;
      expect([...made, deleted].every(({ status }) => [200, 201, 409].includes(status))).toBe(true);
      expect((await createDomains(api.mongo.db).covering(name)) !== undefined).toBe(
        deleted.status === 409,
      );
      expect(deleted.status === 200 ? left : left > 0 ? 0 : 1).toBe(0);
    }
  });
});
