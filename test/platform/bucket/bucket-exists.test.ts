/** A bucket that a request names must exist (D193). */
import { expect, test } from 'vitest';

import type { BucketRecord } from '../../../services/core/bucket/bucket.ts';
import { requireBucket } from '../../../services/platform/bucket/bucket-exists.ts';

const owned = { account_id: 'acc_1', environment: 'live' as const };
const buckets = { list: async () => [{ name: 'archive' } as BucketRecord] };
const named = (bucket: string) => ({
  storage: { bucket, what: ['raw' as const], link_hours: null },
});

test('a name of a bucket, or none, is accepted; any other is a conflict of this field', async () => {
  await requireBucket(buckets, owned, named('archive'));
  for (const payload of [undefined, null, { storage: null }, {}])
    await requireBucket(buckets, owned, payload);
  await expect(requireBucket(buckets, owned, named('archvie'))).rejects.toMatchObject({
    kind: 'conflict',
    details: { field: 'payload.storage.bucket' },
  });
});

test('a name that is set already is no obstacle to other changes, and resources come in any order', async () => {
  const accepted = [
    requireBucket(buckets, owned, named('deleted'), named('deleted')),
    requireBucket(undefined, owned, named('later')),
  ];
  expect(await Promise.all(accepted)).toEqual([undefined, undefined]);
});
