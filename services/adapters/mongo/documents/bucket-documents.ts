/** The documents of buckets in MongoDB, and their indexes. */
import { BUCKET, type BucketRecord } from '../../../core/bucket/bucket.ts';
import type { CollectionIndexes } from '../database/connection.ts';
import { managedIndex, slotNumbers } from './managed-records.ts';

export const BUCKETS = 'buckets';

export const bucketIndexes: CollectionIndexes = {
  collection: BUCKETS,
  indexes: [
    { key: { account_id: 1, environment: 1, name: 1 }, name: 'account_name', unique: true },
    // Each place of an account and environment is held once, so there is a maximum.
    { key: { account_id: 1, environment: 1, place: 1 }, name: 'account_place', unique: true },
    managedIndex(),
  ],
};

export type StoredBucket = Omit<BucketRecord, 'id'> & {
  _id: string;
  /** The secret access key, encrypted. */
  sealed_secret: string;
  place: number;
};

export const BUCKET_SLOTS: readonly number[] = slotNumbers(BUCKET);
