/** API tokens as MongoDB has them. */
import { Binary } from 'mongodb';
import { z } from 'zod';

import { DELIVERY_PARTS, Permission } from '../../../core/token/permission.ts';
import { TokenRecord } from '../../../core/token/token-record.ts';
import type { CollectionIndexes } from '../database/connection.ts';
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

/** Releases add fields, so those that came later may be absent. */
export const StoredToken = TokenRecord.omit({ id: true }).extend({
  _id: z.string(),
  reads_secrets: z.boolean().optional(),
  submits_mail: z.boolean().optional(),
  delivery_permissions: z.array(Permission.extract(DELIVERY_PARTS)).optional(),
  limited_permissions: z.array(Permission).optional(),
  sha256: z.instanceof(Binary),
});
export type StoredToken = z.infer<typeof StoredToken>;
