/** Accounts in MongoDB, by id (spec 2.6). */
import { randomBytes } from 'node:crypto';
import type { Db, Filter } from 'mongodb';

import {
  Account,
  type AccountChange,
  newAccount,
  type NewAccount,
} from '../../../core/account/account.ts';
import { ID_RANDOM_BYTES, newId } from '../../../core/id/ids.ts';
import type { ManagedBy } from '../../../core/resource/managed-by.ts';
import { createCredentialRevision } from '../token/credential-revision.ts';
import { ACCOUNTS, type StoredAccount } from '../documents/account-documents.ts';
import { managedBy, managedIndex } from '../documents/managed-records.ts';
import { type CollectionIndexes } from '../database/connection.ts';
import { isDuplicateKey } from '../database/errors.ts';

/** More changes of the plan than any period has before its invoice. */
const FORMER_PLANS_MAX = 100;

/** Compares without regard to case. */
const ANY_CASE = { locale: 'en', strength: 2 };

export const accountIndexes: CollectionIndexes = {
  collection: ACCOUNTS,
  indexes: [
    { key: { email: 1 }, name: 'email_any_case', collation: ANY_CASE },
    {
      key: { email_key: 1 },
      name: 'email_once',
      unique: true,
      partialFilterExpression: { email_key: { $exists: true } },
    },
    managedIndex(),
  ],
  former: ['email'],
};

/** Another account that is not closed has this email address. */
export class EmailTakenError extends Error {
  override readonly name = 'EmailTakenError';
}

export type Accounts = {
  /** @throws EmailTakenError */
  create(account: NewAccount): Promise<Account>;
  find(id: string): Promise<Account | undefined>;
  /**
   * `undefined` when there is no such account. Dispatchers cache accounts for up to 30 seconds.
   * @throws EmailTakenError
   */
  update(id: string, change: AccountChange): Promise<Account | undefined>;
  /** The account that has this email address, compared without regard to case. */
  findByEmail(email: string): Promise<Account | undefined>;
  /** All accounts, oldest first. */
  list(): Promise<Account[]>;
  /**
   * Takes effect in the API within a second and in gateways within 30 seconds. False when there is
   * no such account.
   */
  suspend(id: string, now: Date): Promise<boolean>;
  resume(id: string): Promise<boolean>;
  /**
   * Suspends the account permanently, cancels its subscription, and releases its email address.
   * False when there is no such account.
   */
  close(id: string, now: Date): Promise<boolean>;
  /** Applies from now on; the former plan remains for the part of the period before (D37). */
  setPlan(id: string, plan: string, now?: Date): Promise<boolean>;
  /** The account that this resource, or an earlier one of the same name, owns. */
  findManaged(owner: ManagedBy): Promise<Account | undefined>;
  /** Removes the owner, and releases the email address. */
  release(id: string): Promise<void>;
};

export function createAccounts(db: Db): Accounts {
  const accounts = db.collection<StoredAccount>(ACCOUNTS);
  const revision = createCredentialRevision(db);

  const findBy = async (filter: Filter<StoredAccount>): Promise<Account | undefined> => {
    const stored = await accounts.findOne(filter);
    return stored === null ? undefined : accountOf(stored);
  };
  const find = (id: string) => findBy({ _id: id });

  /**
   * The unique index does not contain accounts of earlier releases. The deletion of
   * a resource leaves a suspended one, so a suspended one does not count.
   */
  const requireUnusedEmail = async (email: string, id = ''): Promise<void> => {
    const other = await accounts.findOne(
      { email, _id: { $ne: id }, email_key: { $exists: false }, suspended_at: null },
      { projection: { _id: 1 }, collation: ANY_CASE },
    );
    if (other !== null) throw emailTaken(email);
  };

  return {
    create: async function createAccount(requested) {
      const created_at = new Date();
      const id = newId('acc', created_at, randomBytes(ID_RANDOM_BYTES));
      const account = newAccount(requested, id, created_at);
      const { email } = account;
      await requireUnusedEmail(email);
      const { id: _id, ...fields } = account;
      await unlessTaken(email, () =>
        accounts.insertOne({ _id, ...fields, email_key: email.toLowerCase() }),
      );
      return account;
    },
    find,
    findByEmail: (email) => findBy({ email_key: email.toLowerCase() }),
    update: async function updateAccount(id, change) {
      const fields = fieldsOf(change);
      if (Object.keys(fields).length === 0) return find(id);
      if (change.email !== undefined) await requireUnusedEmail(change.email, id);
      const updated = await unlessTaken(change.email, () =>
        accounts.findOneAndUpdate({ _id: id }, { $set: fields }, { returnDocument: 'after' }),
      );
      return updated === null ? undefined : accountOf(updated);
    },
    list: async function listAccounts() {
      return (await accounts.find().sort({ _id: 1 }).toArray()).map(accountOf);
    },
    suspend: async function suspendAccount(id, now) {
      const { matchedCount } = await accounts.updateOne({ _id: id }, [
        { $set: { suspended_at: { $ifNull: ['$suspended_at', now] } } },
      ]);
      await revision.increment();
      return matchedCount === 1;
    },
    resume: async function resumeAccount(id) {
      const { matchedCount } = await accounts.updateOne(
        { _id: id },
        { $set: { suspended_at: null } },
      );
      await revision.increment();
      return matchedCount === 1;
    },
    close: async function closeAccount(id, now) {
      const at = (field: string) => ({ $ifNull: [`$${field}`, now] });
      const { matchedCount } = await accounts.updateOne({ _id: id }, [
        {
          $set: {
            suspended_at: at('suspended_at'),
            closed_at: at('closed_at'),
            'subscription.status': 'canceled',
          },
        },
        { $unset: 'email_key' },
      ]);
      await revision.increment();
      return matchedCount === 1;
    },
    setPlan: async function setAccountPlan(id, plan, now = new Date()) {
      const former = { $ifNull: ['$former_plans', []] };
      const ended = { $concatArrays: [former, [{ plan: '$plan', until: now }]] };
      const { matchedCount } = await accounts.updateOne({ _id: id }, [
        {
          $set: {
            plan: { $literal: plan },
            former_plans: {
              $cond: [
                { $eq: ['$plan', { $literal: plan }] },
                former,
                { $slice: [ended, -FORMER_PLANS_MAX] },
              ],
            },
          },
        },
      ]);
      return matchedCount === 1;
    },
    findManaged: async function findManagedAccount(owner) {
      const stored = await accounts.findOne(managedBy(owner));
      return stored === null ? undefined : accountOf(stored);
    },
    release: async function releaseAccount(id) {
      await accounts.updateOne({ _id: id }, { $unset: { managed_by: '', email_key: '' } });
    },
  };
}

/** Two processes may find an address unused; the unique index then decides. */
async function unlessTaken<T>(email: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (email !== undefined && isDuplicateKey(error) && 'email_key' in error.keyPattern)
      throw emailTaken(email);
    throw error;
  }
}

const emailTaken = (email: string) =>
  new EmailTakenError(`another account has the email address ${email}`);

/** Earlier releases stored null for an account without a company. */
const accountOf = (stored: StoredAccount): Account =>
  Account.parse({ ...stored, company: stored.company ?? '', id: stored._id });

/** The changed fields by their MongoDB paths, so that one setting changes without the others. */
const fieldsOf = ({ settings = {}, ...change }: AccountChange): Record<string, unknown> => ({
  ...change,
  ...(change.email !== undefined && { email_key: change.email.toLowerCase() }),
  ...Object.fromEntries(
    Object.entries(settings).map(([field, value]) => [`settings.${field}`, value]),
  ),
});
