/** Addresses whose name somebody chose, or whose domain is somebody's own: whether the name is free, and who may have it, is decided in the transaction that writes them. */
import type { ClientSession, MongoClient, Db } from 'mongodb';

import type { Address } from '../../core/account/address.ts';
import type { ManagedBy } from '../../core/account/managed-by.ts';
import { ADDRESSES, type Addresses, type StoredAddress } from './addresses.ts';
import { DOMAINS, type StoredDomain } from './domains.ts';

export type NamedAddresses = {
  /**
   * 'taken': an address of this name is there; on the shared domain also when another account ever had it. On an own domain a deleted name is free again.
   * 'domain_gone': the domain was deleted meanwhile.
   */
  insert(address: Address): Promise<'made' | 'taken' | 'domain_gone'>;
  /** Brings back an address of this resource that was deleted past it; `undefined` when its name is another's by now, or its domain no longer the account's. */
  restore(id: string, accountId: string, owner: ManagedBy): Promise<Address | undefined>;
};

const NAMES = 'address_names';

export function createNamedAddresses(
  client: MongoClient,
  db: Db,
  { insert, restore }: Pick<Addresses, 'insert' | 'restore'>,
): NamedAddresses {
  const addresses = db.collection<StoredAddress>(ADDRESSES);
  const domains = db.collection<StoredDomain>(DOMAINS);
  /** Of the shared domain: the account that chose a name first has it for good (D8). */
  const names = db.collection<{ _id: string; account_id: string }>(NAMES);

  /** Whether the domain is there. A write, so that its deletion at the same time conflicts with it. */
  const heldDomain = async (id: string, session: ClientSession): Promise<boolean> =>
    (
      await domains.updateOne(
        { _id: id, is_verified: true },
        { $inc: { addresses_made: 1 } },
        { session },
      )
    ).matchedCount === 1;

  return {
    insert: async function insertNamedAddress(address) {
      const { id, account_id, domain_id, address: name } = address;
      return client.withSession((session) =>
        session.withTransaction(async () => {
          if (domain_id === undefined) {
            const owned = await names.findOneAndUpdate(
              { _id: name },
              { $setOnInsert: { account_id } },
              { upsert: true, returnDocument: 'after', session },
            );
            if (owned?.account_id !== account_id) return 'taken';
          } else if (!(await heldDomain(domain_id, session))) return 'domain_gone';
          await addresses.updateOne(
            { address: name, superseded_by: null, deleted_at: { $ne: null } },
            { $set: { superseded_by: id } },
            { session },
          );
          if (await insert(address, session)) return 'made';
          await session.abortTransaction();
          return 'taken';
        }),
      );
    },

    restore: async function restoreNamedAddress(id, accountId, owner) {
      return client.withSession((session) =>
        session.withTransaction(async () => {
          const restored = await restore(id, accountId, owner, session);
          if (restored?.domain_id === undefined || (await heldDomain(restored.domain_id, session)))
            return restored;
          await session.abortTransaction();
          return undefined;
        }),
      );
    },
  };
}
