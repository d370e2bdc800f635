/** Addresses whose time is over, as events (D15). Nothing happens to an address at that moment (D7): the event's id follows from it, so that whoever looks writes the same one. */
import type { Db } from 'mongodb';

import { firstIdAt } from '../../core/ids.ts';
import { ADDRESSES, type StoredAddress } from './addresses.ts';
import { isDuplicateKey } from './connection.ts';
import { type StoredUsageEvent, USAGE_EVENTS } from './metering/events.ts';

/** Tells of those that expired from this time on, until now; those that were told of before stay told once. */
export type AddExpiryEvents = (since: Date, now: Date) => Promise<void>;

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
      const _id = firstIdAt('evt', expires_at) + address_id.slice(-16); // the random part of the address's id
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
