/**
 * Addresses with a chosen name or on an account's own domain. The transaction that writes them
 * checks whether the name is available to the account.
 */
import type { ClientSession, Db } from 'mongodb';

import type { Address } from '../../../core/address/address.ts';
import type { ManagedBy } from '../../../core/resource/managed-by.ts';
import { type Addresses } from './addresses.ts';
import { ADDRESSES, type StoredAddress } from '../documents/address-documents.ts';
import { DOMAINS, type StoredDomain } from '../documents/domain-documents.ts';
import { transaction } from '../database/transaction.ts';

export type AddressClaims = {
  /**
   * 'taken': an address with this name exists, or, on the shared domain, another account once had
   * it.
   * On an account's own domain, a deleted name is available again.
   * 'domain_gone': the domain was deleted in the meantime.
   */
  insert(address: Address): Promise<'made' | 'taken' | 'domain_gone'>;
  /**
   * Restores an address that was deleted although its resource exists; `undefined` when the name
   * has a new owner or the account lost the domain.
   */
  restore(id: string, accountId: string, owner: ManagedBy): Promise<Address | undefined>;
};

const NAMES = 'address_names';

export function createAddressClaims(
  db: Db,
  { insert, restore }: Pick<Addresses, 'insert' | 'restore'>,
): AddressClaims {
  const addresses = db.collection<StoredAddress>(ADDRESSES);
  const domains = db.collection<StoredDomain>(DOMAINS);
  /** On the shared domain, a name belongs permanently to the account that chose it first (D8). */
  const names = db.collection<{ _id: string; account_id: string }>(NAMES);

  /**
   * Whether the domain exists. It writes, so that a concurrent deletion conflicts with this
   * transaction.
   */
  const touchDomain = async (id: string, session: ClientSession): Promise<boolean> =>
    (
      await domains.updateOne(
        { _id: id, is_verified: true },
        { $inc: { addresses_made: 1 } },
        { session },
      )
    ).matchedCount === 1;

  return {
    insert: async function claimAddress(address) {
      const { id, account_id, domain_id, address: name } = address;
      return transaction(db, async (session) => {
        if (domain_id === undefined) {
          const owned = await names.findOneAndUpdate(
            { _id: name },
            { $setOnInsert: { account_id } },
            { upsert: true, returnDocument: 'after', session },
          );
          if (owned?.account_id !== account_id) return 'taken';
        } else if (!(await touchDomain(domain_id, session))) return 'domain_gone';
        await addresses.updateOne(
          { address: name, superseded_by: null, deleted_at: { $ne: null } },
          { $set: { superseded_by: id } },
          { session },
        );
        if (await insert(address, session)) return 'made';
        await session.abortTransaction();
        return 'taken';
      });
    },

    restore: async function restoreClaim(id, accountId, owner) {
      return transaction(db, async (session) => {
        const restored = await restore(id, accountId, owner, session);
        if (restored?.domain_id === undefined || (await touchDomain(restored.domain_id, session)))
          return restored;
        await session.abortTransaction();
        return undefined;
      });
    },
  };
}
