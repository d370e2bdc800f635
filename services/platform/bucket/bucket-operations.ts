/** Creates, changes and deletes customers' buckets. */
import type { Buckets } from '../../adapters/mongo/bucket/buckets.ts';
import { ownedBy } from '../../core/address/scope.ts';
import { AppError } from '../../core/error/app-error.ts';
import { BUCKET, bucketKey, type BucketNoun, type BucketRecord } from '../../core/bucket/bucket.ts';
import { changedFields, isEmpty } from '../../core/resource/changed-fields.ts';
import { newRecord } from '../../core/resource/record.ts';
import type { Announcements } from '../address-directory.ts';
import type { Audit } from '../audit.ts';
import { createOwnedOperations, type OwnedOperations } from '../owned-operations.ts';

/** Emails for a removed bucket wait for one of the same name. */
export type BucketOperations = OwnedOperations<BucketNoun>;

type BucketOperationDependencies = {
  buckets: Pick<Buckets, 'insert' | 'find' | 'update' | 'remove'>;
  announcements: Announcements;
  audit: Audit;
};

export const createBucketOperations = ({
  buckets,
  announcements,
  audit,
}: BucketOperationDependencies): BucketOperations =>
  createOwnedOperations<BucketNoun>(
    {
      resource: BUCKET,
      store: buckets,
      newRecord: (requested, caller, stamp) => ({
        ...newRecord(BUCKET.fields, requested, ownedBy(caller), stamp),
        ...requested.credentials,
      }),
      update: async (cause, before, { credentials, ...requested }) => {
        const keepsCredentials = requested.endpoint !== undefined && credentials === undefined;
        if (keepsCredentials) refuseOtherHost(before, requested.endpoint ?? '');
        // what was checked must still hold: another request could change the credentials meanwhile
        const { endpoint, updated_at } = before;
        const only = keepsCredentials ? { endpoint, updated_at } : {};
        const changed = changedFields(before, requested);
        const isRekeyed = credentials !== undefined && !isEmpty(changedFields(before, credentials));
        if (isEmpty(changed) && !isRekeyed) return { record: before, changed };
        const change = { ...changed, ...(isRekeyed && { credentials }) };
        const record = await buckets.update(cause.caller, before.id, change, cause.now, only);
        if (record === undefined)
          throw new AppError('conflict', 'The bucket was changed at the same time. Try again');
        const { access_key_id } = record;
        const keys = isRekeyed && { access_key_id, secret_access_key: 'replaced' };
        return { record, changed: { ...changed, ...keys } };
      },
      cacheKey: (bucket) => bucketKey(bucket, bucket.name),
      isCachedBefore: true,
    },
    announcements,
    audit,
  );

/** Otherwise anyone who may change the endpoint could receive requests signed with the stored keys (D51). */
function refuseOtherHost(found: BucketRecord, endpoint: string): void {
  if (new URL(found.endpoint).host === new URL(endpoint).host) return;
  throw new AppError(
    'conflict',
    'To change the host of the endpoint, send credentials in the same request',
  );
}
