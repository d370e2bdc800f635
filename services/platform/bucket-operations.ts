/**
 * Creates, changes and deletes customers' buckets: first in MongoDB, then announced to dispatchers,
 * and recorded in the audit trail. For the API and the operator.
 */
import { randomBytes } from 'node:crypto';

import type { Buckets } from '../adapters/mongo/receivers/buckets.ts';
import { AppError, fieldConflict, notFound, tooMany } from '../core/app-error.ts';
import { changedFields, isEmpty } from '../core/changed-fields.ts';
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
import { type Audit, auditUpdate, type Cause } from './audit.ts';

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
      if (result === 'full') throw tooMany('buckets', BUCKETS_MAX, 'environment of an account');
      await announce(bucket);
      await audit(cause, eventOf('bucket.created', bucket));
      return bucket;
    },

    change: async function changeBucket(cause, id, change) {
      announcements.require();
      const before = await buckets.find(cause.caller, id);
      if (before === undefined) throw notFound('bucket');
      const keepsCredentials = change.endpoint !== undefined && change.credentials === undefined;
      if (keepsCredentials) refuseOtherHost(before, change.endpoint ?? '');
      // what was checked must still hold: another request could change the credentials meanwhile
      const only = keepsCredentials
        ? { endpoint: before.endpoint, updated_at: before.updated_at }
        : {};
      const { credentials, ...fields } = change;
      const changed = changedFields(before, fields);
      const keys = credentials && changedFields(before, credentials);
      const isRekeyed = keys !== undefined && !isEmpty(keys);
      const bucket =
        isEmpty(changed) && !isRekeyed
          ? before
          : await buckets.update(
              cause.caller,
              id,
              { ...changed, ...(isRekeyed && { credentials }) },
              cause.now,
              only,
            );
      if (bucket === undefined)
        throw new AppError('conflict', 'The bucket was changed at the same time. Try again');
      await announce(bucket);
      await auditUpdate(audit, cause, eventOf('bucket.updated', bucket), {
        ...changed,
        ...(isRekeyed && { access_key_id: bucket.access_key_id, secret_access_key: 'replaced' }),
      });
      return bucket;
    },

    remove: async function removeBucket(cause, id) {
      announcements.require();
      const removed = await buckets.remove(cause.caller, id);
      if (removed === undefined) throw notFound('bucket');
      await announce(removed);
      await audit(cause, eventOf('bucket.deleted', removed));
    },
  };
}

const eventOf = (
  type: 'bucket.created' | 'bucket.updated' | 'bucket.deleted',
  { id, name, endpoint, bucket }: BucketRecord,
) => ({
  type,
  address_id: null,
  data: { bucket_id: id, name, endpoint, bucket },
});

/** Otherwise who may change an endpoint could have emails signed for a server of their own (D51). */
function refuseOtherHost(found: BucketRecord, endpoint: string): void {
  if (new URL(found.endpoint).host === new URL(endpoint).host) return;
  throw new AppError(
    'conflict',
    'To change the host of the endpoint, send credentials in the same request',
  );
}
