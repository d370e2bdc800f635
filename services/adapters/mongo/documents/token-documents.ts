/** API tokens as MongoDB has them. */
import { Binary } from 'mongodb';
import { z } from 'zod';

import { Permission } from '../../../core/account/permission.ts';
import { TokenLimit } from '../../../core/account/token-limit.ts';
import { ManagedBy } from '../../../core/managed-by.ts';
import { Environment } from '../../../core/environment.ts';
import type { CollectionIndexes } from '../connection.ts';
import { managedIndex } from './managed-records.ts';

export const TOKENS = 'tokens';

export const tokenIndexes: CollectionIndexes = {
  collection: TOKENS,
  indexes: [
    { key: { sha256: 1 }, name: 'sha256', unique: true },
    { key: { account_id: 1, created_at: -1, _id: -1 }, name: 'account_newest_first' },
    {
      key: { account_id: 1, member_id: 1 },
      name: 'members',
      partialFilterExpression: { member_id: { $type: 'string' } },
    },
    managedIndex(),
  ],
};

export const StoredToken = z.object({
  _id: z.string(),
  account_id: z.string(),
  environment: Environment,
  name: z.string(),
  prefix: z.string(),
  permissions: z.array(Permission),
  reads_secrets: z.boolean().optional(),
  submits_mail: z.boolean().optional(),
  limited_permissions: z.array(Permission).optional(),
  limit: TokenLimit.optional(),
  /** Absent for a token of the account. */
  member_id: z.string().optional(),
  sha256: z.instanceof(Binary),
  created_at: z.date(),
  /** Absent for a token that does not expire. */
  expires_at: z.date().nullable().optional(),
  last_used_at: z.date().nullable(),
  managed_by: ManagedBy.optional(),
});
export type StoredToken = z.infer<typeof StoredToken>;
