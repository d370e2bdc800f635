/**
 * A bucket of a customer, with an S3 API: dispatchers store the raw email and its attachments there
 * before they call the receiver (D80, docs/attachments-to-a-bucket.md).
 */
import { z } from 'zod';

import { ManagedBy, ManagedByView, managedByView } from '../managed-by.ts';
import { describeSchema, EXAMPLE, exampleOf } from '../api-reference.ts';
import { Environment } from '../environment.ts';
import { Timestamp, timestamp } from '../timestamp.ts';

/** For one account and environment. */
export const BUCKETS_MAX = 10;
const DESCRIPTION_MAX_CHARS = 500;

const NAME_MAX_CHARS = 63;

/** Addresses and receivers name the bucket by it. */
export const BucketName = z
  .string()
  .max(NAME_MAX_CHARS)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .describe('lower-case letters and digits, with single hyphens between them');

/** What the S3 API calls it. */
const RemoteName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
  .describe('name of the bucket at its provider');

/** It is a part of each key, so that it cannot leave the folder: no `..`, no empty part. */
const Prefix = z
  .string()
  .regex(/^([A-Za-z0-9_=-][A-Za-z0-9_=.-]{0,99}\/){0,5}$/)
  .describe('begins each key: up to five folders, each with a slash at its end; default: none');

const Region = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/)
  .describe('region that is signed, such as eu-central-1; auto for R2 and GCS');

export const ADDRESSINGS = ['path', 'host'] as const;
const Addressing = z
  .enum(ADDRESSINGS)
  .describe('where a URL names the bucket: in its path, or before the host of the endpoint');

const AccessKeyId = z.string().regex(/^[!-~]{1,256}$/);

export const BucketCredentials = z.strictObject({
  access_key_id: AccessKeyId.describe('of an identity that may write to the bucket, and no more'),
  secret_access_key: z
    .string()
    .regex(/^[!-~]{1,1024}$/)
    .describe('stored encrypted, and never shown'),
});
export type BucketCredentials = z.infer<typeof BucketCredentials>;

/** The fields that a request may set, apart from the endpoint, whose check needs settings. */
export const BucketFields = {
  bucket: RemoteName,
  region: Region,
  prefix: Prefix,
  addressing: Addressing,
  description: z.string().max(DESCRIPTION_MAX_CHARS).nullable().describe('free text'),
};

/** A bucket without its secret, which is stored encrypted. */
export const BucketRecord = z.object({
  id: z.string(),
  account_id: z.string(),
  environment: Environment,
  name: z.string(),
  endpoint: z.string(),
  bucket: z.string(),
  region: z.string(),
  prefix: z.string(),
  addressing: Addressing,
  access_key_id: z.string(),
  description: z.string().nullable(),
  managed_by: ManagedBy.optional().describe('absent for one created through the API'),
  created_at: z.date(),
  updated_at: z.date(),
});
export type BucketRecord = z.infer<typeof BucketRecord>;

/** With the secret in clear text, only in memory. */
export type Bucket = BucketRecord & { secret_access_key: string };

/** Where objects are stored, and who may store them. */
export type BucketAccess = Pick<
  Bucket,
  'endpoint' | 'bucket' | 'region' | 'addressing' | 'access_key_id' | 'secret_access_key'
>;

export type BucketChange = Partial<
  Pick<BucketRecord, 'endpoint' | 'bucket' | 'region' | 'prefix' | 'addressing' | 'description'>
> & { credentials?: BucketCredentials };

export type NewBucket = Pick<BucketRecord, 'name' | 'endpoint' | 'bucket' | 'managed_by'> &
  BucketChange & { credentials: BucketCredentials };

/** The region that is signed for a bucket without one: services other than AWS accept it. */
export const DEFAULT_REGION = 'us-east-1';

/**
 * Under which dispatchers cache a bucket, and its changes are announced. No address contains a
 * space.
 */
export const bucketKey = (
  { account_id, environment }: Pick<BucketRecord, 'account_id' | 'environment'>,
  name: string,
): string => `${account_id} ${environment} ${name}`;

/** The URL of an object, or of the bucket for the key ''. Keys need no escapes: see stored-files.ts. */
export function objectUrl(
  { endpoint, bucket, addressing }: Pick<Bucket, 'endpoint' | 'bucket' | 'addressing'>,
  key: string,
): string {
  const { protocol, host } = new URL(endpoint);
  return addressing === 'path'
    ? `${protocol}//${host}/${bucket}/${key}`
    : `${protocol}//${bucket}.${host}/${key}`;
}

/** False for `addressing: host` with an endpoint that is an IP address. */
export const hasUrls = (access: Pick<Bucket, 'endpoint' | 'bucket' | 'addressing'>): boolean =>
  URL.canParse(objectUrl(access, ''));

/** Why it has none. */
export const NO_HOST_NAME = 'the endpoint is an IP address, so the addressing must be "path"';

export const BucketView = z.object({
  id: z.string(),
  name: z.string().describe('by which addresses and receivers name it'),
  endpoint: z.string().describe('HTTPS URL of the S3 API'),
  bucket: RemoteName,
  region: Region,
  prefix: z.string().describe('begins each key'),
  addressing: Addressing,
  access_key_id: z.string().describe('the secret key is never shown'),
  description: z.string().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
  managed_by: ManagedByView.nullable().describe(
    'the Kubernetes resource that owns it; changes must be made there; null when there is none',
  ),
});
export type BucketView = z.infer<typeof BucketView>;
describeSchema(BucketView, 'Bucket', {
  id: EXAMPLE.bucket_id,
  name: 'archive',
  endpoint: 'https://s3.eu-central-1.amazonaws.com',
  bucket: 'example-mail',
  region: 'eu-central-1',
  prefix: 'inlet/',
  addressing: 'path',
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  description: null,
  created_at: EXAMPLE.created_at,
  updated_at: EXAMPLE.created_at,
  managed_by: null,
});

export const EXAMPLE_BUCKET: BucketView = exampleOf(BucketView);

export const bucketView = (one: BucketRecord): BucketView => ({
  id: one.id,
  name: one.name,
  endpoint: one.endpoint,
  bucket: one.bucket,
  region: one.region,
  prefix: one.prefix,
  addressing: one.addressing,
  access_key_id: one.access_key_id,
  description: one.description,
  created_at: timestamp(one.created_at),
  updated_at: timestamp(one.updated_at),
  managed_by: managedByView(one.managed_by),
});
