/** The documents of accounts in MongoDB. */
import type { Account } from '../../../core/account/account.ts';

export const ACCOUNTS = 'accounts';
export const MEMBERS = 'members';

/** Adds the person that a token or session belongs to, with their present role, as `members`. */
export const withMember = {
  $lookup: {
    from: MEMBERS,
    localField: 'member_id',
    foreignField: '_id',
    as: 'members',
    pipeline: [{ $project: { name: 1, role: 1 } }],
  },
};

export type StoredAccount = Omit<Account, 'id' | 'company'> & {
  _id: string;
  company: string | null;
  /**
   * The email address in lower case, for the unique index. Absent in accounts that are closed, or
   * released, or that an earlier release created.
   */
  email_key?: string;
  /** It has keys that encrypt its contents, in `account_keys` (D289). Absent for none. */
  has_content_key?: true;
};
