/** Assembles the calls on buckets. */
import { createBucketClient } from '../../adapters/bucket/bucket-client.ts';
import type { AgentOptions } from '../../adapters/http/agents.ts';
import type { Stores } from '../../adapters/mongo/stores.ts';
import type { Nats } from '../../adapters/stream/connection/connection.ts';
import { type ChangedAddress, createAnnouncements } from '../../platform/address-directory.ts';
import type { Audit } from '../../platform/audit.ts';
import { createBucketOperations } from '../../platform/bucket/bucket-operations.ts';
import { bucketEndpoints } from './bucket-endpoints.ts';

type BucketDependencies = {
  stores: Pick<Stores, 'buckets'>;
  nats: Nats;
  announce: (change: ChangedAddress) => void;
  audit: Audit;
};

export function assembleBuckets(
  { stores, nats, announce, audit }: BucketDependencies,
  options: AgentOptions,
) {
  const { buckets } = stores;
  const announcements = createAnnouncements(nats, announce);
  return bucketEndpoints({
    operations: createBucketOperations({ buckets, announcements, audit }),
    buckets,
    openClient: () => createBucketClient(options),
    allowedNetworks: options.allowedNetworks,
  });
}
