/** address.expired (D15): once per address, across processes. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import { createAddresses } from '../../../../services/adapters/mongo/address/addresses.ts';
import { addressIndexes } from '../../../../services/adapters/mongo/documents/address-documents.ts';
import { createExpiryEvents } from '../../../../services/adapters/mongo/address/expired-addresses.ts';
import { createSecretBox } from '../../../../services/adapters/mongo/database/secrets.ts';
import { usageEventIndexes } from '../../../../services/adapters/mongo/audit/events.ts';
import { newAddress } from '../../../support/new-address.ts';
import { startTestDatabase } from '../../../support/test-database.ts';

const expiring = (expires_at: Date, deleted_at: Date | null = null) =>
  newAddress('https://receiver.example/', { is_permanent: false, expires_at, deleted_at });

test('D15: an expired address has one event; deleted, permanent and unexpired ones have none', async () => {
  await using mongo = await startTestDatabase([addressIndexes, usageEventIndexes]);
  const now = new Date();
  const ago = (ms: number) => new Date(now.getTime() - ms);
  const [over, atOnce] = [expiring(ago(60_000)), expiring(now)];
  const addresses = createAddresses(mongo.db, createSecretBox([randomBytes(32)]));
  for (const address of [
    over,
    atOnce,
    expiring(ago(-1)),
    expiring(ago(9_000_000)),
    expiring(ago(1), ago(2)),
    newAddress('https://receiver.example/'),
  ])
    await addresses.insert(address);
  const addExpiryEvents = createExpiryEvents(mongo.db);
  await Promise.all([addExpiryEvents(ago(3_600_000), now), addExpiryEvents(ago(3_600_000), now)]);
  await addExpiryEvents(ago(3_600_000), now);
  const events = await mongo.db.collection('events').find().sort({ timestamp: 1 }).toArray();
  expect(events).toMatchObject(
    [over, atOnce].map(({ id, account_id, expires_at }) => ({
      type: 'address.expired',
      address_id: id,
      account_id,
      environment: 'live',
      timestamp: expires_at,
    })),
  );
});
