/**
 * What a change leaves behind is the same for every noun of the API (D29): nothing for a change without
 * a difference, else a later `updated_at` and one event with the fields that changed.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startTestApi, type TestApi } from '../support/start-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

type Body = Record<string, unknown>;
type Noun = {
  /** Where it is created; absent for the account, which exists. */
  create?: { path: string | ((addressId: string) => string); body: Body };
  one: (id: string, addressId: string) => string;
  /** The fields of a change that makes no difference to what was created. */
  same: Body;
  /** A change of one field, and what its event says. */
  change: Body;
  changed: Body;
  event: string;
};

const URL = 'https://receiver.example/hook';
const AUTH = { headers: { 'X-Key': 'very-secret' } };
const KEYS = { access_key_id: 'id', secret_access_key: 'very-secret' };

const NOUNS: Record<string, Noun> = {
  address: {
    create: { path: '/v1/addresses', body: { webhook_url: URL, labels: { team: 'shop' } } },
    one: (id) => `/v1/addresses/${id}`,
    same: { webhook_url: URL, labels: { team: 'shop' }, is_enabled: true, payload: {}, rules: [] },
    change: { webhook_url: URL, description: 'other', payload: { extract: ['links'] } },
    changed: { description: 'other', payload: { extract: ['links'] } },
    event: 'address.updated',
  },
  'first receiver': {
    create: { path: '/v1/addresses', body: { webhook_url: URL, auth: AUTH } },
    one: (id) => `/v1/addresses/${id}/receivers/${id}`,
    same: { url: URL, auth: AUTH, format: 'inlet', signing: 'hmac', when: null, is_enabled: true },
    change: { url: URL, auth: AUTH, format: 'cloudevents', is_enabled: false },
    changed: { format: 'cloudevents', webhook_enabled: false },
    event: 'address.updated',
  },
  receiver: {
    create: { path: (id) => `/v1/addresses/${id}/receivers`, body: { url: URL, auth: AUTH } },
    one: (id, addressId) => `/v1/addresses/${addressId}/receivers/${id}`,
    same: { url: URL, auth: AUTH, format: 'inlet', signing: 'hmac', when: null },
    change: { url: URL, auth: AUTH, format: 'cloudevents' },
    changed: { format: 'cloudevents' },
    event: 'receiver.updated',
  },
  notification: {
    create: { path: '/v1/account/notifications', body: { url: URL, types: ['quota.near'] } },
    one: (id) => `/v1/account/notifications/${id}`,
    same: { url: URL, types: ['quota.near'], is_enabled: true, description: null },
    change: { url: URL, is_enabled: false },
    changed: { is_enabled: false },
    event: 'notification.updated',
  },
  bucket: {
    create: {
      path: '/v1/account/buckets',
      body: {
        name: 'files',
        endpoint: 'https://s3.example.com',
        bucket: 'mail',
        credentials: KEYS,
      },
    },
    one: (id) => `/v1/account/buckets/${id}`,
    same: { endpoint: 'https://s3.example.com', bucket: 'mail', credentials: KEYS, prefix: '' },
    change: { bucket: 'mail', credentials: { ...KEYS, access_key_id: 'other' } },
    changed: { access_key_id: 'other', secret_access_key: 'replaced' },
    event: 'bucket.updated',
  },
  list: {
    create: { path: '/v1/lists', body: { name: 'partners', entries: ['a.example', 'b.example'] } },
    one: (id) => `/v1/lists/${id}`,
    same: { entries: ['a.example', 'b.example'], description: null },
    change: { add: ['c.example'], remove: ['a.example'] },
    changed: { added: ['c.example'], added_count: 1, removed: ['a.example'], removed_count: 1 },
    event: 'list.updated',
  },
  member: {
    create: { path: '/v1/account/members', body: { name: 'Ann', role: 'viewer' } },
    one: (id) => `/v1/account/members/${id}`,
    same: { name: 'Ann', role: 'viewer' },
    change: { name: 'Ann', role: 'developer' },
    changed: { role: 'developer' },
    event: 'member.updated',
  },
  account: {
    one: () => '/v1/account',
    same: { settings: { timezone: 'UTC', retention_hours: null, rules: [] } },
    change: { name: 'Another name', settings: { timezone: 'UTC', default_ttl_hours: 7 } },
    changed: { name: 'Another name', default_ttl_hours: 7 },
    event: 'account.updated',
  },
};

test.each(Object.entries(NOUNS))(
  '%s: a change without a difference changes nothing, and an event names what changed',
  async (_, { create, one, same, change, changed, event }) => {
    const account = await api.newAccount();
    const { token } = await api.issue({ accountId: account.id });
    const ask = async (method: string, path: string, body?: Body) => {
      const answer = await api.ask(method, path, { token, ...(body && { body }) });
      expect([answer.status, answer.body]).toEqual([expect.toSatisfy(isSuccess), answer.body]);
      return answer.body as Body & { id?: string; data?: Body[] };
    };
    const address = await ask('POST', '/v1/addresses', { webhook_url: URL });
    const addressId = String(address.id);
    const place =
      create && (typeof create.path === 'string' ? create.path : create.path(addressId));
    const made = create && (await ask('POST', String(place), create.body));
    const path = one(idOf(made), addressId);
    const updates = async () =>
      ((await ask('GET', `/v1/usage/events?event_type=${event}`)).data ?? []).map(
        ({ data }) => data as Body,
      );
    // people are only listed
    const read = () => ask('GET', event === 'member.updated' ? '/v1/account/members' : path);
    const before = await read();

    for (const body of [{}, same]) await ask('PATCH', path, body);
    expect(await read()).toEqual(before);
    expect(await updates()).toEqual([]);

    await ask('PATCH', path, change);
    const [update, ...others] = await updates();
    expect([update?.changed, update?.actor, others]).toEqual([changed, 'token', []]);
    expect(JSON.stringify(update)).not.toContain('very-secret');

    await ask('PATCH', path, change);
    expect(await updates()).toHaveLength(1);
  },
);

const isSuccess = (status: number) => status >= 200 && status < 300;

/** The invitation of a member has the member in a field of its own. */
const idOf = (made: Body | undefined): string =>
  String(made?.id ?? (made?.member as Body | undefined)?.id ?? '');
