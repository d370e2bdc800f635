/** The documents of addresses in MongoDB, and their indexes. */
import { type AddressRecord, EXPIRED_SHOWN_HOURS } from '../../core/account/address.ts';
import type { CollectionIndexes } from './connection.ts';
import { managedIndex } from './managed-records.ts';

export const ADDRESSES = 'addresses';

export const NEWEST_FIRST = 'account_newest_first';
export const COUNTED = 'account_counted';

export const addressIndexes: CollectionIndexes = {
  collection: ADDRESSES,
  indexes: [
    // One current address per name; superseded ones have the id of their successor here.
    { key: { address: 1, superseded_by: 1 }, name: 'name_held_once', unique: true },
    {
      key: { domain_id: 1, deleted_at: 1 },
      name: 'on_domain',
      partialFilterExpression: { domain_id: { $exists: true } },
    },
    {
      key: { account_id: 1, environment: 1, deleted_at: 1, created_at: -1, _id: -1 },
      name: NEWEST_FIRST,
    },
    {
      key: {
        account_id: 1,
        environment: 1,
        deleted_at: 1,
        expires_at: 1,
        is_permanent: 1,
        is_enabled: 1,
      },
      name: COUNTED,
    }, // covers every field of a count
    managedIndex({ deleted_at: null }),
    {
      key: { failing_since: 1 },
      name: 'failing',
      partialFilterExpression: { failing_since: { $exists: true } },
    },
    // D7: an expired address is removed after thirty days. A deleted one remains, so that its name
    // is never reused (D8).
    {
      key: { expires_at: 1 },
      name: 'expired_goes',
      expireAfterSeconds: EXPIRED_SHOWN_HOURS * 3_600,
      partialFilterExpression: { deleted_at: null },
    },
  ],
  // reserved the names of deleted addresses even from a new owner of the domain
  former: ['address'],
};

export type StoredAddress = Omit<AddressRecord, 'id'> & {
  _id: string;
  sealed_secret: string;
  /**
   * Secrets before rotations, which sign until `valid_until` (D17); absent before the first
   * rotation.
   */
  former_secrets?: { sealed_secret: string; valid_until: Date }[];
  /** For a deleted address: the id of the address that has its name now. */
  superseded_by?: string | null;
};
