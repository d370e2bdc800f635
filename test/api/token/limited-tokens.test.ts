/**
 * Tokens limited to addresses (D69): every operation of the OpenAPI document, with limited
 * credentials, on an address of their own, on another of the account, on one of another account, and
 * on one of the other environment. And whole tokens of strangers (D5, D11), with every operation that
 * names a record.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createAddRefusals } from '../../../services/adapters/mongo/refusal/refusals.ts';
import type { OpenApi } from '../../../services/api/documentation/document.ts';
import type { Environment } from '../../../services/core/resource/environment.ts';
import { kindOf, refusalOf } from '../../../services/core/refusal/refusal.ts';
import { noSuchAddress } from '../../../services/core/smtp/smtp-reply.ts';
import type { Answer } from '../../support/start-api.ts';
import { startInProcess, type InProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';
import { openDashboard } from '../session/dashboard.ts';
import { openStream } from '../stream/event-source.ts';

/**
 * What each operation is for a limited token. `one`: its path names a record of an address. `many`:
 * it shows or changes records of the token's addresses only. `account`: always 404. `self`: only
 * about the caller. `public`: needs no token.
 */
const OPERATIONS = {
  one: [
    'acknowledgeEmails',
    'cancelDelivery',
    'createReceiver',
    'createReplyAddress',
    'deleteAddress',
    'deleteReceiver',
    'deleteRefusal',
    'dropDelivery',
    'eraseDeliveryContent',
    'getAddress',
    'getDelivery',
    'getDeliveryEmail',
    'getDeliveryHtml',
    'getDeliveryPayload',
    'getReceiver',
    'getReceiverSecret',
    'getRefusal',
    'getReplyKey',
    'getWebhookSecret',
    'leaseEmails',
    'listDeliveriesOfEmail',
    'listReceivers',
    'releaseDelivery',
    'renewLeases',
    'replayDelivery',
    'retryDelivery',
    'returnEmails',
    'rotateReceiverSecret',
    'rotateReplyKey',
    'rotateWebhookSecret',
    'sendTestToReceiver',
    'sendTestWebhook',
    'signDelivery',
    'updateAddress',
    'updateReceiver',
  ],
  many: [
    'countRefusals',
    'createAddress',
    'deleteRefusalsOfSender',
    'getReplayWindow',
    'getUsage',
    'getUsageSeries',
    'listAddresses',
    'listDeliveries',
    'listDueDeliveries',
    'listNewestDeliveries',
    'listRefusals',
    'listUsageEvents',
    'replayDeliveries',
    'streamEvents',
    'testExpression',
    'testRules',
    'waitForDelivery',
  ],
  account: [
    'createBucket',
    'createDomain',
    'createMemberLink',
    'createNotification',
    'createSenderList',
    'createToken',
    'deleteBucket',
    'deleteDomain',
    'deleteMember',
    'deleteNotification',
    'deleteSenderList',
    'deleteSession',
    'deleteToken',
    'exportSenderList',
    'getAccount',
    'getBilling',
    'getBucket',
    'getDomain',
    'getInvoicePdf',
    'getNotification',
    'getNotificationDelivery',
    'getNotificationSecret',
    'getSenderList',
    'inviteMember',
    'listBuckets',
    'listDomains',
    'listInvoices',
    'listMembers',
    'listNotificationDeliveries',
    'listNotifications',
    'listSenderLists',
    'listTokens',
    'rotateNotificationSecret',
    'sendTestNotification',
    'submitEmail',
    'testBucket',
    'updateAccount',
    'updateBucket',
    'updateDomain',
    'updateMember',
    'updateNotification',
    'updateSenderList',
    'verifyDomain',
  ],
  self: ['createDashboardLink', 'deleteCurrentSession', 'getCurrentSession', 'listSessions'],
  public: [
    'createSession',
    'getAttachment',
    'getLinkedInvoicePdf',
    'getRawEmail',
    'getReceiverKeys',
    'getSingleSignOn',
  ],
};

type Ids = Record<string, string>;
type Place = { ids: Ids; marks: string[] };
type Credential = { name: string; ask: InProcess['api']['ask'] };

let whole: InProcess;
let document: OpenApi;
let own: Place;
let others: Record<string, Place>;
let credentials: Credential[];
let labelled: string;
/** Tokens with all permissions. */
let strangers: Record<'another account' | 'the other environment', string>;

/** An address with an email, a further receiver, and all that has an id in its account. */
async function populate(
  token: string,
  name: string,
  labels: object,
  liveToken = token,
): Promise<Place> {
  const { api, pipeline } = whole;
  const post = async (path: string, body: object, as = token) => {
    const answer = await api.ask('POST', `/v1${path}`, { token: as, body });
    if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body as { id: string; address: string };
  };
  const webhook_url = pipeline.receiver.url(`/${name}`);
  const fields = { webhook_url, labels, description: `${name} description`, reply_addresses: true };
  const { id: address_id, address } = await post('/addresses', fields);
  const receiver = { url: pipeline.receiver.url(`/${name}-further`) };
  const { id: receiver_id } = await post(`/addresses/${address_id}/receivers`, receiver);
  await whole.send(address, `${name} subject`);
  const event_id = await until(`the email of ${name}`, async () => {
    const query = `?address_id=${address_id}&receiver_id=${address_id}&status=delivered`;
    const { body } = await api.ask('GET', `/v1/deliveries${query}`, { token });
    return (body.data as { event_id: string }[])[0]?.event_id;
  });
  const environment = token.startsWith('svc_test_') ? ('test' as const) : ('live' as const);
  const { body: account } = await api.ask('GET', '/v1/account', { token });
  const refused = {
    owner: { account_id: String(account.id), environment, address_id, name: address },
    command: 'rcpt' as const,
    reply: noSuchAddress,
    mailbox: address,
    sender: `${name}@sender.example`,
    remoteIp: '192.0.2.7',
    heloDomain: 'mx.sender.example',
  };
  const refusal = refusalOf(refused, kindOf(refused), new Date());
  await createAddRefusals(api.mongo.db, 3_600_000)([refusal]);
  const ids = {
    address_id,
    receiver_id,
    event_id,
    refusal_id: refusal.id,
    domain_id: (await post('/domains', { domain: `${name}.example` })).id,
    list_id: (await post('/lists', { name }, liveToken)).id, // live email shares lists
    notification_id: (await post('/account/notifications', { url: webhook_url })).id,
    bucket_id: (await post('/account/buckets', { ...BUCKET, name })).id,
    token_id: (await post('/account/tokens', { name, permissions: ['usage:read'] })).id,
    member_id: (await post('/account/members', { name, role: 'viewer' }, liveToken)).id,
    session_id: (await openDashboard(api, { token })).session.session_id,
    invoice_id: 'inv_1',
    index: '0',
  };
  return { ids, marks: [address_id, receiver_id, event_id, address, `${name} subject`] };
}

const BUCKET = {
  endpoint: 'https://s3.example.com',
  bucket: 'example-mail',
  credentials: { access_key_id: 'id', secret_access_key: 'secret' },
};

beforeAll(async () => {
  whole = await startInProcess({
    REPLY_KEYS: Buffer.alloc(32, 1).toString('base64'),
  });
  const { api } = whole;
  const { body } = await api.ask('GET', '/v1/openapi.json', { token: null });
  document = body as unknown as OpenApi;
  const tokenOf = async (accountId: string, environment: Environment) =>
    (await api.issue({ accountId, environment })).token;
  own = await populate(api.token, 'own', { team: 'shop', stage: 'beta' });
  const foreign = await tokenOf((await api.newAccount()).id, 'live');
  const testing = await tokenOf(api.account.id, 'test');
  strangers = { 'another account': foreign, 'the other environment': testing };
  others = {
    'another address': await populate(api.token, 'other', { team: 'desk' }),
    'another account': await populate(foreign, 'foreign', { team: 'shop', stage: 'beta' }),
    'the other environment': await populate(
      testing,
      'testing',
      { team: 'shop', stage: 'beta' },
      api.token,
    ),
  };
  const limited = async (limit: object) => {
    const answer = await api.ask('POST', '/v1/account/tokens', {
      body: { name: 'agent', ...limit },
    });
    expect(answer.status).toBe(201);
    return String(answer.body.token);
  };
  const byId = await limited({ address_ids: [own.ids.address_id] });
  labelled = await limited({ labels: { team: 'shop', stage: 'beta' } });
  const as = (name: string, token: string): Credential => ({
    name,
    ask: (method, path, ask) => api.ask(method, path, { token, ...ask }),
  });
  credentials = [
    as('address_ids', byId),
    as('labels', labelled),
    { name: 'session of a limited token', ask: (await openDashboard(api, { token: byId })).ask },
  ];
});
afterAll(() => whole[Symbol.asyncDispose]());

type Operation = { id: string; method: string; path: string; body: object | undefined };

/** Every operation of the document, with the example of its body. */
const operations = (): Operation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, requestBody }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      body: requestBody && { ...exampleOf(requestBody) },
    })),
  );

function exampleOf(requestBody: object): object {
  const { content } = requestBody as { content: Record<string, { example?: object }> };
  return content['application/json']?.example ?? {};
}

const pathOf = ({ path }: Operation, ids: Ids): string =>
  `/v1${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'missing')}`;

const of = (kind: keyof typeof OPERATIONS) =>
  operations().filter(({ id }) => OPERATIONS[kind].includes(id));

/** What an answer shows of other addresses. */
const leaks = ({ body }: Answer): string[] => {
  const text = JSON.stringify(body);
  return Object.values(others)
    .flatMap(({ marks }) => marks)
    .filter((mark) => text.includes(mark));
};

test('L.1: every operation of the document has its place in this walk', () => {
  expect(Object.values(OPERATIONS).flat().toSorted()).toEqual(
    operations()
      .map(({ id }) => id)
      .toSorted(),
  );
});

test('D5: another account lists none of the records', async () => {
  const { index: _, invoice_id: __, ...named } = own.ids;
  const marks = [...own.marks, ...Object.values(named)];
  const endless = ['streamEvents', 'waitForDelivery'];
  const lists = [...of('many'), ...of('account'), ...of('self')].filter(
    ({ id, method, path }) => method === 'GET' && !path.includes('{') && !endless.includes(id),
  );
  expect(lists.length).toBeGreaterThan(15);
  const answers = await Promise.all(
    lists.map(async ({ id, path }) => {
      const answer = await whole.api.ask('GET', `/v1${path}`, {
        token: strangers['another account'],
      });
      const text = JSON.stringify(answer.body);
      return { id, status: answer.status, leaked: marks.filter((mark) => text.includes(mark)) };
    }),
  );
  expect(answers.filter(({ status, leaked }) => status >= 500 || leaked.length > 0)).toEqual([]);
});

type Shown = {
  data: { id: string; event_id: string; receiver_id: string; address_id: string }[];
  pagination: { total: number };
};

/** A response without anything of other addresses. */
async function shownTo({ ask }: Credential, path: string): Promise<Shown> {
  const answer = await ask('GET', `/v1${path}`);
  expect([path, answer.status, leaks(answer)]).toEqual([path, 200, []]);
  return answer.body as Shown;
}

const RECORDS = ['addresses', 'receivers', 'deliveries'];
const OF_ACCOUNT = [
  'buckets',
  'domains',
  'members',
  'notifications',
  'sender_lists',
  'sessions',
  'tokens',
];

/** What the owners of the places see of them. */
const state = async (places: Place[], collections = RECORDS): Promise<unknown> => {
  const { mongo } = whole.api;
  const _id = { $in: places.flatMap(({ ids }) => Object.values(ids)) };
  const found = collections.map((collection) =>
    mongo.db.collection<{ _id: string }>(collection).find({ _id }).sort({ _id: 1 }).toArray(),
  );
  return Promise.all(found);
};

/** Live email shares its lists, and an account its people and tokens: for tests, they cannot be changed. */
const SHARED = {
  getSenderList: 200,
  exportSenderList: 200,
  updateSenderList: 403,
  deleteSenderList: 403,
  deleteToken: 403,
  deleteSession: 403,
  updateMember: 403,
  deleteMember: 403,
  createMemberLink: 403,
};

test.each<[keyof typeof strangers, Record<string, number>]>([
  ['another account', {}],
  ['the other environment', SHARED],
])('D5, D11: for %s, every record is 404 and stays as it is', async (name, shared) => {
  const token = strangers[name];
  const before = await state([own], [...RECORDS, ...OF_ACCOUNT]);
  const requested = [...of('one'), ...of('account')].filter(({ path }) => path.includes('{'));
  const answers = await Promise.all(
    requested.map(async (operation) => {
      const { id, method, body } = operation;
      const path = pathOf(operation, own.ids);
      const answer = await whole.api.ask(method, path, { token, ...(body && { body }) });
      const text = JSON.stringify(answer.body);
      return [id, answer.status, own.marks.filter((mark) => text.includes(mark))];
    }),
  );
  expect(answers).toEqual(requested.map(({ id }) => [id, shared[id] ?? 404, []]));
  expect(await state([own], [...RECORDS, ...OF_ACCOUNT])).toEqual(before);
});

describe.each(['address_ids', 'labels', 'session of a limited token'])('L.1: %s', (name) => {
  const credential = () => {
    const found = credentials.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no credential ${name}`);
    return found;
  };
  const ask = (operation: Operation, ids: Ids, more: object = {}, query = '') =>
    credential().ask(operation.method, `${pathOf(operation, ids)}${query}`, {
      ...((operation.body ?? Object.keys(more).length > 0) && {
        body: { ...operation.body, ...more },
      }),
    });

  test('records of other addresses are 404, and stay as they are', async () => {
    const before = await state(Object.values(others));
    const answers = await Promise.all(
      Object.values(others).flatMap(({ ids }) =>
        of('one').map(async (operation) => {
          const answer = await ask(operation, ids);
          return [operation.id, answer.status, leaks(answer)] as const;
        }),
      ),
    );
    expect(answers).toHaveLength(Object.keys(others).length * OPERATIONS.one.length);
    expect(answers.filter(([, status]) => status !== 404)).toEqual([]);
    expect(answers.flatMap(([, , leaked]) => leaked)).toEqual([]);
    expect(await state(Object.values(others))).toEqual(before);
  });

  test('a receiver of another address is 404 under the own address', async () => {
    for (const { ids } of Object.values(others)) {
      const mixed = { ...own.ids, receiver_id: ids.receiver_id ?? '' };
      const operation = of('one').filter(({ path }) => path.includes('{receiver_id}'));
      const statuses = await Promise.all(
        operation.map(async (one) => (await ask(one, mixed)).status),
      );
      expect(statuses.filter((status) => status !== 404)).toEqual([]);
    }
  });

  test('what belongs to the account is 404', async () => {
    const places = [own, ...Object.values(others)];
    const answers = await Promise.all(
      places.flatMap(({ ids }) =>
        of('account').map(
          async (operation) => [operation.id, (await ask(operation, ids)).status] as const,
        ),
      ),
    );
    expect(answers).toHaveLength(places.length * OPERATIONS.account.length);
    expect(answers.filter(([, status]) => status !== 404)).toEqual([]);
  });

  test('records of the own address are found', async () => {
    const reads = of('one').filter(({ method }) => method === 'GET');
    const answers = await Promise.all(
      reads
        .filter(({ id }) => !['getDeliveryHtml', 'getReceiverSecret', 'leaseEmails'].includes(id))
        .map(async (operation) => {
          const { address_id: receiver_id = '' } = own.ids;
          const ids = operation.id === 'getReceiver' ? { ...own.ids, receiver_id } : own.ids;
          return [operation.id, (await ask(operation, ids)).status] as const;
        }),
    );
    expect(answers.filter(([, status]) => status !== 200)).toEqual([]);
  });

  test('lists, searches and totals are of the own address only', async () => {
    const [address_id = '', , event_id = ''] = own.marks;
    const reader = credential();
    const get = (path: string) => shownTo(reader, path);
    expect((await get('/addresses')).data.map(({ id }) => id)).toEqual([address_id]);
    expect((await get('/addresses')).pagination.total).toBe(1);
    for (const query of [
      '?search=description',
      '?is_enabled=true',
      '?labels=team=shop',
      '?is_failing=false',
    ])
      expect((await get(`/addresses${query}`)).data.map(({ id }) => id)).toEqual([address_id]);
    const deliveries = [
      '',
      '?status=delivered',
      '?sender=ann',
      '?subject=own',
      '?offset=0&limit=9',
    ];
    for (const query of deliveries) {
      const { data, pagination } = await get(`/deliveries${query}`);
      expect(data.map((one) => one.receiver_id).toSorted()).toEqual(
        [address_id, own.ids.receiver_id ?? ''].toSorted(),
      );
      expect(pagination.total).toBe(2);
    }
    expect((await get('/deliveries?subject=subject&start_date=2020-01-01')).data).toHaveLength(2);
    expect((await get('/deliveries/due')).data).toEqual([]);
    const both = `${own.ids.address_id},${others['another address']?.ids.address_id}`;
    expect(await get(`/deliveries/newest?address_ids=${both}`)).toMatchObject({
      data: [{ address_id: own.ids.address_id }],
    });
    const usage = (await get('/usage')) as unknown as Record<string, Record<string, number>>;
    expect(usage.emails).toMatchObject({ total: 1, successful: 1, today: 1 });
    expect(usage.webhooks).toMatchObject({ delivered: 2, retrying: 0 });
    for (const query of ['', '?interval=hour', `?address_id=${address_id}`]) {
      const series = (await get(`/usage/daily${query}`)) as unknown as { total: object };
      expect(series.total).toMatchObject({ received: 1 });
    }
    const events = await get('/usage/events?limit=1000');
    expect(new Set(events.data.map((event) => event.address_id))).toEqual(new Set([address_id]));
    expect(JSON.stringify(events)).toContain(event_id);
    for (const type of ['email.received', 'webhook.delivered', 'address.created'])
      expect((await get(`/usage/events?event_type=${type}`)).data.length).toBeGreaterThan(0);
    expect((await get('/usage/events?event_type=token.created')).data).toEqual([]);
  });

  test('an id of another address in a query or a body finds nothing', async () => {
    const { ask: askAs } = credential();
    const post = (path: string, body: object) => askAs('POST', `/v1${path}`, { body });
    for (const { ids } of Object.values(others)) {
      const { address_id, event_id, receiver_id } = ids;
      const paths = [
        `/addresses?ids=${address_id}`,
        `/deliveries?address_id=${address_id}`,
        `/deliveries?receiver_id=${receiver_id}`,
        `/deliveries?address_id=${address_id}&sender=ann`,
      ];
      for (const path of paths)
        expect([path, (await credential().ask('GET', `/v1${path}`)).body.data]).toEqual([path, []]);
      const series = await credential().ask('GET', `/v1/usage/daily?address_id=${address_id}`);
      expect(series.body.total).toMatchObject({ received: 0 });
      const gone = [
        credential().ask('GET', `/v1/deliveries/wait?timeout=1&address_id=${address_id}`),
        credential().ask('GET', `/v1/stream?address_id=${address_id}`),
        post('/expressions/test', { when: 'true', event_id }),
        post('/rules/test', { event_id }),
        post('/rules/test', { address_id, email: 'From: a@b.example\n\nx' }),
      ];
      expect((await Promise.all(gone)).map(({ status }) => status)).toEqual(gone.map(() => 404));
      const replay = { address_id, status: 'delivered' };
      expect((await post('/deliveries/replay', replay)).body.queued).toBe(0);
    }
  });
});

test('L.1: a stream reports the past and present of the own address only', async () => {
  const { api } = whole;
  const headers = { authorization: `Bearer ${labelled}` };
  const since = new Date(Date.now() - 600_000).toISOString();
  await using stream = await openStream(api, { query: `?since=${since}`, headers });
  await stream.nth('stream.ready');
  const addresses = [...Object.values(others), own].map(({ marks }) => marks[3] ?? '');
  for (const address of addresses) await whole.send(address, 'live subject');
  await until(
    'both deliveries in the stream',
    async () =>
      stream.events.filter(
        ({ type, data }) =>
          type === 'webhook.delivered' && JSON.stringify(data).includes('live subject'),
      ).length === 2 || undefined,
  );
  const ids = stream.events.flatMap(({ data }) => data.address_id ?? []);
  expect(new Set(ids)).toEqual(new Set([own.ids.address_id]));
  expect(stream.events.some(({ type }) => type === 'token.created')).toBe(false);
});

test('L.1: a wait sees the email of the own address', async () => {
  const query = `?address_id=${own.ids.address_id}&since=${new Date(Date.now() - 600_000).toISOString()}`;
  for (const { ask } of credentials)
    expect((await ask('GET', `/v1/deliveries/wait${query}`)).status).toBe(200);
});

const create = (index: number, body: object = {}) =>
  credentials[index]?.ask('POST', '/v1/addresses', {
    body: { webhook_url: 'https://hooks.example.com/', ...body },
  });

describe('L.1: creation', () => {
  test('a token limited to labels creates addresses with them, and reaches these', async () => {
    const made = await create(1, { labels: { run: '7' } });
    expect(made?.status).toBe(201);
    expect(made?.body.labels).toEqual({ team: 'shop', stage: 'beta', run: '7' });
    const path = `/v1/addresses/${String(made?.body.id)}`;
    const patch = (labels: object) => credentials[1]?.ask('PATCH', path, { body: { labels } });
    expect((await patch({ team: 'shop', stage: 'beta' }))?.status).toBe(200);
    const lost = await patch({ team: 'shop' });
    expect([lost?.status, lost?.body.error]).toMatchObject([422, 'validation_failed']);
    expect((await credentials[0]?.ask('GET', path))?.status).toBe(404);
    expect((await credentials[1]?.ask('DELETE', path))?.status).toBe(200);
  });

  test('but not with other values of these labels', async () => {
    const refused = await create(1, { labels: { team: 'desk' } });
    expect(refused?.status).toBe(422);
    expect(refused?.body.details).toEqual({ field: 'labels', code: 'conflict' });
  });

  test('a token limited to ids creates none', async () => {
    expect((await create(0))?.status).toBe(404);
  });

  test('too many addresses with its labels end the reach of a token, and say so', async () => {
    const { api } = whole;
    const limit = { labels: ['run=many'] };
    const { token } = await api.issue({ limit });
    const now = Date.now();
    await Promise.all(
      Array.from({ length: 1_000 }, (_, i) =>
        api.store({ labels: ['run=many'], created_at: new Date(now - i) }),
      ),
    );
    expect((await api.ask('GET', '/v1/addresses', { token })).body.pagination).toMatchObject({
      total: 1_000,
    });
    const body = { webhook_url: 'https://hooks.example.com/' };
    const refused = await api.ask('POST', '/v1/addresses', { token, body });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('1000 addresses or more'),
    ]);
    expect((await api.ask('GET', '/v1/deliveries', { token })).status).toBe(200);
  });
});

test('L.1: the limit is in lists and events, and both kinds exclude each other', async () => {
  const { api } = whole;
  const { body } = await api.ask('GET', '/v1/account/tokens');
  const [latest] = (body.data as { labels: object; address_ids: string[] }[]).filter(
    ({ labels }) => labels !== null,
  );
  expect(latest).toBeDefined();
  const labels = { team: 'shop' };
  const refused = await api.ask('POST', '/v1/account/tokens', {
    body: { name: 'both', labels, address_ids: [own.ids.address_id] },
  });
  expect([refused.status, refused.body.details]).toEqual([
    422,
    { field: 'labels', code: 'conflict' },
  ]);
  const events = await api.ask('GET', '/v1/usage/events?event_type=token.created');
  expect(JSON.stringify(events.body)).toContain('team=shop');
});

test('L.1: releases without limits find no permissions in a limited token', async () => {
  const { id } = await whole.api.issue({ limit: { labels: ['team=shop'] } });
  const stored = await whole.api.mongo.db
    .collection<{ _id: string }>('tokens')
    .findOne({ _id: id });
  expect(stored).toMatchObject({ permissions: [], reads_secrets: false });
});
