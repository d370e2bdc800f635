/**
 * Addresses in MongoDB with encrypted secrets, by account and environment, for the API.
 * Mail uses address-lookup.ts.
 */
import type { ClientSession, Collection, Db, Filter } from 'mongodb';

import {
  AddressRecord,
  type Address,
  type AddressChange,
  type AddressFilter,
  isExpired,
  ListedAddress,
  type ManagedAddress,
  needsUnexpired,
} from '../../../core/address/address.ts';
import { type AddressScope, type Owned, ownedBy } from '../../../core/address/scope.ts';
import type { ManagedBy } from '../../../core/resource/managed-by.ts';
import type { Page, PageRequest } from '../../../core/resource/pagination.ts';
import {
  ADDRESSES,
  BY_LABEL,
  rotatedReplyKey,
  type StoredAddress,
  storedUrl,
  urlOf,
  writesOf,
} from '../documents/address-documents.ts';
import { managedBy } from '../documents/managed-records.ts';
import {
  indexesFor,
  isShown,
  labelled,
  narrowed,
  notRemoved,
  one,
  shown,
  within,
} from './address-query.ts';
import { duplicatesOf, isDuplicateKey } from '../database/errors.ts';
import { KNOWN_AUTHORS } from './known-authors.ts';
import { createFindTogether } from '../database/find-by-id.ts';
import { createPages } from '../database/pages.ts';
import { changedAuth, openedAuth, sealedAuth } from '../receiver/sealed-auth.ts';
import { type SecretBox, secretRotation, type SecretRotation } from '../database/secrets.ts';
import { createBatches } from '../../async/batches.ts';

export type Addresses = {
  /** False when the address or the id exists. */
  insert(
    address: Omit<ManagedAddress, 'former_secrets'>,
    session?: ClientSession,
  ): Promise<boolean>;
  /** Newest first (D30). */
  page(
    scope: AddressScope,
    filter: AddressFilter,
    page: PageRequest,
    now: Date,
  ): Promise<Page<ListedAddress>>;
  find(scope: AddressScope, id: string, now: Date): Promise<Address | undefined>;
  /** With its authentication in clear text. */
  findWithAuth(scope: AddressScope, id: string, now: Date): Promise<ManagedAddress | undefined>;
  /**
   * Writes the fields that differ, atomically; only then does `updated_at` change (D29).
   * `hasRecovered`: the change removed the mark of a failing address.
   * `undefined` when there is no such address, `expired` when the change needs an address that has not
   * expired (D33).
   */
  update(
    scope: AddressScope,
    id: string,
    change: Omit<AddressChange, 'signing'>,
    now: Date,
    /** What it must still be; nothing changes otherwise. */
    only?: Partial<{ updated_at: Date; auth: null }>,
  ): Promise<
    { address: Address; isChanged: boolean; hasRecovered: boolean } | 'expired' | undefined
  >;
  /**
   * The previous secret signs until `formerUntil` (D17). `undefined` when there is no such address.
   */
  rotateSecret(
    scope: AddressScope,
    id: string,
    rotation: SecretRotation,
    now: Date,
  ): Promise<Address | undefined>;
  /**
   * Reply addresses signed with the former key are accepted until `formerUntil` (D57). `undefined`
   * when there is no such address.
   * @param generation of the new key; the next one when absent
   */
  rotateReplyKey(
    scope: AddressScope,
    id: string,
    rotation: { formerUntil: Date; generation?: number | undefined },
    now: Date,
  ): Promise<Address | undefined>;
  /**
   * Marks the address as deleted. `wasDeleted`: an earlier call did. `undefined`: no such address
   * ever existed.
   */
  remove(
    scope: AddressScope,
    id: string,
    now: Date,
  ): Promise<{ id: string; address: string; wasDeleted: boolean } | undefined>;
  /** Ids of addresses that have all these labels, each `key=value`, newest first. */
  idsLabelled(owned: Owned, labels: readonly string[], limit: number, now: Date): Promise<string[]>;
  /** The resource that owns this address; `undefined` when none does. */
  managerOf(scope: AddressScope, id: string): Promise<ManagedBy | undefined>;
  /** The address that this resource, or an earlier one of the same name, owns. */
  findManaged(owner: ManagedBy): Promise<ManagedAddress | undefined>;
  /**
   * Restores an address that was deleted although its resource exists. The caller checks the
   * domain: see address-claims.ts.
   */
  restore(
    id: string,
    accountId: string,
    owner: ManagedBy,
    session: ClientSession,
  ): Promise<Address | undefined>;
};

export function createAddresses(db: Db, secrets: SecretBox): Addresses {
  const addresses: Collection<StoredAddress> = db.collection(ADDRESSES);
  const pageOf = createPages(addresses, listedOf);

  const opened = (stored: StoredAddress): Address => ({
    ...recordOf(stored),
    webhook_secret: secrets.open(stored.sealed_secret, stored._id),
  });
  const withAuth = (stored: StoredAddress): ManagedAddress => {
    const opened_auth = openedAuth(secrets, stored);
    return { ...opened(stored), ...(opened_auth && { opened_auth }) };
  };

  const findTogether = createFindTogether(addresses);
  const insertTogether = createBatches<StoredAddress, boolean>(async function insertAddresses(all) {
    const refused = await duplicatesOf(addresses.insertMany([...all], { ordered: false }));
    return all.map((_, i) => !refused.has(i));
  });

  return {
    insert: async function insertAddress(
      { id, webhook_secret, webhook_url, opened_auth, ...fields },
      session,
    ) {
      const stored = {
        _id: id,
        ...fields,
        webhook_url: storedUrl(webhook_url),
        sealed_secret: secrets.seal(webhook_secret, id),
        ...(opened_auth && sealedAuth(secrets, id, opened_auth)),
      };
      if (session === undefined) return insertTogether(stored);
      try {
        await addresses.insertOne(stored, { session });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },

    page: async function pageOfAddresses(scope, filter, page, now) {
      const requested = { ...filter, ids: within(scope, filter.ids) };
      const query = { ...shown(scope, now), ...narrowed(requested, now) };
      const [hint, countHint] = indexesFor(requested);
      const key = JSON.stringify([ownedBy(scope), requested]);
      const sort = { created_at: -1, _id: -1 } as const;
      return pageOf({ query, sort, hint, countHint, projection: LISTED, key }, page);
    },

    find: async function findAddress(scope, id, now) {
      const stored = await findTogether(id);
      return stored !== undefined && isShown(stored, scope, now) ? opened(stored) : undefined;
    },

    findWithAuth: async function findAddressWithAuth(scope, id, now) {
      const stored = await findTogether(id);
      return stored !== undefined && isShown(stored, scope, now) ? withAuth(stored) : undefined;
    },

    update: async function updateAddress(scope, id, { auth, ...change }, now, only = {}) {
      const which: Filter<StoredAddress> = { ...shown(scope, now), ...one(scope, id), ...only };
      const stored = { ...change, ...(auth !== undefined && changedAuth(secrets, id, auth, now)) };
      const changeable: Filter<StoredAddress> = needsUnexpired(change)
        ? { ...which, expires_at: { $not: { $lte: now } } }
        : which;
      for (const { differs, update, hasRecovered, only: marked } of writesOf(stored, now)) {
        const changed = await addresses.findOneAndUpdate(
          { ...changeable, ...marked, $or: differs },
          update,
          { returnDocument: 'after' },
        );
        if (changed !== null) return { address: opened(changed), isChanged: true, hasRecovered };
      }
      const unchanged = await addresses.findOne(which);
      if (unchanged === null) return undefined;
      if (needsUnexpired(change) && isExpired(unchanged, now)) return 'expired';
      return { address: opened(unchanged), isChanged: false, hasRecovered: false };
    },

    rotateSecret: async function rotateAddressSecret(scope, id, rotation, now) {
      const rotated = await addresses.findOneAndUpdate(
        { ...shown(scope, now), ...one(scope, id) },
        secretRotation(secrets, id, rotation, now),
        { returnDocument: 'after' },
      );
      return rotated === null ? undefined : opened(rotated);
    },

    rotateReplyKey: async function rotateAddressReplyKey(scope, id, rotation, now) {
      const rotated = await addresses.findOneAndUpdate(
        { ...shown(scope, now), ...one(scope, id) },
        [{ $set: rotatedReplyKey(rotation, now) }],
        { returnDocument: 'after' },
      );
      return rotated === null ? undefined : opened(rotated);
    },

    remove: async function removeAddress(scope, id, now) {
      const before = await addresses.findOneAndUpdate(
        { ...ownedBy(scope), ...one(scope, id), expires_at: notRemoved(now) },
        [{ $set: { deleted_at: { $ifNull: ['$deleted_at', now] } } }],
        { returnDocument: 'before' },
      );
      if (before === null) return undefined;
      const { account_id, address, deleted_at } = before;
      await db.collection(KNOWN_AUTHORS).deleteMany({ account_id, address_id: id });
      return { id, address, wasDeleted: deleted_at !== null };
    },

    idsLabelled: async function idsOfLabelledAddresses(owned, labels, limit, now) {
      const found = addresses.find(
        { ...shown(owned, now), ...labelled(labels) },
        { projection: { _id: 1 }, hint: BY_LABEL, limit, sort: { created_at: -1, _id: -1 } },
      );
      return (await found.toArray()).map(({ _id }) => _id);
    },

    managerOf: async function managerOfAddress(scope, id) {
      return (
        await addresses.findOne(
          { ...ownedBy(scope), ...one(scope, id), deleted_at: null },
          { projection: { managed_by: 1 } },
        )
      )?.managed_by;
    },

    findManaged: async function findManagedAddress(owner) {
      const stored = await addresses.findOne({ ...managedBy(owner), deleted_at: null });
      return stored === null ? undefined : withAuth(stored);
    },

    restore: async function restoreAddress(id, accountId, owner, session) {
      const restored = await addresses.findOneAndUpdate(
        { _id: id, account_id: accountId, ...managedBy(owner), superseded_by: null },
        { $set: { deleted_at: null } },
        { returnDocument: 'after', session },
      );
      return restored === null ? undefined : opened(restored);
    },
  };
}

const LISTED = Object.fromEntries(
  Object.keys(ListedAddress.shape).map((field) => [field === 'id' ? '_id' : field, 1]),
);

const listedOf = (stored: StoredAddress): ListedAddress =>
  ListedAddress.parse({ ...stored, id: stored._id, webhook_url: urlOf(stored) });

/** Parsing removes the encrypted secret. */
const recordOf = (stored: StoredAddress): AddressRecord =>
  AddressRecord.parse({ ...stored, id: stored._id, webhook_url: urlOf(stored) });
