/** Records of Kubernetes resources can be changed only there. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import {
  type AddressOperations,
  createAddressOperations,
} from '../../../services/platform/address/address-operations.ts';
import { createDomains, type Domains } from '../../../services/adapters/mongo/domain/domains.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { createAddressClaims } from '../../../services/adapters/mongo/address/address-claims.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import type { ManagedBy } from '../../../services/core/resource/managed-by.ts';
import { startTestApi, type TestApi } from '../../support/start-api.ts';
import { wholeAccount } from '../../../services/core/address/scope.ts';

const owner = (kind: string): ManagedBy => ({
  kind,
  namespace: 'shop',
  name: 'orders',
  uid: 'c0ffee',
});
const owned = (name: string): ManagedBy => ({ ...owner('InboundAddress'), name });

const parts = new AsyncDisposableStack();
let api: TestApi;
beforeAll(async () => {
  api = parts.use(await startTestApi());
});
afterAll(() => parts.disposeAsync());

const CONFLICT = {
  status: 409,
  body: {
    error: 'conflict',
    message: expect.stringContaining('InboundAddress shop/orders') as string,
  },
};

test('an address of a resource can be read through the API, but not changed, rotated or deleted', async () => {
  const { id } = await api.store({ managed_by: owner('InboundAddress') });
  expect(
    await api.ask('PATCH', `/v1/addresses/${id}`, { body: { is_enabled: false } }),
  ).toMatchObject(CONFLICT);
  expect(await api.ask('POST', `/v1/addresses/${id}/rotate-secret`)).toMatchObject(CONFLICT);
  expect(await api.ask('DELETE', `/v1/addresses/${id}`)).toMatchObject(CONFLICT);
  expect(await api.ask('GET', `/v1/addresses/${id}`)).toMatchObject({
    status: 200,
    body: {
      is_enabled: true,
      managed_by: { kind: 'InboundAddress', namespace: 'shop', name: 'orders' },
    },
  });
});

test("another account's managed address is not revealed", async () => {
  const { id } = await api.store({
    account_id: (await api.newAccount()).id,
    managed_by: { ...owner('InboundAddress'), name: 'theirs' },
  });
  expect(
    (await api.ask('PATCH', `/v1/addresses/${id}`, { body: { is_enabled: false } })).status,
  ).toBe(404);
});

test('a token of a resource cannot be revoked through the API, not even by itself', async () => {
  const { id, token } = await api.issue({ managed_by: owner('ApiToken') });
  expect(await api.ask('DELETE', `/v1/account/tokens/${id}`, { token })).toMatchObject({
    status: 409,
    body: { error: 'conflict' },
  });
  expect((await api.ask('GET', '/v1/account', { token })).status).toBe(200);
});

test('an account of a resource cannot be changed through the API', async () => {
  const account = await createAccounts(api.mongo.db).create({
    email: 'm@example.com',
    name: 'Managed',
    managed_by: owner('Account'),
  });
  const { token } = await api.issue({ accountId: account.id });
  expect(await api.ask('PATCH', '/v1/account', { token, body: { name: 'Other' } })).toMatchObject({
    status: 409,
    body: { error: 'conflict' },
  });
  expect(await api.ask('GET', '/v1/account', { token })).toMatchObject({
    status: 200,
    body: { name: 'Managed' },
  });
});

test('a domain of a resource cannot be deleted through the API', async () => {
  const { id } = (await createDomains(api.mongo.db).insert(
    {
      id: 'dom_managed',
      account_id: api.account.id,
      environment: 'live',
      domain: 'managed.example.org',
      token: 'x',
      managed_by: owner('InboundDomain'),
    },
    new Date(),
  )) ?? { id: '' };
  expect(await api.ask('DELETE', `/v1/domains/${id}`)).toMatchObject({
    status: 409,
    body: {
      error: 'conflict',
      message: expect.stringContaining('InboundDomain shop/orders') as string,
    },
  });
  expect(await api.ask('GET', `/v1/domains/${id}`)).toMatchObject({
    status: 200,
    body: { managed_by: { kind: 'InboundDomain', namespace: 'shop', name: 'orders' } },
  });
});

describe('an address that was deleted although its resource exists', () => {
  const log = createLog('silent');
  const announced: string[] = [];
  let domains: Domains;
  let operations: AddressOperations;
  beforeAll(async () => {
    const {
      mongo: { db },
      addresses,
    } = api;
    const nats = parts.use(await connectNats({ url: api.natsServer.url, name: 'test' }, log));
    domains = createDomains(db);
    operations = createAddressOperations(
      {
        accounts: createAccounts(db),
        addresses,
        domains,
        nameClaims: createAddressClaims(db, addresses),
        receivers: { removeAll: () => Promise.resolve() },
        deliveries: { stopLeasing: () => Promise.resolve() },
        audit: () => Promise.resolve(),
        nats,
        announce: ({ address }) => announced.push(address),
        inboundDomain: 'in.example',
      },
      log,
    );
  });

  async function verified(domain: string): Promise<string> {
    const claimed = await domains.insert(
      { id: `dom_${domain}`, account_id: api.account.id, environment: 'live', domain, token: 'x' },
      new Date(),
    );
    expect(claimed && (await domains.verify(claimed, new Date()))).toBe('verified');
    return `dom_${domain}`;
  }

  test.each([
    ['on the shared domain', 'back@in.example', undefined],
    ['on an own one', '*@back.example', 'back.example'],
  ])('%s is restored and announced to gateways', async (name, address, domain) => {
    const { id } = await api.store({
      address,
      managed_by: owned(name),
      ...(domain !== undefined && { domain_id: await verified(domain) }),
    });
    await api.addresses.remove(
      wholeAccount({ account_id: api.account.id, environment: 'live' }),
      id,
      new Date(),
    );
    expect(await operations.restore(id, api.account.id, owned(name))).toBe(true);
    expect(await api.byRecipient(address)).toMatchObject({ id, deleted_at: null });
    expect(announced).toContain(address);
    expect(await operations.restore(id, 'acc_another', owned(name))).toBe(false);
  });

  test('stays deleted when the account loses the domain, even at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const domain = `lost${round}.example`;
      const { id } = await api.store({
        address: `*@${domain}`,
        managed_by: owned(domain),
        domain_id: await verified(domain),
      });
      if (round > 0)
        await api.addresses.remove(
          wholeAccount({ account_id: api.account.id, environment: 'live' }),
          id,
          new Date(),
        );
      const released = domains.release(domain, new Date());
      if (round === 0) await released;
      await Promise.all([released, operations.restore(id, api.account.id, owned(domain))]);
      expect(await operations.restore(id, api.account.id, owned(domain))).toBe(false);
      expect((await api.byRecipient(`*@${domain}`))?.deleted_at).toBeInstanceOf(Date);
    }
  });
});
