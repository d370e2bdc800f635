/** Accounts in MongoDB, by id (spec 2.6). */
import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';

import { Account, DEFAULT_PLAN, defaultSettings } from '../core/account.ts';
import { ID_RANDOM_BYTES, newId } from '../core/ids.ts';
import type { CollectionIndexes } from './mongo.ts';

export const ACCOUNTS = 'accounts';

export const accountIndexes: CollectionIndexes = {
  collection: ACCOUNTS,
  indexes: [{ key: { email: 1 }, name: 'email' }],
};

export type NewAccount = { email: string; name: string; company?: string };

export type Accounts = {
  create(account: NewAccount): Promise<Account>;
  find(id: string): Promise<Account | undefined>;
};

export type StoredAccount = Omit<Account, 'id'> & { _id: string };

export function createAccounts(db: Db): Accounts {
  const accounts = db.collection<StoredAccount>(ACCOUNTS);
  return {
    create: async function createAccount({ email, name, company }) {
      const created_at = new Date();
      const id = newId('acc', created_at, randomBytes(ID_RANDOM_BYTES));
      const fields = { email, name, company: company ?? null, plan: DEFAULT_PLAN, created_at, settings: defaultSettings };
      await accounts.insertOne({ _id: id, ...fields });
      return { id, ...fields };
    },
    find: async function findAccount(id) {
      const stored = await accounts.findOne({ _id: id });
      return stored === null ? undefined : Account.parse({ ...stored, id: stored._id });
    },
  };
}
