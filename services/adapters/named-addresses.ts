/** Addresses whose name somebody chose, or whose domain is somebody's own: whether the name is free, and who may have it, is decided in the transaction that writes them. */
import type { MongoClient, Db } from 'mongodb';

import type { Address } from '../core/address.ts';
import { ADDRESSES, type Addresses, type StoredAddress } from './addresses.ts';
import { DOMAINS, type StoredDomain } from './domains.ts';

/**
 * 'taken': an address of this name is there; on the shared domain also when another account ever had it. On an own domain a deleted name is free again.
 * 'domain_gone': the domain was deleted meanwhile.
 */
export type InsertNamed = (address: Address) => Promise<'made' | 'taken' | 'domain_gone'>;

const NAMES = 'address_names';

export function createInsertNamed(client: MongoClient, db: Db, { insert }: Pick<Addresses, 'insert'>): InsertNamed {
  const addresses = db.collection<StoredAddress>(ADDRESSES);
  const domains = db.collection<StoredDomain>(DOMAINS);
  /** Of the shared domain: the account that chose a name first has it for good (D8). */
  const names = db.collection<{ _id: string; account_id: string }>(NAMES);

  return async function insertNamedAddress(address) {
    const { id, account_id, domain_id, address: name } = address;
    return client.withSession((session) =>
      session.withTransaction(async () => {
        if (domain_id === undefined) {
          const owned = await names.findOneAndUpdate({ _id: name }, { $setOnInsert: { account_id } }, { upsert: true, returnDocument: 'after', session });
          if (owned?.account_id !== account_id) return 'taken';
        } else {
          // A write, so that a deletion of the domain at the same time conflicts with it.
          const { matchedCount } = await domains.updateOne({ _id: domain_id, is_verified: true }, { $inc: { addresses_made: 1 } }, { session });
          if (matchedCount === 0) return 'domain_gone';
        }
        await addresses.updateOne({ address: name, superseded_by: null, deleted_at: { $ne: null } }, { $set: { superseded_by: id } }, { session });
        if (await insert(address, session)) return 'made';
        await session.abortTransaction();
        return 'taken';
      }),
    );
  };
}
