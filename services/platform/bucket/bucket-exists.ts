/** The bucket in which a payload is to be stored must exist (D193). */
import type { Buckets } from '../../adapters/mongo/bucket/buckets.ts';
import type { Owned } from '../../core/address/scope.ts';
import { fieldConflict } from '../../core/error/app-error.ts';
import type { StorageSettings } from '../../core/bucket/storage-settings.ts';

/** Undefined where it is not checked: resources of Kubernetes may come in any order. */
export type BucketsToName = Pick<Buckets, 'list'> | undefined;

type WithStorage = { storage?: StorageSettings | null } | null;

/** @throws AppError `conflict` when there is no such bucket, unless it was named before */
export async function requireBucket(
  buckets: BucketsToName,
  { account_id, environment }: Owned,
  wanted: WithStorage | undefined,
  before?: WithStorage,
): Promise<void> {
  const name = wanted?.storage?.bucket;
  if (buckets === undefined || name === undefined || name === before?.storage?.bucket) return;
  const all = await buckets.list({ account_id, environment });
  if (all.some((one) => one.name === name)) return;
  throw fieldConflict(
    'payload.storage.bucket',
    `There is no bucket ${name} in this account and environment. Create it first (POST /v1/account/buckets)`,
  );
}
