/** The calls on buckets, and the connections of their test. */
import { createBucketClient } from '../../adapters/bucket/bucket-client.ts';
import type { AgentOptions } from '../../adapters/http/agents.ts';
import type { Stores } from '../../adapters/mongo/stores.ts';
import type { Nats } from '../../adapters/stream/connection.ts';
import { type ChangedAddress, createAnnouncements } from '../../platform/address-directory.ts';
import type { Audit } from '../../platform/audit.ts';
import { createBucketOperations } from '../../platform/bucket-operations.ts';
import { bucketEndpoints } from './bucket-endpoints.ts';

type Parts = {
  stores: Pick<Stores, 'buckets'>;
  nats: Nats;
  announce: (change: ChangedAddress) => void;
  audit: Audit;
};

export function assembleBuckets({ stores, nats, announce, audit }: Parts, options: AgentOptions) {
  const { buckets } = stores;
  const client = createBucketClient(options);
  const announcements = createAnnouncements(nats, announce);
  return {
    endpoints: bucketEndpoints({
      operations: createBucketOperations({ buckets, announcements, audit }),
      buckets,
      client,
      allowedNetworks: options.allowedNetworks,
    }),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}
