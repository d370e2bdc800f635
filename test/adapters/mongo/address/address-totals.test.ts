/**
 * D7, D30: the total of an address list is exact in every state of the addresses and for every
 * page.
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import { createAddresses } from '../../../../services/adapters/mongo/address/addresses.ts';
import { addressIndexes } from '../../../../services/adapters/mongo/documents/address-documents.ts';
import {
  connectMongo,
  ensureIndexes,
} from '../../../../services/adapters/mongo/database/connection.ts';
import { createSecretBox } from '../../../../services/adapters/mongo/database/secrets.ts';
import type { Address } from '../../../../services/core/address/address.ts';
import { newAddress } from '../../../support/new-address.ts';
import { log } from '../../../support/pipeline.ts';
import { testMongo } from '../../../support/servers.ts';
import { useInFile } from '../../../support/use-in-file.ts';
import { wholeAccount } from '../../../../services/core/address/scope.ts';

const NOW = new Date();
const DAY_MS = 86_400_000;
const daysFromNow = (days: number) => new Date(NOW.getTime() + days * DAY_MS);
const SCOPE = { account_id: 'acc_totals', environment: 'live' as const };

/** Every state that an address can be in, some of them more than once. */
const ALL: readonly Address[] = [
  null,
  daysFromNow(1),
  daysFromNow(-1),
  daysFromNow(-29),
  daysFromNow(-31),
].flatMap((expires_at, i) =>
  [true, false].flatMap((is_enabled) =>
    [null, NOW].flatMap((deleted_at) =>
      Array.from({ length: 1 + i }, () =>
        newAddress('https://hooks.example/x', {
          ...SCOPE,
          expires_at,
          is_permanent: expires_at === null,
          is_enabled,
          deleted_at,
        }),
      ),
    ),
  ),
);
const isShown = ({ deleted_at, expires_at }: Address) =>
  deleted_at === null && (expires_at === null || expires_at > daysFromNow(-30));
const seemsEnabled = ({ is_enabled, expires_at }: Address) =>
  is_enabled && (expires_at === null || expires_at > NOW);

const database = await useInFile(testMongo());
const mongo = await useInFile(connectMongo(database.uri, log));
await ensureIndexes(mongo.db, [
  {
    ...addressIndexes,
    indexes: addressIndexes.indexes.filter(({ name }) => name !== 'expired_goes'),
  },
]); // they are not removed during the test
const addresses = createAddresses(mongo.db, createSecretBox([randomBytes(32)]));
for (const address of ALL) await addresses.insert(address);
await addresses.insert(newAddress('https://hooks.example/x', { ...SCOPE, environment: 'test' }));

const flags = [undefined, true, false];
test.each(
  flags.flatMap((is_enabled) =>
    flags.map((is_permanent) => [
      {
        ...(is_enabled !== undefined && { is_enabled }),
        ...(is_permanent !== undefined && { is_permanent }),
      },
    ]),
  ),
)('%j', async (filter) => {
  const requested = ALL.filter(isShown).filter(
    (address) => filter.is_enabled === undefined || seemsEnabled(address) === filter.is_enabled,
  );
  const expected = requested
    .filter(
      ({ is_permanent }) =>
        filter.is_permanent === undefined || is_permanent === filter.is_permanent,
    )
    .map(({ id }) => id);
  const seen: string[] = [];
  for (let offset = 0; offset <= expected.length + 3; offset += 3) {
    const { items, total } = await addresses.page(
      wholeAccount(SCOPE),
      filter,
      { limit: 3, offset },
      NOW,
    );
    expect(total).toBe(expected.length);
    seen.push(...items.map(({ id }) => id));
  }
  expect(seen.toSorted()).toEqual(expected.toSorted());
  expect(expected.length).toBeGreaterThan(0);
});

test('the total includes all addresses created before the request, for any number of concurrent requests', async () => {
  let made = ALL.filter(isShown).length;
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let i = 0; i < 5; i++) {
        await addresses.insert(newAddress('https://hooks.example/x', SCOPE));
        made++;
        const atLeast = made;
        expect(
          (await addresses.page(wholeAccount(SCOPE), {}, { limit: 1, offset: 0 }, new Date()))
            .total,
        ).toBeGreaterThanOrEqual(atLeast);
      }
    }),
  );
  expect(
    (await addresses.page(wholeAccount(SCOPE), {}, { limit: 1, offset: 0 }, new Date())).total,
  ).toBe(made);
});
