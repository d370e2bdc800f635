/** The documents of buckets in MongoDB, and their indexes. */
import { type BucketRecord, BUCKETS_MAX } from '../../../core/bucket/bucket.ts';
import type { CollectionIndexes } from '../connection.ts';
import { managedIndex } from './managed-records.ts';

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

export const BUCKET_PLACES: readonly number[] = Array.from({ length: BUCKETS_MAX }, (_, i) => i);
