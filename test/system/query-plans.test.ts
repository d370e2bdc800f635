/**
 * Query plans: every query of the services, with its plan. The services perform all operations on a
 * database with documents of many accounts while MongoDB's profiler records: no query scans a
 * collection, sorts in memory or reads documents of other accounts. A new query that does not run
 * here fails, too.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import { createKnownAuthors } from '../../services/adapters/mongo/address/known-authors.ts';
import { STATUS_FILTERS } from '../../services/core/delivery/delivery-view.ts';
import { COLLECTIONS } from '../../services/adapters/mongo/database/collections.ts';
import { ensureIndexes } from '../../services/adapters/mongo/database/connection.ts';
import { createDomainOwners } from '../../services/adapters/mongo/refusal/domain-owners.ts';
import { createAddRefusals } from '../../services/adapters/mongo/refusal/refusals.ts';
import { createStoresWithSecrets, INDEXES } from '../../services/adapters/mongo/stores.ts';
import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import { recountUsage } from '../../services/adapters/mongo/usage/recount.ts';
import { defaultSettings } from '../../services/core/account/account.ts';
import type { DomainRecord } from '../../services/core/domain/domain.ts';
import { kindOf, refusalOf, type RefusedOnce } from '../../services/core/refusal/refusal.ts';
import { noSuchAddress } from '../../services/core/smtp/smtp-reply.ts';
import { USAGE_EVENT_TYPES } from '../../services/core/event/usage-event.ts';
import { startTestApi, type TestApi } from '../support/start-api.ts';
import { changeTo, mailEvent } from '../support/mail-events.ts';
import { newAddress } from '../support/new-address.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { startTestDns, type TestDns } from '../support/dns-server.ts';
import { lineOf, type QueryPlan, startQueryProfile } from '../support/query-profile.ts';
import { noteQuerySites, querySites } from '../support/query-sites.ts';
import { runCommand } from '../support/inlet-command.ts';
import { namesShard } from '../support/shard-keys.ts';
import { until } from '../support/until.ts';
import { wholeAccount } from '../../services/core/address/scope.ts';

const OTHERS = 300;
/** The tested account has far fewer documents than this, all others together have more. */
const OWN_AT_MOST = 150;
const DAY_MS = 86_400_000;

/**
 * Queries that may read documents of all accounts, with the reason. By collection and the start of
 * the query.
 */
const READS_ALL: Record<string, string> = {
  'accounts find {} sort _id':
    'account list and the invoice sweep go through all accounts, in the order of the index of _id',
  'addresses find {} sort _id':
    'secrets reencrypt goes through all addresses, in the order of the index of _id',
  'deliveries aggregate sort account_id → $group': 'a recount asks for all account ids',
  'usage_daily aggregate sort account_id → $group': 'a recount asks for all account ids',
  'usage_daily find { _id $in, account_id $in }':
    'the quota sweep asks which of many accounts received mail today or yesterday, by their ids',
};
/** Queries that may sort in memory, with the reason. */
const SORTS: Record<string, string> = {
  'addresses find { account_id, environment, deleted_at, expires_at $not, _id $in }':
    'GET /addresses?ids= names at most 100 addresses',
  'addresses find { account_id, environment, deleted_at, expires_at $not, address }':
    'GET /addresses?address= finds at most one address',
  'deliveries find { account_id, environment, address_id $in, status } sort next_attempt_at':
    'GET /deliveries/due of a limited token: only what waits at its addresses',
  'deliveries find { search.terms $regex':
    'a search for the beginning of a word sorts its matches: many words have it, each in its own order',
  'deliveries aggregate':
    'GET /usage/events merges two lists that come sorted from their indexes, each cut to the ' +
    'page before',
  'events aggregate':
    'GET /usage/events merges the lists of the types of events, each sorted by its index',
};
/**
 * Queries that all shards of a sharded MongoDB answer (docs/scaling.md), with the reason. None is
 * of every email: see shard-targets.test.ts.
 */
const ASKS_ALL_SHARDS: Record<string, string> = {
  'deliveries find { account_id, environment': 'a page of a list or of a search of an account',
  'deliveries find { search.terms': 'a page of a search of an account',
  'deliveries aggregate { account_id, environment': 'a total, usage or events of an account',
  'deliveries aggregate { address_id $in, account_id, environment':
    'usage of one address, or of a token that is limited to addresses',
  'deliveries aggregate sort account_id → $group': 'a recount',
  'deliveries count { account_id, environment': 'the total of a list',
  'deliveries find { address_id, account_id, environment':
    'the id of a repeated email of an earlier gateway process; whether a failing address has recovered',
  'deliveries find { content_until': 'a sweep of the dispatchers, by its own small index',
  'deliveries find { $and ({ status $gte } { $or ({ next_attempt_at }':
    'the sweep of overdue deliveries, by the index of waiting ones',
  'notification_deliveries find { $and ({ status $gte } { $or ({ next_attempt_at }':
    'the sweep of overdue deliveries, by the index of waiting ones',
  'deliveries update { account_id, environment, address_id, offer.at':
    'a receiver changes from pull to push: what waits at it, by its own small index',
  'deliveries aggregate { offer.until':
    'what ends unread soon: a sweep of the dispatchers, by its own small index',
  'deliveries find { search.text_until': 'a sweep of the dispatchers, by its own small index',
  'deliveries find { file_deletion.at': 'a sweep of the dispatchers, by its own small index',
  'deliveries find { payload_in': 'a sweep of the dispatchers, by its own small index',
  'deliveries find { _id $lt, status $in': 'old records, each shard by its index of _id',
  'events find { account_id, environment': 'the stream of an account that is watched',
  'events aggregate { account_id, environment': 'GET /usage/events of an account',
  'events find { _id $gt': 'the export of the audit trail, one process of all',
  'events find { to_notify }': 'the outbox, once a second, by its own small index',
  'events remove { timestamp $lt }': 'the retention of events, each shard by its index',
  'notification_deliveries find { account_id, environment': 'a page of a list of an account',
  'notification_deliveries remove { _id $lt }': 'the retention, each shard by its index of _id',
  'usage_daily aggregate sort account_id → $group': 'a recount',
};

type Given = {
  query?: string;
  body?: object;
  key?: string;
  /** Instead of the token. */
  headers?: Record<string, string>;
  /** The parameters of the path. */
  [id: string]: unknown;
};

const parts = new AsyncDisposableStack();
let plans: QueryPlan[];
let ran: ReadonlySet<string>;
let requested: Set<string>;
let described: string[];
beforeAll(async () => {
  const pipeline = parts.use(await startPipeline());
  const ownerId = await populate(pipeline);
  const profile = await startQueryProfile(pipeline.mongo.db);
  ran = parts.use(noteQuerySites()).sites;
  const dns = parts.use(await startTestDns());
  const api = parts.use(await startBesides(pipeline, dns));
  ({ requested, described } = await useEverything(pipeline, api, dns, ownerId));
  plans = await profile.plans();
  if (process.env.TEST_LOG)
    process.stdout.write(`\n${plans.map((plan) => `${lineOf(plan)}\n`).join('')}`);
});
afterAll(() => parts.disposeAsync());

const matches =
  (named: Record<string, string>) =>
  ({ collection, query }: QueryPlan) =>
    Object.keys(named).some((begin) => `${collection} ${query}`.startsWith(begin));

const asksAllShards = ({ collection, pinned }: QueryPlan) => !namesShard(collection, pinned);

const unused = (named: Record<string, string>, needs: (plan: QueryPlan) => boolean): string[] =>
  Object.keys(named).filter(
    (begin) => !plans.some((plan) => needs(plan) && matches({ [begin]: '' })(plan)),
  );

test('no query scans a collection', () => {
  expect(plans.filter(({ plan }) => /COLLSCAN|no plan/.test(plan)).map(lineOf)).toEqual([]);
});

test('no query reads documents of other accounts, except those listed', () => {
  expect(
    plans.filter((plan) => plan.examined > OWN_AT_MOST && !matches(READS_ALL)(plan)).map(lineOf),
  ).toEqual([]);
});

test('no query sorts in memory, except those listed', () => {
  expect(plans.filter((plan) => plan.sortsInMemory && !matches(SORTS)(plan)).map(lineOf)).toEqual(
    [],
  );
});

test('M.3: no query of a sharded collection asks all shards, except those listed', () => {
  expect(
    plans.filter((plan) => asksAllShards(plan) && !matches(ASKS_ALL_SHARDS)(plan)).map(lineOf),
  ).toEqual([]);
});

test('every exception is still needed', () => {
  expect([
    unused(ASKS_ALL_SHARDS, asksAllShards),
    unused(READS_ALL, ({ examined }) => examined > OWN_AT_MOST),
    unused(SORTS, ({ sortsInMemory }) => sortsInMemory),
  ]).toEqual([[], [], []]);
});

test('every query of the adapters ran', async () => {
  const sites = await querySites();
  expect(sites.length).toBeGreaterThan(50);
  // test/cli/restore.test.ts and backup-account-keys.test.ts run them
  const ofRestore = /^mongo\/(?:database\/restore|account\/key-documents)\.ts:/;
  expect(sites.filter((site) => !ran.has(site) && !ofRestore.test(site))).toEqual([]);
});

test('every endpoint and every collection was used', () => {
  expect(described.filter((operation) => !requested.has(operation))).toEqual([]);
  expect(new Set(plans.map(({ collection }) => collection))).toEqual(new Set(COLLECTIONS));
});

/**
 * Creates accounts with a token, an address and mail each. Resolves with one that is old enough to
 * have an invoice.
 */
async function populate(pipeline: Pipeline): Promise<string> {
  const { db } = pipeline.mongo;
  await ensureIndexes(db, Object.values(INDEXES));
  const now = Date.now();
  const { addresses, deliveries, domains, tokens } = storesOf(pipeline);
  const all = Array.from({ length: OTHERS }, (_, i) => {
    const expires_at = i % 3 === 0 ? new Date(now + (i < 9 ? -3_600_000 : DAY_MS)) : null;
    return newAddress('https://receiver.example/', {
      is_permanent: expires_at === null,
      expires_at,
      environment: i % 5 === 4 ? 'test' : 'live',
    });
  });
  await db.collection<{ _id: string }>('accounts').insertMany(
    all.map(({ account_id: _id }, i) => ({
      _id,
      email: `${i}@example.com`,
      name: 'Other',
      company: null,
      plan: i < 5 ? 'pro' : 'free',
      created_at: new Date(now - (i < 5 ? 40 * DAY_MS : 0)),
      settings: defaultSettings,
      suspended_at: null,
    })),
  );
  await Promise.all(all.map((address) => addresses.insert(address)));
  for (const { account_id: accountId } of all)
    await tokens.issue({ accountId, name: 'other', environment: 'live' });
  const members = db.collection<{ _id: string }>(INDEXES.members.collection);
  const person = { name: 'other', role: 'viewer', subject: 'other@example.com', group: null };
  const times = { created_at: new Date(now), last_seen_at: null };
  await members.insertMany(
    all.map(({ account_id }) => ({ _id: `member_${account_id}`, account_id, ...person, ...times })),
  );
  for (const [i, { account_id, environment, id }] of all.entries()) {
    const domain = await domains.insert(
      { account_id, environment, id, domain: `other${i}.example`, token: '' },
      new Date(now),
    );
    if (domain !== undefined && i % 2 === 0) await domains.verify(domain, new Date(now));
  }
  await deliveries.record(
    all.flatMap((address, i) => {
      const receivedAt = new Date(now - (i < 5 ? 100 * DAY_MS : 60_000));
      return (['failed', 'retrying', 'delivered'] as const).map((status) =>
        changeTo(i > 290 ? 'failed' : status, mailEvent(address, receivedAt)),
      );
    }),
    new Date(now),
  );
  const [first] = all;
  if (first === undefined) throw new Error('no account');
  return first.account_id;
}

const storesOf = ({ mongo, settings }: Pipeline) =>
  createStoresWithSecrets(
    mongo.db,
    createSecretBox([Buffer.from(settings.SECRET_KEYS ?? '', 'base64')]),
  );

const uriOf = ({ mongo }: Pipeline): string =>
  Object.assign(new URL(inject('mongoUri')), { pathname: `/${mongo.db.databaseName}` }).href;

/** Of an installation that bills, and refuses email. */
const PRICED_PLANS = {
  currency: 'USD',
  plans: {
    free: { base_cost: 100, emails_included: 1_000, over_quota: 'refuse' },
    pro: { base_cost: 100, emails_included: 50_000, over_quota: 'bill' },
    business: { base_cost: 100, emails_included: 500_000, over_quota: 'bill' },
  },
};

/** Its sweeps begin immediately. */
function startBesides(pipeline: Pipeline, dns: TestDns): Promise<TestApi> {
  const { SECRET_KEYS = '' } = pipeline.settings;
  const env = {
    SECRET_KEYS,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    WEBHOOK_CA_FILE: pipeline.receiver.caFile,
    FAILING_AFTER: '200ms',
    PLANS: JSON.stringify(PRICED_PLANS),
    LINK_KEYS: randomBytes(32).toString('base64'),
    REPLY_KEYS: randomBytes(32).toString('base64'),
    PUBLIC_API_URL: 'https://api.example/v1',
    DNS_SERVERS: dns.address,
    INTAKE_LMTP: 'lmtp://127.0.0.1:1', // the recipient is unknown, so no gateway is asked
  };
  return startTestApi({ env, mongoUri: uriOf(pipeline), natsServer: pipeline.natsServer });
}

/** A delivery whose next attempt is later. */
async function sleepingDelivery(pipeline: Pipeline, account_id: string, id: string) {
  const event = mailEvent({ id, account_id, environment: 'live' }, new Date());
  await storesOf(pipeline).deliveries.record([changeTo('retrying', event)], new Date());
  return { event_id: event.event_id };
}

/** As the API does with OTEL_LOGS_EXPORTER. */
async function exportAuditTrail(pipeline: Pipeline): Promise<void> {
  const { auditExports: exported } = storesOf(pipeline);
  const cursor = await exported.claim('one', new Date());
  if (cursor === undefined) throw new Error('another process exports');
  await exported.events(cursor, new Date(), 500);
  await exported.advance('one', cursor, new Date());
  await exported.release('one');
}

/** As `inlet admin access-report` does. */
async function reportViews(pipeline: Pipeline, account_id: string): Promise<void> {
  const { emailViews } = storesOf(pipeline);
  const views = emailViews.about({ account_id, environment: 'live' }, ['from:@b'], new Date(0));
  expect(await Array.fromAsync(views)).toEqual([]);
}

/** What a gateway asks about the authors of emails, at an address that knows one author at most. */
async function knowAuthors({ mongo }: Pipeline): Promise<void> {
  const authors = createKnownAuthors(mongo.db, { ofAddress: 1, ofDomain: 1 });
  for (const key of ['first', 'second'])
    await authors.add(
      { key, domain_key: key, account_id: 'acc_1', address_id: 'addr_1' },
      new Date(),
    );
  expect([...(await authors.find(['first', 'second'])).keys()]).toEqual(['second']);
  await authors.remove('second');
}

/** What gateways record of refused email: two emails of an account that may have one record. */
async function recordRefusals({ mongo }: Pipeline, account_id: string): Promise<string> {
  await createDomainOwners(mongo.db)('other0.example');
  const owner = {
    account_id,
    environment: 'live' as const,
    address_id: null,
    name: '@own.example',
  };
  const refused = ['first', 'second'].map((name) => {
    const once: RefusedOnce = {
      owner,
      command: 'rcpt',
      reply: noSuchAddress,
      mailbox: `${name}@own.example`,
      sender: 'a@b.example',
      remoteIp: '192.0.2.7',
      heloDomain: 'x',
    };
    return refusalOf(once, kindOf(once), new Date());
  });
  await createAddRefusals(mongo.db, DAY_MS, 1)(refused);
  const left = await mongo.db.collection<{ _id: string }>('refusals').findOne({ account_id });
  return String(left?._id);
}

type Lease = { lease_id: string };

/** All operations of gateway, dispatcher, API, janitor, recount and admin CLI. */
async function useEverything(pipeline: Pipeline, api: TestApi, dns: TestDns, ownerId: string) {
  const { token } = await api.issue({ accountId: ownerId });
  await knowAuthors(pipeline);
  const operations = new Set<string>();

  /** The path as in the OpenAPI document. */
  async function call(operation: string, given: Given = {}) {
    const { query = '', body, key, headers, ...ids } = given;
    operations.add(operation);
    const [method = '', path = ''] = operation.split(' ');
    const response = await fetch(
      `${api.url}/v1${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? ''))}${query}`,
      {
        method,
        headers: {
          ...(headers ?? { authorization: `Bearer ${token}` }),
          ...(body && { 'content-type': 'application/json' }),
          ...(key && { 'idempotency-key': key }),
        },
        ...(body && { body: JSON.stringify(body) }),
      },
    );
    const bytes = await response.text();
    if (response.status >= 500) throw new Error(`${operation}: ${bytes}`);
    return (
      response.headers.get('content-type')?.includes('json') ? JSON.parse(bytes) : {}
    ) as Record<string, unknown> & { id: string; data: { id: string; event_id: string }[] };
  }

  /** Leases an email as consumers of the first receiver of its address do. */
  async function pull(path: string, email: { address_id: string; event_id: string }) {
    const { db } = pipeline.mongo;
    const first = { address_id: email.address_id, receiver_id: email.address_id };
    const records = db.collection<{ _id: string }>('deliveries');
    const lease = async () => {
      const offer = { at: new Date(0), bytes: 10, until: new Date() };
      await records.updateOne({ _id: email.event_id }, { $set: { offer } });
      const { data } = await call(`GET ${path}/next`, first);
      return { body: { lease_ids: data.map((one) => (one as object as Lease).lease_id) } };
    };
    await call(`PATCH ${path}`, { ...first, body: { mode: 'pull' } });
    const leased = await lease();
    expect(leased.body.lease_ids).toHaveLength(1);
    await call(`POST ${path}/renew`, { ...first, ...leased });
    await call(`POST ${path}/ack`, { ...first, ...leased });
    const { body } = await lease();
    await call(`POST ${path}/nack`, { ...first, body: { ...body, is_final: true } });
    await call(`PATCH ${path}`, { ...first, body: { mode: 'push' } });
  }

  /** A session by a link and one by the token, which ends the first one. */
  async function signInAndOut(): Promise<void> {
    const { url } = await call('POST /account/dashboard-links', { body: {} });
    const { url: second } = await call('POST /account/dashboard-links', { body: {} });
    const link = await call('POST /sessions', {
      body: { code: new URL(String(url)).hash.replace('#code=', '') },
    });
    const signIn = async () => {
      const { headers } = await fetch(`${api.url}/v1/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      });
      const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
      return { headers: { cookie, 'sec-fetch-site': 'same-origin', 'inlet-dashboard': '1' } };
    };
    const bySession = await signIn();
    await api.mongo.db
      .collection('sessions')
      .updateMany({ account_id: ownerId }, [
        { $set: { last_used_at: { $subtract: ['$last_used_at', 120_000] } } },
      ]);
    for (const step of ['', '/start', '/callback']) await call(`GET /sessions/oidc${step}`);
    await call('GET /sessions', bySession);
    await call('GET /sessions/current', bySession);
    await call('DELETE /sessions/{session_id}', {
      session_id: String(link.session_id),
      ...bySession,
    });
    const again = { code: new URL(String(second)).hash.replace('#code=', '') };
    await call('POST /sessions', { ...bySession, body: again });
    await call('DELETE /sessions/current', await signIn());
  }

  /** The reads of a stream that begins in the past, and of one that waits. */
  async function watchEvents(as = token, address_id = failed.address_id): Promise<void> {
    operations.add('GET /stream');
    const headers = { authorization: `Bearer ${as}` };
    const abort = new AbortController();
    const { body } = await fetch(`${api.url}/v1/stream?since=${from}`, {
      headers,
      signal: abort.signal,
    });
    let text = '';
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('stream.ready')) break;
    }
    abort.abort();
    const query = `?address_id=${address_id}&since=${from}`;
    await call('GET /deliveries/wait', { query, headers });
  }

  /**
   * Makes an address and sends a mail to it; resolves with the ids when its delivery has come to
   * this.
   */
  async function deliver(path: string, status: string, size = 0, rules: object[] = []) {
    const { id: address_id, address } = await call('POST /addresses', {
      body: { webhook_url: pipeline.receiver.url(path), rules },
    });
    await pipeline.mailer.sendMail({
      from: 'a@b.example',
      to: String(address),
      subject: path,
      text: path,
      attachments: size > 0 ? [{ filename: 'a', content: randomBytes(size) }] : [],
    });
    const ended = async () =>
      (await call('GET /deliveries', { query: `?address_id=${address_id}&status=${status}` }))
        .data[0];
    const { event_id } = await until(`${path} to be ${status}`, ended);
    return { address_id, event_id };
  }

  const url = pipeline.receiver.url('/notified');
  const { id: notification_id } = await call('POST /account/notifications', { body: { url } });
  const notification = { notification_id };
  const root = '/account/notifications/{notification_id}';
  pipeline.receiver.answer('/late', (count) => (count === 1 ? 503 : 200));
  pipeline.receiver.answer('/never', (count) => (count <= 4 ? 503 : 200));
  const delivered = await deliver('/fine', 'delivered');
  await deliver('/late', 'delivered');
  await deliver('/large', 'delivered', 700_000);
  const failed = await deliver('/never', 'failed');
  await until(
    'the failing sweep',
    async () => (await call('GET /addresses/{address_id}', failed)).is_failing === true,
  );

  const from = new Date(Date.now() - DAY_MS).toISOString();
  const to = new Date(Date.now() + DAY_MS).toISOString();
  const ranges = [
    '',
    `&start_date=${from}`,
    `&end_date=${to}`,
    `&start_date=${from}&end_date=${to}`,
  ];
  for (const filter of [
    '',
    '&is_enabled=true',
    '&is_enabled=false',
    '&is_permanent=true',
    '&is_permanent=false',
    '&is_enabled=true&is_permanent=true',
    '&is_enabled=false&is_permanent=false',
    '&offset=2',
    '&is_failing=true',
    '&is_failing=true&offset=1',
    '&is_failing=true&is_enabled=true&is_permanent=true',
    '&is_failing=false',
    '&has_failed=true',
    '&has_failed=true&is_failing=true&offset=1',
    '&has_failed=false',
    '&search=a&is_enabled=false',
    `&ids=${failed.address_id},${delivered.address_id}`,
    '&address=nobody%40inlet.localhost',
  ]) {
    await call('GET /addresses', { query: `?limit=2${filter}` });
  }
  for (const range of ranges) {
    for (const of of ['', `&address_id=${failed.address_id}`]) {
      for (const status of ['', ...STATUS_FILTERS.map((one) => `&status=${one}`)])
        await call('GET /deliveries', { query: `?limit=2${of}${status}${range}` });
    }
    for (const search of [
      'subject=fine',
      'sender=a@b.example&recipient=nobody',
      'subject=fine&status=delivered',
      'tag=vip',
      'has=attachment&subject=fin*',
      'subject=fin*',
      `verdict=spam,spf%3Dfail&address_id=${failed.address_id}&status=failed`,
    ])
      for (const page of ['limit=2', 'limit=1', 'offset=9'])
        await call('GET /deliveries', { query: `?${page}&${search}${range}` });
    for (const type of ['', ...USAGE_EVENT_TYPES.map((one) => `&event_type=${one}`)])
      await call('GET /usage/events', { query: `?limit=2&offset=1${type}${range}` });
  }

  await call('PATCH /addresses/{address_id}', { ...delivered, body: { labels: { team: 'shop' } } });
  await call('GET /addresses', { query: '?labels=team=shop' });
  for (const limit of [{ labels: ['team=shop'] }, { address_ids: [delivered.address_id] }]) {
    const limited = await api.issue({ accountId: ownerId, limit });
    const headers = { authorization: `Bearer ${limited.token}` };
    for (const path of [
      'addresses',
      'deliveries?limit=1',
      'deliveries?subject=fine',
      'deliveries/due',
      'usage',
      'usage/daily',
      'usage/events?limit=1',
      'usage/events?event_type=webhook.delivered',
      'usage/events?event_type=email.received',
    ]) {
      const [list = '', query = ''] = path.split('?');
      await call(`GET /${list}`, { query: `?${query}`, headers });
    }
    await call('GET /addresses/{address_id}', { ...delivered, headers });
    await call('GET /deliveries/{event_id}', { ...delivered, headers });
    await call('POST /deliveries/replay', { body: { status: 'failed' }, headers });
    await watchEvents(limited.token, delivered.address_id);
  }

  for (const body of [
    { description: 'x' },
    { description: 'x' },
    { is_enabled: false },
    { is_enabled: true },
    { reply_addresses: true },
    { payload: { include_raw: true } },
  ])
    await call('PATCH /addresses/{address_id}', { ...delivered, body });
  await call('POST /addresses/{address_id}/rotate-secret', delivered);
  await call('GET /addresses/{address_id}/secret', delivered);
  await call('POST /addresses/{address_id}/reply-addresses', {
    ...delivered,
    body: { reference: 'ticket-42' },
  });
  await call('GET /addresses/{address_id}/reply-key', delivered);
  await call('POST /addresses/{address_id}/rotate-reply-key', delivered);
  await call('POST /addresses/{address_id}/test', delivered);
  await call('GET /deliveries/{event_id}', delivered);
  const record = (record_views: boolean) =>
    call('PATCH /account', { body: { settings: { record_views } } });
  await record(true);
  await call('GET /deliveries/{event_id}/payload', delivered);
  await record(false);
  await reportViews(pipeline, ownerId);
  await call('GET /deliveries/{event_id}/email', delivered);
  await call('GET /deliveries/{event_id}/html', delivered);
  await call('POST /deliveries/{event_id}/signature', delivered);
  await call('POST /expressions/test', {
    body: { when: 'is_list', event_id: delivered.event_id },
  });
  const rules = [{ name: 'all', when: 'true', action: 'hold' }];
  await call('POST /rules/test', { body: { rules, event_id: delivered.event_id } });
  const credentials = { access_key_id: 'id', secret_access_key: 'secret' };
  const atProvider = { endpoint: 'https://s3.example.com', bucket: 'example-mail', credentials };
  const bucket = await call('POST /account/buckets', { body: { name: 'files', ...atProvider } });
  const ofBucket = { bucket_id: bucket.id };
  await call('GET /account/buckets');
  await call('GET /account/buckets/{bucket_id}', ofBucket);
  await call('PATCH /account/buckets/{bucket_id}', { ...ofBucket, body: { region: 'auto' } });
  await call('POST /account/buckets/{bucket_id}/test', ofBucket);
  await call('DELETE /account/buckets/{bucket_id}', ofBucket);
  const list = await call('POST /lists', { body: { name: 'partners', entries: [] } });
  const ofList = { list_id: list.id };
  await call('GET /lists');
  await call('GET /lists/{list_id}', ofList);
  await call('PATCH /lists/{list_id}', { ...ofList, body: { add: ['b.example'] } });
  await call('GET /lists/{list_id}/entries', ofList);
  const strangers = [{ name: 's', when: 'sender in lists.partners', action: 'tag', tags: ['p'] }];
  const held = await deliver('/held', 'held', 0, [...strangers, ...rules]);
  for (const step of ['drop', 'release']) await call(`POST /deliveries/{event_id}/${step}`, held);
  await call('DELETE /lists/{list_id}', ofList);
  const submitted = { 'content-type': 'message/rfc822', 'svc-rcpt-to': 'nobody@in.example' };
  await call('POST /intake', { headers: { authorization: `Bearer ${token}`, ...submitted } });
  await call('GET /files/{event_id}/raw', delivered);
  await call('GET /files/{event_id}/attachments/{index}', { ...delivered, index: '0' });
  await call('POST /deliveries/{event_id}/replay', delivered);
  const sleeping = () => sleepingDelivery(pipeline, ownerId, failed.address_id);
  for (const page of ['', '?limit=1', '?offset=9'])
    await call('GET /deliveries/due', { ...(await sleeping()), query: page });
  const newest = { query: `?address_ids=${failed.address_id}` };
  await call('GET /deliveries/newest', newest);
  await call('GET /deliveries/replay');
  await call('POST /deliveries/{event_id}/retry', await sleeping());
  await call('POST /deliveries/{event_id}/cancel', await sleeping());
  await call('DELETE /deliveries/{event_id}/content', await sleeping());
  await sleeping();
  for (const body of [
    {},
    { start_date: from, end_date: to, limit: 1 },
    { address_id: failed.address_id, status: 'failed' },
    { status: 'retrying' },
    { sender: 'ann', subject: 'mail', verdict: 'spf=fail', start_date: from },
    { address_id: delivered.address_id, status: 'delivered', limit: 1 },
  ]) {
    await call('POST /deliveries/replay', {
      body: { ...body, cursor: 'limit' in body ? delivered.event_id : undefined },
    });
  }
  const replayed = async () =>
    (await call('GET /deliveries', { query: `?address_id=${failed.address_id}&status=delivered` }))
      .data[0];
  await until('the replay', replayed);

  for (const key of ['once', 'once'])
    await call('POST /addresses', { key, body: { webhook_url: pipeline.receiver.url('/fine') } });
  await call('POST /addresses', { key: 'refused', body: { webhook_url: 'no' } });
  await call('DELETE /addresses/{address_id}', delivered);
  await call('DELETE /addresses/{address_id}', delivered);

  const domain = await call('POST /domains', { body: { domain: 'own.example' } });
  const { name, value } = domain.verification as { name: string; value: string };
  dns.set(name, { TXT: [value] });
  await call('POST /domains/{domain_id}/verify', { domain_id: domain.id });
  for (const status of ['', '?status=pending', '?status=verified', '?status=failed'])
    await call('GET /domains', { query: status });
  await call('GET /domains/{domain_id}', { domain_id: domain.id });
  await call('PATCH /domains/{domain_id}', { domain_id: domain.id, body: { mta_sts: 'testing' } });
  const stores = storesOf(pipeline);
  await stores.domains.mtaStsOf('own.example'); // for a sender, without a token
  await exportAuditTrail(pipeline);
  const refusal = { refusal_id: await recordRefusals(pipeline, ownerId) };
  await call('GET /refusals', { query: '?sender=a@b.example&limit=1' });
  await call('GET /refusals/count');
  await call('GET /refusals/{refusal_id}', refusal);
  await call('DELETE /refusals/{refusal_id}', refusal);
  await call('DELETE /refusals', { query: '?sender=a@b.example' });
  await stores.deliveries.countWaiting(ownerId, 10);
  await stores.deliveries.countUnread(new Date());
  await stores.deliveries.removeRecordsBefore(new Date(Date.now() - 50 * DAY_MS));
  for (const place of ['own.example', '*.own.example', 'in.example']) {
    const webhook_url = pipeline.receiver.url('/fine');
    const chosen = { body: { webhook_url, local_part: 'chosen', domain: place } };
    const { id } = await call('POST /addresses', chosen);
    await call('DELETE /addresses/{address_id}', { address_id: id });
    await call('POST /addresses', chosen);
  }
  await stores.domains.verify(
    { ...(await storedDomain(pipeline, domain.id)), domain: 'gone.example', id: 'gone' },
    new Date(),
  );
  await call('DELETE /domains/{domain_id}', { domain_id: domain.id });

  await call('GET /account');
  await call('PATCH /account', { body: { name: 'New', settings: { timezone: 'Asia/Kolkata' } } });
  const made = await call('POST /account/tokens', { body: { name: 'made' } });
  const notified = async () =>
    (await call(`GET ${root}/deliveries`, { ...notification, query: '?status=delivered' })).data[0];
  const { event_id: sent } = await until('the notification', notified);
  await call(`GET ${root}/deliveries`, notification);
  await call(`GET ${root}/deliveries/{event_id}`, { ...notification, event_id: sent });
  await call('POST /deliveries/{event_id}/replay', { event_id: sent });
  await call('GET /account/notifications');
  await call(`GET ${root}`, notification);
  await call(`PATCH ${root}`, { ...notification, body: { description: 'x' } });
  await call(`GET ${root}/secret`, notification);
  await call(`POST ${root}/rotate-secret`, notification);
  await call(`POST ${root}/test`, notification);
  await call(`DELETE ${root}`, notification);

  const receivers = '/addresses/{address_id}/receivers';
  const of = { address_id: failed.address_id };
  const further = await call(`POST ${receivers}`, { ...of, body: { url } });
  const receiver = { ...of, receiver_id: further.id };
  const it = `${receivers}/{receiver_id}`;
  await call(`GET ${receivers}`, of);
  await call(`GET ${it}`, receiver);
  await call(`PATCH ${it}`, { ...receiver, body: { description: 'x' } });
  await call(`GET ${it}/secret`, receiver);
  await call(`POST ${it}/rotate-secret`, receiver);
  await call(`POST ${it}/test`, receiver);
  await call(`PATCH ${it}`, { ...receiver, body: { signing: 'ed25519' } });
  await call('GET /receivers/{receiver_id}/jwks.json', receiver);
  await pull(`${receivers}/{receiver_id}`, failed);
  await call('GET /deliveries/{event_id}/receivers', failed);
  for (const status of ['', '&status=delivered'])
    await call('GET /deliveries', { query: `?receiver_id=${further.id}${status}` });
  await call(`DELETE ${it}`, receiver);
  const invited = await call('POST /account/members', {
    body: { name: 'invited', role: 'viewer' },
  });
  const code = new URL(String(invited.url)).hash.replace('#code=', '');
  await call('POST /sessions', { body: { code } });
  await stores.members.findSubjects(ownerId, ['ann', 'ann@example.com']);
  const member = { member_id: invited.id };
  await call('GET /account/members');
  await call('PATCH /account/members/{member_id}', { ...member, body: { role: 'admin' } });
  await call('POST /account/members/{member_id}/links', member);
  await call('DELETE /account/members/{member_id}', member);
  await call('GET /account/tokens');
  await call('DELETE /account/tokens/{token_id}', { token_id: made.id });
  await call('GET /usage');
  for (const query of ['', '?interval=hour', `?address_id=${failed.address_id}`])
    await call('GET /usage/daily', { query });
  await call('GET /billing');
  const invoice = await until(
    'the invoice sweep',
    async () => (await call('GET /billing/history')).data[0],
  );
  await call('GET /billing/invoices/{invoice_id}/pdf', { invoice_id: invoice.id });
  const { search } = new URL(String((invoice as { invoice_pdf?: string }).invoice_pdf));
  await call('GET /invoice-files/{invoice_id}', { invoice_id: invoice.id, query: search });
  await signInAndOut();
  await watchEvents();
  const document = await call('GET /openapi.json');

  await forgetRequest(pipeline);
  await keepHouse(pipeline, ownerId);
  await administer(pipeline, ownerId, invoice.id);
  await manage(pipeline, ownerId);
  const paths = Object.entries(document.paths as Record<string, object>);
  return {
    requested: operations,
    described: paths.flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => key !== 'parameters')
        .map((method) => `${method.toUpperCase()} ${path}`),
    ),
  };
}

async function storedDomain(pipeline: Pipeline, id: string): Promise<DomainRecord> {
  const found = await storesOf(pipeline).domains.covering('own.example');
  if (found?.id !== id) throw new Error('no such domain');
  return found;
}

/** The queries after a failure or a crash during a request with an Idempotency-Key. */
async function forgetRequest(pipeline: Pipeline): Promise<void> {
  const { idempotencyKeys: idempotency } = storesOf(pipeline);
  const request = { tokenId: 'token', key: 'key', content: '' };
  for (const now of [0, DAY_MS]) await idempotency.claim(request, new Date(Date.now() + now));
  await idempotency.release(request);
}

/** The queries of a dispatcher's janitor, and a recount that finds a difference. */
async function keepHouse(pipeline: Pipeline, account_id: string): Promise<void> {
  const { db } = pipeline.mongo;
  const { buckets, deliveries } = storesOf(pipeline);
  await buckets.byKey('acc_unknown live files');
  await deliveries.overdue(new Date(Date.now() - 900_000), undefined, undefined, 500);
  await deliveries.filesToDelete(new Date(), 50);
  await deliveries.filesDeleted('evt_unknown');
  await deliveries.filesNotDeleted('evt_unknown', { at: null, failures: 1 });
  const bodies = await deliveries.bodiesToRemove(new Date(), 1_000, undefined);
  if (bodies.length === 0) throw new Error('no body to remove');
  await deliveries.bodiesRemoved(bodies);
  const ended = await deliveries.endedContents(new Date(Date.now() + 60_000), 100, undefined);
  await db
    .collection<{ _id: string }>('deliveries')
    .updateOne({ _id: String(bodies[0]) }, { $set: { 'search.text_until': new Date(0) } });
  await deliveries.forgetTexts(new Date(), 500);
  await deliveries.contentsRemoved(['evt_unknown', ...ended.map(({ event_id }) => event_id)]);
  const [address] = await db
    .collection<{ _id: string }>('addresses')
    .find({ account_id })
    .toArray();
  await deliveries.eventAt(
    {
      account_id,
      environment: 'live',
      address_id: String(address?._id),
      received_at_ms: Date.now(),
    },
    { partition: 0, sequence: 1 },
  );
  await beSilent(pipeline, String(address?._id));
  const usage = db.collection<{
    _id: string;
    account_id: string;
    environment: string;
    day: string;
  }>('usage_daily');
  const wrong = await usage.findOne({ account_id, environment: 'live' });
  if (wrong === null) throw new Error('nothing counted');
  await usage.updateOne({ _id: wrong._id, account_id }, { $inc: { received: 1 } });
  await usage.insertOne({ ...wrong, _id: `${account_id}:live:2001-01-01`, day: '2001-01-01' });
  if ((await Array.fromAsync(recountUsage(db))).length === 0) throw new Error('nothing mended');
}

/** An address that gets no expected email, and then one; and one of a suspended account. */
async function beSilent(pipeline: Pipeline, _id: string): Promise<void> {
  const { db } = pipeline.mongo;
  const { silentAddresses: silent } = storesOf(pipeline);
  const addresses = db.collection<{ _id: string; account_id: string }>('addresses');
  const accounts = db.collection<{ _id: string }>('accounts');
  const account = { _id: String((await addresses.findOne({ _id }))?.account_id) };
  const now = new Date();
  const waits = (silent_at: Date) =>
    addresses.updateOne(
      { _id },
      { $set: { expect: { every: '1h', when: null, grace: '1h' }, silent_at } },
    );
  const notice = async () => {
    for await (const one of silent.overdue(now)) await silent.notice(one, now);
  };
  await waits(new Date(now.getTime() - DAY_MS));
  await notice();
  await silent.count(now);
  await waits(new Date(now.getTime() + DAY_MS));
  for await (const one of silent.resumed(now)) await silent.resume(one, now);
  await waits(new Date(now.getTime() - DAY_MS));
  await accounts.updateOne(account, { $set: { suspended_at: now } });
  await notice();
  await accounts.updateOne(account, { $set: { suspended_at: null } });
  await addresses.updateOne({ _id }, { $set: { expect: null, silent_at: null } });
}

/** The queries of the operator for the resources of a cluster. */
async function manage(pipeline: Pipeline, account_id: string): Promise<void> {
  const owner = { kind: 'InboundAddress', namespace: 'shop', name: 'orders', uid: '1' };
  const stores = storesOf(pipeline);
  const { accounts, addresses, members, tokens } = stores;
  const address = newAddress('https://receiver.example/', { account_id, managed_by: owner });
  await addresses.insert(address);
  await addresses.remove(wholeAccount(address), address.id, new Date());
  await stores.nameClaims.restore(address.id, address.account_id, owner);
  expect((await addresses.findManaged(owner))?.id).toBe(address.id);
  for (const kind of ['buckets', 'domains', 'notifications', 'receivers', 'senderLists'] as const)
    expect([kind, await stores[kind].findManaged(owner)]).toEqual([kind, undefined]);
  const { id } = await tokens.issue({
    accountId: account_id,
    name: 'managed',
    environment: 'live',
    managed_by: owner,
  });
  await tokens.update({
    id,
    name: 'other',
    permissions: ['usage:read'],
    limit: null,
    expires_at: null,
  });
  const token = await tokens.replace(id, 'live');
  expect((await tokens.findManaged(owner))?.is(token)).toBe(true);
  const account = await accounts.create({
    email: 'm@example.com',
    name: 'Managed',
    managed_by: owner,
  });
  expect((await accounts.findManaged(owner))?.id).toBe(account.id);
  await members.putManaged(account_id, { subject: 'put', role: 'viewer' }, owner, new Date());
  await members.release(account_id);
  await accounts.release(account.id);
}

async function administer(pipeline: Pipeline, accountId: string, invoiceId: string): Promise<void> {
  const env = {
    MONGODB_URI: uriOf(pipeline),
    SECRET_KEYS: `${randomBytes(32).toString('base64')},${pipeline.settings.SECRET_KEYS ?? ''}`,
  };
  async function admin(...args: string[]): Promise<Record<string, unknown>> {
    const { code, out, err } = await runCommand(['admin', ...args], { env });
    if (code !== 0) throw new Error(err);
    return JSON.parse(out) as Record<string, unknown>;
  }
  const created = await admin('account', 'create', '--email', 'a@b.example', '--name', 'A');
  await admin('account', 'show', accountId);
  await admin('account', 'update', String(created.id), '--email', 'b@b.example');
  await admin('account', 'close', String(created.id), '--yes');
  await admin('account', 'list');
  const token = await admin('token', 'create', '--account', accountId, '--name', 'x');
  await admin('token', 'list', '--account', accountId);
  await admin('token', 'revoke', '--account', accountId, String(token.id));
  await admin('plan', 'set', accountId, 'business');
  await admin('invoice', 'list', '--account', accountId);
  await admin('invoice', 'list', '--status', 'open');
  await admin('invoice', 'mark-paid', invoiceId);
  await admin('account', 'suspend', accountId);
  await admin('account', 'resume', accountId);
  const { accountKeys: keys, domains } = storesOf(pipeline);
  const claimed = await domains.insert(
    {
      account_id: accountId,
      environment: 'test',
      id: 'dom_sold',
      domain: 'sold.example',
      token: '',
    },
    new Date(),
  );
  if (claimed) await domains.verify(claimed, new Date());
  await admin('domain', 'owner', 'sold.example');
  await admin('domain', 'release', 'sold.example');
  await keys.ensure(accountId);
  await keys.find(accountId);
  await pipeline.mongo.db
    .collection<{ _id: string }>('accounts')
    .updateOne({ _id: accountId }, { $unset: { has_content_key: '' } });
  await keys.ensure(accountId); // as one of an earlier release
  await admin('secrets', 'reencrypt');
}
