/** The documents of domains in MongoDB, and their indexes. */
import type { DomainRecord } from '../../../core/domain/domain.ts';
import type { CollectionIndexes } from '../database/connection.ts';
import { managedIndex } from './managed-records.ts';

export const DOMAINS = 'domains';

export const VERIFIED = { is_verified: true } as const;

export const NEWEST_FIRST = 'account_newest_first';

export const domainIndexes: CollectionIndexes = {
  collection: DOMAINS,
  indexes: [
    { key: { account_id: 1, environment: 1, domain: 1 }, name: 'claimed_once', unique: true },
    {
      key: { account_id: 1, environment: 1, created_at: -1, _id: -1 },
      name: NEWEST_FIRST,
    },
    {
      key: { account_id: 1, environment: 1, is_verified: 1 },
      name: 'pending',
      partialFilterExpression: { is_verified: false },
    },
    { key: { domain: 1 }, name: 'verified_once', unique: true, partialFilterExpression: VERIFIED },
    { key: { above: 1 }, name: 'verified_within', partialFilterExpression: VERIFIED },
    { key: { next_look_at: 1 }, name: 'next_look', partialFilterExpression: VERIFIED },
    managedIndex(),
  ],
};

export type StoredDomain = Omit<DomainRecord, 'id'> & {
  _id: string;
  /** Its parent domains. */
  above: string[];
  next_look_at: Date;
  /**
   * Incremented by each new address, so that the write conflicts with a deletion: see
   * address-claims.ts.
   */
  addresses_made?: number;
};
