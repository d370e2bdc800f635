/** The calls on buckets: where dispatchers store files of emails (D80). */
import { z } from 'zod';

import { EXAMPLE } from '../../core/api-reference.ts';
import { BucketFault, type BucketClient } from '../../adapters/bucket/bucket-client.ts';
import type { Buckets } from '../../adapters/mongo/bucket/buckets.ts';
import type { AccountScope } from '../../core/address/scope.ts';
import { refuseManaged } from '../../core/managed-by.ts';
import { issueOf, notFound } from '../../core/app-error.ts';
import {
  type Bucket,
  BUCKET,
  BucketView,
  bucketView,
  EXAMPLE_BUCKET,
} from '../../core/bucket/bucket.ts';
import { shapeOf } from '../../core/resource/field.ts';
import { checkOrigin, WEBHOOK_URL_MAX_CHARS } from '../../core/network/webhook-url.ts';
import type { BucketOperations } from '../../platform/bucket/bucket-operations.ts';
import { defineEndpoint, Deleted, type Endpoint } from '../http/endpoint.ts';

type BucketEndpointDependencies = {
  operations: BucketOperations;
  buckets: Pick<Buckets, 'list' | 'find'>;
  /** For one test: only a test needs its connections and certificates. */
  openClient: () => BucketClient;
  /** Networks that are not public, but that buckets may be in. */
  allowedNetworks: readonly string[];
};

const tag = 'buckets';

const BucketTest = z.object({
  ok: z.boolean().describe('whether a file could be stored and removed'),
  error: z.string().nullable().describe('why not; null when it worked'),
});

/** A path would become a part of the signature. */
const endpointUrl = (allowedNetworks: readonly string[]) =>
  z
    .string()
    .transform((text, context) => {
      const checked = checkOrigin(text, allowedNetworks);
      if ('origin' in checked) return checked.origin;
      context.issues.push(issueOf(checked.fault, text));
      return z.NEVER;
    })
    .meta({
      format: 'uri',
      maxLength: WEBHOOK_URL_MAX_CHARS,
      pattern: '^https://[^/?#@]+/?$',
      description: 'HTTPS URL of the S3 API, without a path',
    });

export function bucketEndpoints({
  operations,
  buckets,
  openClient,
  allowedNetworks,
}: BucketEndpointDependencies): Endpoint[] {
  const Endpoint = endpointUrl(allowedNetworks);

  const existing = async (scope: AccountScope, id: string): Promise<Bucket> => {
    const found = await buckets.find(scope, id);
    if (found === undefined) throw notFound('bucket');
    return found;
  };
  const requireChangeable = async (scope: AccountScope, id: string): Promise<void> =>
    refuseManaged('bucket', (await existing(scope, id)).managed_by);

  return [
    defineEndpoint({
      method: 'POST',
      path: '/account/buckets',
      operationId: 'createBucket',
      summary: 'Add a bucket with an S3 API, in the environment of the token',
      permission: 'account:write',
      tag,
      errors: ['conflict'],
      example: {
        request: {
          name: EXAMPLE_BUCKET.name,
          endpoint: EXAMPLE_BUCKET.endpoint,
          bucket: EXAMPLE_BUCKET.bucket,
          region: EXAMPLE_BUCKET.region,
          prefix: EXAMPLE_BUCKET.prefix,
          credentials: {
            access_key_id: EXAMPLE_BUCKET.access_key_id,
            secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
          },
        },
      },
      body: z.strictObject({ ...shapeOf(BUCKET.fields, 'create'), endpoint: Endpoint }),
      status: 201,
      response: BucketView,
      handle: async ({ body, ...cause }) => bucketView(await operations.create(cause, body)),
    }),
    defineEndpoint({
      method: 'GET',
      path: '/account/buckets',
      operationId: 'listBuckets',
      summary: 'List the buckets of this environment by name; there are at most ten',
      permission: 'account:read',
      tag,
      response: z.object({ data: z.array(BucketView) }),
      handle: async ({ caller }) => ({ data: (await buckets.list(caller)).map(bucketView) }),
    }),
    defineEndpoint({
      method: 'GET',
      path: '/account/buckets/{bucket_id}',
      operationId: 'getBucket',
      summary: 'Get a bucket without its secret key',
      permission: 'account:read',
      tag,
      response: BucketView,
      handle: async ({ caller, params }) => bucketView(await existing(caller, params.bucket_id)),
    }),
    defineEndpoint({
      method: 'PATCH',
      path: '/account/buckets/{bucket_id}',
      operationId: 'updateBucket',
      summary: 'Change a bucket or its credentials; files that are stored stay where they are',
      permission: 'account:write',
      tag,
      errors: ['conflict'],
      example: {
        request: { prefix: 'mail/' },
        response: { ...EXAMPLE_BUCKET, prefix: 'mail/', updated_at: EXAMPLE.now },
      },
      body: z.strictObject({
        ...shapeOf(BUCKET.fields, 'change'),
        endpoint: Endpoint.optional(),
      }),
      response: BucketView,
      handle: async ({ params: { bucket_id: id }, body, ...cause }) => {
        await requireChangeable(cause.caller, id);
        return bucketView(await operations.change(cause, id, body));
      },
    }),
    defineEndpoint({
      method: 'DELETE',
      path: '/account/buckets/{bucket_id}',
      operationId: 'deleteBucket',
      summary:
        'Remove a bucket from Inlet; its files stay, and emails for it are retried until a bucket has its name',
      permission: 'account:write',
      tag,
      errors: ['conflict'],
      example: { response: { id: EXAMPLE_BUCKET.id, deleted: true } },
      response: Deleted,
      handle: async ({ params: { bucket_id: id }, ...cause }) => {
        await requireChangeable(cause.caller, id);
        await operations.remove(cause, id);
        return { id, deleted: true as const };
      },
    }),
    defineEndpoint({
      method: 'POST',
      path: '/account/buckets/{bucket_id}/test',
      operationId: 'testBucket',
      summary: 'Store a small file in the bucket and remove it again',
      permission: 'account:write',
      tag,
      example: { response: { ok: true, error: null } },
      response: BucketTest,
      handle: async ({ caller, params }) => {
        const found = await existing(caller, params.bucket_id);
        const key = `${found.prefix}inlet-test`;
        await using client = openClient();
        try {
          await client.put(found, key, testContent());
          await client.remove(found, key);
          return { ok: true, error: null };
        } catch (error) {
          if (error instanceof BucketFault) return { ok: false, error: error.message };
          throw error;
        }
      },
    }),
  ];
}

async function* testContent() {
  yield Buffer.from('Inlet can store files here.\n');
}
