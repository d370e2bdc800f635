/**
 * Events of expired addresses (D15). Nothing is written when an address expires (D7), so the id of
 * the event is derived from the address: all processes that write it write the same one.
 */
import type { Db } from 'mongodb';

import { firstIdAt } from '../../../core/id/ids.ts';
import { ADDRESSES, type StoredAddress } from '../documents/address-documents.ts';
import { isDuplicateKey } from '../database/errors.ts';
import { type StoredUsageEvent, USAGE_EVENTS } from '../audit/events.ts';

/** Adds an event for each address that expired between `since` and `now`, unless it exists. */
type AddExpiryEvents = (since: Date, now: Date) => Promise<void>;

export function createExpiryEvents(db: Db): AddExpiryEvents {
  const addresses = db.collection<StoredAddress>(ADDRESSES);
  const events = db.collection<StoredUsageEvent>(USAGE_EVENTS);
  return async function addExpiryEvents(since, now) {
    const found = addresses.find(
      { deleted_at: null, expires_at: { $gt: since, $lte: now } },
      { projection: { account_id: 1, environment: 1, expires_at: 1 }, hint: 'expired_goes' },
    );
    for await (const { _id: address_id, account_id, environment, expires_at } of found) {
      if (expires_at === null) continue;
      // the random part of the address id
      const _id = firstIdAt('evt', expires_at) + address_id.slice(-16);
      try {
        await events.insertOne({
          _id,
          account_id,
          environment,
          type: 'address.expired',
          address_id,
          timestamp: expires_at,
          data: {},
        });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    }
  };
}
