/** What a Kubernetes resource owns is changed there and nowhere else. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createAccounts } from '../../services/adapters/accounts.ts';
import { createDomains } from '../../services/adapters/domains.ts';
import type { ManagedBy } from '../../services/core/managed-by.ts';
import { startTestApi, type TestApi } from './test-api.ts';

const owner = (kind: string): ManagedBy => ({ kind, namespace: 'shop', name: 'orders', uid: 'c0ffee' });

const parts = new AsyncDisposableStack();
let api: TestApi;
beforeAll(async () => {
  api = parts.use(await startTestApi());
});
afterAll(() => parts.disposeAsync());

const CONFLICT = { status: 409, body: { error: 'conflict', message: expect.stringContaining('InboundAddress shop/orders') as string } };

test('an address of a resource can be neither changed, nor given another secret, nor deleted through the API; it can be read', async () => {
  const { id } = await api.store({ managed_by: owner('InboundAddress') });
  expect(await api.ask('PATCH', `/v1/addresses/${id}`, { body: { is_enabled: false } })).toMatchObject(CONFLICT);
  expect(await api.ask('POST', `/v1/addresses/${id}/rotate-secret`)).toMatchObject(CONFLICT);
  expect(await api.ask('DELETE', `/v1/addresses/${id}`)).toMatchObject(CONFLICT);
  expect(await api.ask('GET', `/v1/addresses/${id}`)).toMatchObject({ status: 200, body: { is_enabled: true, managed_by: { kind: 'InboundAddress', namespace: 'shop', name: 'orders' } } });
});

test("another account's managed address is not revealed", async () => {
  const { id } = await api.store({ account_id: (await api.newAccount()).id, managed_by: { ...owner('InboundAddress'), name: 'theirs' } });
  expect((await api.ask('PATCH', `/v1/addresses/${id}`, { body: { is_enabled: false } })).status).toBe(404);
});

test('a token of a resource is not revoked through the API, not even by itself', async () => {
  const { id, token } = await api.issue({ managed_by: owner('ApiToken') });
  expect(await api.ask('DELETE', `/v1/account/tokens/${id}`, { token })).toMatchObject({ status: 409, body: { error: 'conflict' } });
  expect((await api.ask('GET', '/v1/account', { token })).status).toBe(200);
});

test('an account of a resource is not changed through the API', async () => {
  const account = await createAccounts(api.mongo.db).create({ email: 'm@example.com', name: 'Managed', managed_by: owner('Account') });
  const { token } = await api.issue({ accountId: account.id });
  expect(await api.ask('PATCH', '/v1/account', { token, body: { name: 'Other' } })).toMatchObject({ status: 409, body: { error: 'conflict' } });
  expect(await api.ask('GET', '/v1/account', { token })).toMatchObject({ status: 200, body: { name: 'Managed' } });
});

test('a domain of a resource is not deleted through the API', async () => {
  const { id } = (await createDomains(api.mongo.client, api.mongo.db).insert(
    { id: 'dom_managed', account_id: api.account.id, environment: 'live', domain: 'managed.example.org', token: 'x', managed_by: owner('InboundDomain') }, new Date(),
  )) ?? { id: '' };
  expect(await api.ask('DELETE', `/v1/domains/${id}`)).toMatchObject({ status: 409, body: { error: 'conflict', message: expect.stringContaining('InboundDomain shop/orders') as string } });
  expect(await api.ask('GET', `/v1/domains/${id}`)).toMatchObject({ status: 200, body: { managed_by: { kind: 'InboundDomain', namespace: 'shop', name: 'orders' } } });
});
