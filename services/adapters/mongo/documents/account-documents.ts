/** The documents of accounts in MongoDB. */
import type { Account } from '../../../core/account/account.ts';

export const ACCOUNTS = 'accounts';
export const MEMBERS = 'members';

export type StoredAccount = Omit<Account, 'id' | 'company'> & {
  _id: string;
  company: string | null;
  /**
   * The email address in lower case, for the unique index. Absent in accounts that are closed, or
   * released, or that an earlier release created.
   */
  email_key?: string;
};
