/** The calls on buckets: where dispatchers store files of emails (D80). */
import { z } from 'zod';

import { EXAMPLE } from '../../core/resource/api-reference.ts';
import { BucketFault, type BucketClient } from '../../adapters/bucket/bucket-client.ts';
import type { Buckets } from '../../adapters/mongo/bucket/buckets.ts';
import { issueOf } from '../../core/error/app-error.ts';
import {
  BUCKET,
  type BucketNoun,
  BucketView,
  bucketView,
  EXAMPLE_BUCKET,
} from '../../core/bucket/bucket.ts';
import { BUCKET_TEXTS } from '../../core/api/bucket-texts.ts';
import { shapeOf } from '../../core/resource/field.ts';
import { checkOrigin, WEBHOOK_URL_MAX_CHARS } from '../../core/network/webhook-url.ts';
import type { BucketOperations } from '../../platform/bucket/bucket-operations.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { ownedEndpoints } from '../http/owned-endpoints.ts';

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
      description: BUCKET_TEXTS.endpoint,
    });

export function bucketEndpoints({
  operations,
  buckets,
  openClient,
  allowedNetworks,
}: BucketEndpointDependencies): Endpoint[] {
  const Endpoint = endpointUrl(allowedNetworks);

  const { create, list, get, change, remove, existing } = ownedEndpoints<BucketNoun>({
    resource: BUCKET,
    path: '/account/buckets',
    tag,
    read: 'account:read',
    write: 'account:write',
    find: ({ caller }, id) => buckets.find(caller, id),
    operations,
    view: BucketView,
    shown: bucketView,
  });

  return [
    create({
      operationId: 'createBucket',
      summary: 'Add a bucket with an S3 API, in the environment of the token',
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
    }),
    list(
      {
        operationId: 'listBuckets',
        summary: 'List the buckets of this environment by name; there are at most ten',
      },
      async ({ caller }) => (await buckets.list(caller)).map(bucketView),
    ),
    get({ operationId: 'getBucket', summary: 'Get a bucket without its secret key' }),
    change({
      operationId: 'updateBucket',
      summary: 'Change a bucket or its credentials; files that are stored stay where they are',
      errors: ['conflict'],
      example: {
        request: { prefix: 'mail/' },
        response: { ...EXAMPLE_BUCKET, prefix: 'mail/', updated_at: EXAMPLE.now },
      },
      body: z.strictObject({
        ...shapeOf(BUCKET.fields, 'change'),
        endpoint: Endpoint.optional(),
      }),
    }),
    remove({
      operationId: 'deleteBucket',
      summary:
        'Remove a bucket from Inlet; its files stay, and emails for it are retried until a bucket has its name',
      errors: ['conflict'],
    }),
    defineEndpoint({
      call: 'POST /account/buckets/{bucket_id}/test',
      operationId: 'testBucket',
      summary: 'Store a small file in the bucket and remove it again',
      permission: 'account:write',
      tag,
      example: { response: { ok: true, error: null } },
      response: BucketTest,
      handle: async (call) => {
        const found = await existing(call);
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
