/**
 * Creates, changes and deletes customers' buckets: first in MongoDB, then announced to dispatchers,
 * and recorded in the audit trail. For the API and the operator.
 */
import { randomBytes } from 'node:crypto';

import type { Buckets } from '../adapters/mongo/receivers/buckets.ts';
import { managerName } from '../core/managed-by.ts';
import { AppError, fieldConflict, notFound } from '../core/app-error.ts';
import {
  type Bucket,
  type BucketChange,
  bucketKey,
  type BucketRecord,
  BUCKETS_MAX,
  DEFAULT_REGION,
  type NewBucket,
} from '../core/bucket/bucket.ts';
import { ID_RANDOM_BYTES, newId } from '../core/ids.ts';
import { type Announcements, announcementLost } from './address-directory.ts';
import type { Audit, Cause } from './audit.ts';

export type BucketOperations = {
  /** @throws AppError `conflict` when another one has the name, or there are as many as there may be */
  create(cause: Cause, asked: NewBucket): Promise<Bucket>;
  /** @throws AppError `not_found`; `conflict` for another host without credentials */
  change(cause: Cause, id: string, change: BucketChange): Promise<Bucket>;
  /** Emails for it then wait for a bucket of the same name. @throws AppError `not_found` */
  remove(cause: Cause, id: string): Promise<void>;
};

type Parts = {
  buckets: Pick<Buckets, 'insert' | 'find' | 'update' | 'remove'>;
  announcements: Announcements;
  audit: Audit;
};

export function createBucketOperations({ buckets, announcements, audit }: Parts): BucketOperations {
  const announce = (bucket: BucketRecord) =>
    announcements
      .announced({ id: bucket.id, address: bucketKey(bucket, bucket.name) })
      .catch(announcementLost);

  const recordEvent = (
    cause: Cause,
    type: 'bucket.created' | 'bucket.updated' | 'bucket.deleted',
    { id, name, endpoint, bucket, managed_by: owner }: BucketRecord,
  ) => {
    const resource = owner && { resource: managerName(owner) };
    const data = { bucket_id: id, name, endpoint, bucket, ...resource };
    return audit(cause, { type, address_id: null, data });
  };

  return {
    create: async function createBucket(cause, { credentials, ...asked }) {
      announcements.require();
      const bucket: Bucket = {
        id: newId('bkt', cause.now, randomBytes(ID_RANDOM_BYTES)),
        account_id: cause.caller.account_id,
        environment: cause.caller.environment,
        region: DEFAULT_REGION,
        prefix: '',
        addressing: 'path',
        description: null,
        ...asked,
        ...credentials,
        created_at: cause.now,
        updated_at: cause.now,
      };
      const result = await buckets.insert(bucket);
      if (result === 'taken')
        throw fieldConflict('name', `Another bucket has the name ${bucket.name}`);
      if (result === 'full')
        throw new AppError('conflict', `An account has at most ${BUCKETS_MAX} buckets`);
      await announce(bucket);
      await recordEvent(cause, 'bucket.created', bucket);
      return bucket;
    },

    change: async function changeBucket(cause, id, change) {
      announcements.require();
      if (change.endpoint !== undefined && change.credentials === undefined)
        refuseOtherHost(await buckets.find(cause.caller, id), change.endpoint);
      const bucket = await buckets.update(cause.caller, id, change, cause.now);
      if (bucket === undefined) throw notFound('bucket');
      await announce(bucket);
      await recordEvent(cause, 'bucket.updated', bucket);
      return bucket;
    },

    remove: async function removeBucket(cause, id) {
      announcements.require();
      const removed = await buckets.remove(cause.caller, id);
      if (removed === undefined) throw notFound('bucket');
      await announce(removed);
      await recordEvent(cause, 'bucket.deleted', removed);
    },
  };
}

/** Otherwise who may change an endpoint could have emails signed for a server of their own (D51). */
function refuseOtherHost(found: BucketRecord | undefined, endpoint: string): void {
  if (!found || new URL(found.endpoint).host === new URL(endpoint).host) return;
  throw new AppError(
    'conflict',
    'To change the host of the endpoint, send credentials in the same request',
  );
}
