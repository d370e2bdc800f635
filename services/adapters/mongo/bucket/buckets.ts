/** Customers' buckets in MongoDB, with encrypted secrets. */
import type { Db } from 'mongodb';

import { type AccountScope, ownedBy } from '../../../core/address/scope.ts';
import { type Bucket, type BucketNoun, BucketRecord } from '../../../core/bucket/bucket.ts';
import type { ManagedBy } from '../../../core/resource/managed-by.ts';
import type { Environment } from '../../../core/resource/environment.ts';
import { managedBy } from '../documents/managed-records.ts';
import { BUCKET_SLOTS, BUCKETS, type StoredBucket } from '../documents/owned-documents.ts';
import { insertWithinMaximum } from '../database/numbered-slots.ts';
import type { SecretBox } from '../database/secrets.ts';

export type Buckets = {
  /** `taken`: another one has the name. `full`: there are as many as there may be. */
  insert(bucket: Bucket): Promise<'made' | 'taken' | 'full'>;
  /** In the order of their names. */
  list(scope: AccountScope): Promise<BucketRecord[]>;
  find(scope: AccountScope, id: string): Promise<Bucket | undefined>;
  /** Undefined when there is none. */
  update(
    scope: AccountScope,
    id: string,
    change: BucketNoun['Change'],
    now: Date,
    /** What it must still be; nothing changes otherwise. */
    only?: Partial<{ endpoint: string; updated_at: Date }>,
  ): Promise<Bucket | undefined>;
  remove(scope: AccountScope, id: string): Promise<BucketRecord | undefined>;
  /** The bucket that this resource, or an earlier one of the same name, owns. */
  findManaged(owner: ManagedBy): Promise<Bucket | undefined>;
  /** For a dispatcher. @param key see `bucketKey` */
  byKey: (key: string) => Promise<Bucket | undefined>;
};

export function createBuckets(db: Db, secrets: SecretBox): Buckets {
  const buckets = db.collection<StoredBucket>(BUCKETS);
  const opened = (stored: StoredBucket | null): Bucket | undefined =>
    stored === null
      ? undefined
      : {
          ...recordOf(stored),
          secret_access_key: secrets.open(stored.sealed_secret, stored._id),
        };

  return {
    insert: ({ id, secret_access_key, ...fields }) => {
      const sealed_secret = secrets.seal(secret_access_key, id);
      const stored = { ...fields, _id: id, sealed_secret };
      return insertWithinMaximum(BUCKET_SLOTS, (slot) =>
        buckets.insertOne({ ...stored, place: slot }),
      );
    },

    list: async (scope) =>
      (await buckets.find(ownedBy(scope)).sort({ name: 1 }).toArray()).map(recordOf),

    find: async (scope, id) => opened(await buckets.findOne({ _id: id, ...ownedBy(scope) })),

    update: async function updateBucket(scope, id, { credentials, ...change }, now, only = {}) {
      const sealed = credentials && {
        access_key_id: credentials.access_key_id,
        sealed_secret: secrets.seal(credentials.secret_access_key, id),
      };
      return opened(
        await buckets.findOneAndUpdate(
          { _id: id, ...ownedBy(scope), ...only },
          { $set: { ...change, ...sealed, updated_at: now } },
          { returnDocument: 'after' },
        ),
      );
    },

    remove: async function removeBucket(scope, id) {
      const removed = await buckets.findOneAndDelete({ _id: id, ...ownedBy(scope) });
      return removed === null ? undefined : recordOf(removed);
    },

    findManaged: async (owner) => opened(await buckets.findOne(managedBy(owner))),

    byKey: async function bucketByKey(key) {
      const [account_id = '', environment = '', name = ''] = key.split(' ');
      return opened(
        await buckets.findOne({ account_id, environment: environment as Environment, name }),
      );
    },
  };
}

const recordOf = ({ _id: id, ...fields }: StoredBucket) => BucketRecord.parse({ ...fields, id });
