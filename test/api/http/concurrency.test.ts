/**
 * Concurrent requests on the same resources: each outcome happens once (D8, D29), and addresses
 * stay unique under forced collisions.
 */
import { expect, test } from 'vitest';

import { createLog } from '../../../services/adapters/process/log.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import { createDomains } from '../../../services/adapters/mongo/domain/domains.ts';
import { createAddressClaims } from '../../../services/adapters/mongo/address/address-claims.ts';
import { createAddressOperations } from '../../../services/platform/address/address-operations.ts';
import { HOOK, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { wholeAccount } from '../../../services/core/address/scope.ts';

const MANY = 50;

const api = await useInFile(startTestApi());

const atOnce = <T>(work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: MANY }, (_, i) => work(i)));

test('50 concurrent creates create 50 addresses', async () => {
  const made = await atOnce((i) => api.create({ description: String(i) }));
  expect(new Set(made.map(({ id }) => id)).size).toBe(MANY);
  expect(new Set(made.map(({ address }) => address)).size).toBe(MANY);
  expect(new Set(made.map(({ webhook_secret }) => webhook_secret)).size).toBe(MANY);
});

test('50 concurrent changes of one address are all 200, and the result is one of them', async () => {
  const { id } = await api.create();
  const answers = await atOnce((i) =>
    api.ask('PATCH', `/v1/addresses/${id}`, {
      body: { description: `d${i}`, webhook_url: `https://example.com/${i}` },
    }),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  for (const { body } of answers)
    expect(String(body.webhook_url)).toBe(
      `https://example.com/${String(body.description).slice(1)}`,
    );
  const { body } = await api.ask('GET', `/v1/addresses/${id}`);
  expect(String(body.webhook_url)).toBe(`https://example.com/${String(body.description).slice(1)}`);
});

test('D29: of 50 equal concurrent changes, one changes something', async () => {
  const long = new Date('2026-01-01T00:00:00Z');
  const { id } = await api.store({ created_at: long, updated_at: long });
  const answers = await atOnce(() =>
    api.ask('PATCH', `/v1/addresses/${id}`, { body: { is_enabled: false } }),
  );
  expect(answers.every(({ status, body }) => status === 200 && body.is_enabled === false)).toBe(
    true,
  );
  expect(new Set(answers.map(({ body }) => body.updated_at)).size).toBe(1);
});

test('of 50 concurrent deletes of one address, one deletes it', async () => {
  const { id } = await api.create();
  const statuses = (await atOnce(() => api.ask('DELETE', `/v1/addresses/${id}`))).map(
    ({ status }) => status,
  );
  expect(statuses.toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array.from({ length: MANY - 1 }, () => 404),
  ]);
});

test('concurrent changes and deletes: a deleted address never returns', async () => {
  const { id, address } = await api.create();
  const answers = await atOnce((i) =>
    api.ask(
      i === 25 ? 'DELETE' : 'PATCH',
      `/v1/addresses/${id}`,
      i === 25 ? {} : { body: { description: String(i) } },
    ),
  );
  expect(new Set(answers.map(({ status }) => status)).isSubsetOf(new Set([200, 404]))).toBe(true);
  expect((await api.ask('GET', `/v1/addresses/${id}`)).status).toBe(404);
  expect((await api.byRecipient(address))?.deleted_at).toBeInstanceOf(Date);
});

test('local parts from a tiny alphabet collide, and every address is still unique', async () => {
  const log = createLog('silent');
  await using nats = await connectNats({ url: api.natsServer.url, name: 'test' }, log);
  let next = 0;
  const operations = createAddressOperations(
    // Forty requests for ten names; a name in use costs one try.
    {
      accounts: createAccounts(api.mongo.db),
      addresses: api.addresses,
      domains: createDomains(api.mongo.db),
      nameClaims: createAddressClaims(api.mongo.db, api.addresses),
      receivers: { removeAll: () => Promise.resolve() },
      deliveries: { stopLeasing: () => Promise.resolve() },
      audit: () => Promise.resolve(),
      nats,
      announce: () => undefined,
      inboundDomain: 'tiny.example',
      newLocalPart: () => `tiny${next++ % 10}`,
    },
    log,
  );
  const scope = { account_id: api.account.id, environment: 'live' as const };
  const cause = () => ({ caller: wholeAccount(scope), now: new Date() });
  const made = await Promise.allSettled(
    Array.from({ length: 10 }, () => operations.create(cause(), { webhook_url: HOOK })),
  );
  const addresses = made.flatMap((result) =>
    result.status === 'fulfilled' ? [result.value.address] : [],
  );
  expect(new Set(addresses).size).toBe(10);
  await operations.remove(cause(), (await api.byRecipient('tiny3@tiny.example'))?.id ?? '');
  await expect(operations.create(cause(), { webhook_url: HOOK })).rejects.toThrow(
    'no free local part',
  ); // D8: not even the deleted one's
});
