/**
 * Lookups of addresses by gateways and dispatchers, and their lifetime (D7, D8). test/api tests the
 * API's view.
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import {
  createRecipientLookup,
  createTargetLookup,
} from '../../../../services/adapters/mongo/address/address-lookup.ts';
import { createAddresses } from '../../../../services/adapters/mongo/address/addresses.ts';
import { addressIndexes } from '../../../../services/adapters/mongo/documents/address-documents.ts';
import { createSecretBox } from '../../../../services/adapters/mongo/database/secrets.ts';
import type { Address } from '../../../../services/core/address/address.ts';
import { newAddress } from '../../../support/new-address.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { useInFile } from '../../../support/use-in-file.ts';
import { wholeAccount } from '../../../../services/core/address/scope.ts';

const DAY_MS = 86_400_000;

const mongo = await useInFile(startTestDatabase([addressIndexes]));
const secrets = createSecretBox([randomBytes(32)]);
const addresses = createAddresses(mongo.db, secrets);
const byRecipient = createRecipientLookup(mongo.db);
const target = createTargetLookup(mongo.db, secrets);

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

const anAddress = (fields: Partial<Address> = {}): Address =>
  newAddress('https://example.com/x', { account_id: 'acc_1', ...fields });

async function stored(fields: Partial<Address> = {}): Promise<Address> {
  const address = anAddress(fields);
  expect(await addresses.insert(address)).toBe(true);
  return address;
}

test('an address is found by its name, with the fields that RCPT needs', async () => {
  const expires_at = daysAgo(-1);
  const { id, address } = await stored({ environment: 'test', is_permanent: false, expires_at });
  expect(await byRecipient(address)).toEqual({
    id,
    account_id: 'acc_1',
    environment: 'test',
    address,
    is_enabled: true,
    expires_at,
    deleted_at: null,
  });
  expect(await byRecipient('nobody@in.example')).toBeUndefined();
});

test('spec 5.2.1: the target of an address has the plain secret, the collection does not', async () => {
  const { id, address, webhook_secret } = await stored();
  expect(await target(id)).toEqual({
    id,
    account_id: 'acc_1',
    environment: 'live',
    address,
    webhook_url: 'https://example.com/x',
    webhook_secret,
    former_secrets: [],
    webhook_retry_attempts: 6,
    format: 'inlet',
  });
  expect(await target('addr_none')).toBeUndefined();
  expect(
    JSON.stringify(await mongo.db.collection<{ _id: string }>('addresses').findOne({ _id: id })),
  ).not.toContain(webhook_secret);
});

test('D8: a deleted address is found by RCPT as deleted, and still has its target', async () => {
  const now = new Date();
  const address = await stored();
  expect(await addresses.remove(wholeAccount(address), address.id, now)).toEqual({
    id: address.id,
    address: address.address,
    wasDeleted: false,
  });
  expect(
    await addresses.remove(wholeAccount(address), address.id, new Date(now.getTime() + 5)),
  ).toMatchObject({
    wasDeleted: true,
  });
  expect(await addresses.find(wholeAccount(address), address.id, now)).toBeUndefined();
  expect(await byRecipient(address.address)).toMatchObject({ deleted_at: now });
  expect(await target(address.id)).toMatchObject({ webhook_secret: address.webhook_secret });
});

test('D8: a deleted address is never issued again', async () => {
  const { address, ...rest } = await stored();
  await addresses.remove(wholeAccount(rest), rest.id, new Date());
  expect(await addresses.insert(anAddress({ address }))).toBe(false);
});

test('D7: an address is removed thirty days after its expiry; a deleted one remains', async () => {
  const gone = await stored({ is_permanent: false, expires_at: daysAgo(30.01) });
  const shown = await stored({ is_permanent: false, expires_at: daysAgo(29.99) });
  const deleted = await stored({
    is_permanent: false,
    expires_at: daysAgo(31),
    deleted_at: daysAgo(40),
  });
  expect(await addresses.find(wholeAccount(gone), gone.id, new Date())).toBeUndefined();
  expect(await addresses.find(wholeAccount(shown), shown.id, new Date())).toMatchObject({
    id: shown.id,
  });
  await expect.poll(() => byRecipient(gone.address)).toBeUndefined();
  expect(await byRecipient(shown.address)).toBeDefined();
  expect(await byRecipient(deleted.address)).toBeDefined();
});

test('extra fields of a caller do not affect queries', async () => {
  const { id } = await stored({ account_id: 'acc_wide' });
  const caller = {
    id: 'token_1',
    account_id: 'acc_wide',
    environment: 'live' as const,
    permissions: [],
  };
  expect(await addresses.find(wholeAccount(caller), id, new Date())).toMatchObject({ id });
  expect(
    await addresses.page(wholeAccount(caller), {}, { limit: 10, offset: 0 }, new Date()),
  ).toMatchObject({
    total: 1,
  });
});

test('addresses that are created at the same time succeed or fail on their own', async () => {
  const [first, taken, last] = [anAddress(), anAddress(), anAddress()];
  await addresses.insert(taken);
  const results = await Promise.all(
    [first, anAddress({ address: taken.address }), last].map((one) => addresses.insert(one)),
  );
  expect(results).toEqual([true, false, true]);
  expect((await byRecipient(taken.address))?.id).toBe(taken.id);
  expect((await byRecipient(last.address))?.id).toBe(last.id);
});

test('addresses that are read at the same time keep to their accounts and environments', async () => {
  const mine = anAddress();
  const other = anAddress({ account_id: 'acc_2' });
  const test_ = anAddress({ environment: 'test' });
  const gone = anAddress({ deleted_at: new Date() });
  await Promise.all([mine, other, test_, gone].map((one) => addresses.insert(one)));
  const scope = { account_id: 'acc_1', environment: 'live' as const };
  const found = await Promise.all(
    [mine, other, test_, gone, { id: 'addr_none' }, mine].map(({ id }) =>
      addresses.find(wholeAccount(scope), id, new Date()),
    ),
  );
  expect(found.map((one) => one?.id)).toEqual([mine.id, ...Array.from({ length: 4 }), mine.id]);
});
