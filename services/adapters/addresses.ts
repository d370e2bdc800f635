/** Addresses in MongoDB, with their secrets sealed, as the API sees them: those of one account and environment. The way of a mail looks them up in address-lookup.ts. */
import type { Collection, Db, Filter } from 'mongodb';

import {
  AddressRecord, EXPIRED_SHOWN_HOURS, goneSince, type Address, type AddressChange, type AddressFilter, type AddressScope,
} from '../core/address.ts';
import type { Page, PageRequest } from '../core/pagination.ts';
import { type CollectionIndexes, isDuplicateKey } from './mongo.ts';
import type { SecretBox } from './secrets.ts';

export const ADDRESSES = 'addresses';

export const addressIndexes: CollectionIndexes = {
  collection: ADDRESSES,
  indexes: [
    { key: { address: 1 }, name: 'address', unique: true },
    { key: { account_id: 1, environment: 1, deleted_at: 1, created_at: -1, _id: -1 }, name: 'account_newest_first' },
    // D7: an expired address goes after thirty days. A deleted one stays, so that its name is never given out again (D8).
    { key: { expires_at: 1 }, name: 'expired_goes', expireAfterSeconds: EXPIRED_SHOWN_HOURS * 3_600, partialFilterExpression: { deleted_at: null } },
  ],
};

export type StoredAddress = Omit<AddressRecord, 'id'> & {
  _id: string;
  sealed_secret: string;
  /** Replaced by a rotation, still signing until then (D17); absent until the first. */
  former_secrets?: { sealed_secret: string; valid_until: Date }[];
};

export type Addresses = {
  /** False when the address or the id is taken. */
  insert(address: Address): Promise<boolean>;
  /** Newest first (D30). */
  page(scope: AddressScope, filter: AddressFilter, page: PageRequest, now: Date): Promise<Page<AddressRecord>>;
  find(scope: AddressScope, id: string, now: Date): Promise<Address | undefined>;
  /** Writes what differs, in one step; `updated_at` moves only then (D29). `undefined` when there is no such address. */
  update(scope: AddressScope, id: string, change: AddressChange, now: Date): Promise<{ address: Address; isChanged: boolean } | undefined>;
  /** Marks the address deleted. `wasDeleted` when an earlier call did; `undefined` when there never was such an address. */
  remove(scope: AddressScope, id: string, now: Date): Promise<{ id: string; address: string; wasDeleted: boolean } | undefined>;
};

export function createAddresses(db: Db, secrets: SecretBox): Addresses {
  const addresses: Collection<StoredAddress> = db.collection(ADDRESSES);

  const opened = (stored: StoredAddress): Address => ({ ...recordOf(stored), webhook_secret: secrets.open(stored.sealed_secret, stored._id) });

  return {
    insert: async function insertAddress({ id, webhook_secret, ...fields }) {
      try {
        await addresses.insertOne({ _id: id, ...fields, sealed_secret: secrets.seal(webhook_secret, id) });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },

    page: async function pageOfAddresses(scope, filter, { limit, offset }, now) {
      const query = { ...shown(scope, now), ...narrowed(filter, now) };
      const [stored, total] = await Promise.all([
        addresses.find(query).sort({ created_at: -1, _id: -1 }).skip(offset).limit(limit).toArray(),
        addresses.countDocuments(query),
      ]);
      return { items: stored.map(recordOf), total };
    },

    find: async function findAddress(scope, id, now) {
      const stored = await addresses.findOne({ ...shown(scope, now), _id: id });
      return stored === null ? undefined : opened(stored);
    },

    update: async function updateAddress(scope, id, change, now) {
      const which: Filter<StoredAddress> = { ...shown(scope, now), _id: id };
      const differs = Object.entries(change).map(([field, value]): Filter<StoredAddress> => ({ [field]: { $ne: value } }));
      if (differs.length > 0) {
        // $max: two processes' clocks may differ, and updated_at never goes back.
        const changed = await addresses.findOneAndUpdate({ ...which, $or: differs }, { $set: change, $max: { updated_at: now } }, { returnDocument: 'after' });
        if (changed !== null) return { address: opened(changed), isChanged: true };
      }
      const unchanged = await addresses.findOne(which);
      return unchanged === null ? undefined : { address: opened(unchanged), isChanged: false };
    },

    remove: async function removeAddress(scope, id, now) {
      const before = await addresses.findOneAndUpdate(
        { ...within(scope), _id: id, expires_at: notGone(now) },
        [{ $set: { deleted_at: { $ifNull: ['$deleted_at', now] } } }],
        { returnDocument: 'before' },
      );
      return before === null ? undefined : { id, address: before.address, wasDeleted: before.deleted_at !== null };
    },
  };
}

/** Parsing leaves the sealed secret behind. */
const recordOf = (stored: StoredAddress): AddressRecord => AddressRecord.parse({ ...stored, id: stored._id });

/** Permanent, or not yet expired for so long that it is gone (D7). */
const notGone = (now: Date) => ({ $not: { $lte: goneSince(now) } });

/** Callers pass what they have, a token's identity for one: only these two fields of it may enter a query. */
const within = ({ account_id, environment }: AddressScope) => ({ account_id, environment });

const shown = (scope: AddressScope, now: Date): Filter<StoredAddress> => ({ ...within(scope), deleted_at: null, expires_at: notGone(now) });

/** `is_enabled` filters what is shown, and an expired address is shown as disabled (D7). */
function narrowed({ is_enabled, is_permanent }: AddressFilter, now: Date): Filter<StoredAddress> {
  const query: Filter<StoredAddress> = {};
  if (is_permanent !== undefined) query.is_permanent = is_permanent;
  if (is_enabled === true) Object.assign(query, { is_enabled: true, $or: [{ expires_at: null }, { expires_at: { $gt: now } }] });
  if (is_enabled === false) query.$or = [{ is_enabled: false }, { expires_at: { $lte: now } }];
  return query;
}
