/**
 * A bucket of a customer, with an S3 API: dispatchers store the raw email and its attachments there
 * before they call the receiver (D80, docs/attachments-to-a-bucket.md).
 */
import { z } from 'zod';

import { EXAMPLE, exampleOf } from '../resource/api-reference.ts';
import { BUCKET_TEXTS as TEXTS } from '../api/bucket-texts.ts';
import { description, DESCRIPTION_MAX_CHARS } from '../resource/description.ts';
import type { Fields } from '../resource/field.ts';
import { fixed, required, withDefault } from '../resource/field-kinds.ts';
import type { NounOf } from '../resource/noun.ts';
import { IN_ENVIRONMENT, recordSchema } from '../resource/record.ts';
import type { Resource } from '../resource/resource.ts';
import { viewOf, viewSchema } from '../resource/view.ts';

const NAME_MAX_CHARS = 63;

/** Addresses and receivers name the bucket by it. */
export const BucketName = z
  .string()
  .max(NAME_MAX_CHARS)
  .regex(
    /^[a-z0-9]+(-[a-z0-9]+)*$/,
    'must be lower-case letters and digits, with single hyphens between them',
  )
  .describe('lower-case letters and digits, with single hyphens between them');

/** It is a part of each key, so that it cannot leave the folder: no `..`, no empty part. */
export const Prefix = z
  .string()
  .regex(
    /^([A-Za-z0-9_=-][A-Za-z0-9_=.-]{0,99}\/){0,5}$/,
    'must be at most 5 folders of letters, digits, _ - = and ., each ending with a slash',
  );
/** In the store of the customer or of the operator. */
export const RemoteName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
  );
export const Region = z
  .string()
  .regex(
    /^[a-z0-9-]{1,40}$/,
    'must be lower-case letters, digits and hyphens, such as eu-central-1',
  );
export const ADDRESSINGS = ['path', 'host'] as const;
const Addressing = z.enum(ADDRESSINGS);

export const BucketCredentials = z.strictObject({
  access_key_id: z
    .string()
    .regex(/^[!-~]{1,256}$/, 'must be 1 to 256 printable ASCII characters without spaces')
    .describe(TEXTS.access_key_id),
  secret_access_key: z
    .string()
    .regex(/^[!-~]{1,1024}$/, 'must be 1 to 1024 printable ASCII characters without spaces')
    .describe(TEXTS.secret_access_key),
});
export type BucketCredentials = z.infer<typeof BucketCredentials>;

const freeText = z.string().max(DESCRIPTION_MAX_CHARS).nullable().describe('free text').optional();

const fields = {
  name: {
    ...fixed(BucketName, 'unique in this environment; addresses and receivers name it'),
    view: z.string().describe('by which addresses and receivers name it'),
    spec: BucketName.describe(
      'unique in the environment; addresses and receivers name it in payload.storage',
    ),
    inEvents: 'every',
    example: 'archive',
  },
  /** Requests check it by settings: see the endpoints and the spec. */
  endpoint: {
    ...required(z.string(), 'HTTPS URL of the S3 API'),
    inEvents: 'every',
    example: 'https://s3.eu-central-1.amazonaws.com',
  },
  bucket: {
    ...required(RemoteName, TEXTS.bucket),
    inEvents: 'every',
    example: 'example-mail',
  },
  region: {
    // services other than AWS accept the default
    ...withDefault(Region, TEXTS.region, 'us-east-1'),
    create: Region.optional().describe('region that is signed; default: us-east-1'),
    example: 'eu-central-1',
  },
  prefix: {
    ...withDefault(Prefix, TEXTS.prefix, ''),
    view: z.string().describe('begins each key'),
    example: 'inlet/',
  },
  addressing: {
    ...withDefault(Addressing, TEXTS.addressing, 'path'),
    create: Addressing.optional().describe('default: path'),
    example: 'path',
  },
  access_key_id: {
    record: z.string(),
    view: z.string().describe('the secret key is never shown'),
    example: 'AKIAIOSFODNN7EXAMPLE',
  },
  description: { ...description, create: freeText, change: freeText, example: null },
  credentials: {
    create: BucketCredentials,
    change: BucketCredentials.optional().describe('both parts are replaced'),
  },
} as const satisfies Fields;

export const BUCKET = {
  name: 'bucket',
  plural: 'buckets',
  idPrefix: 'bkt',
  owner: 'environment of an account',
  maximum: 10,
  fields,
} as const satisfies Resource;

/** A bucket without its secret, which is stored encrypted. */
export const BucketRecord = recordSchema(IN_ENVIRONMENT, fields);
export type BucketRecord = z.infer<typeof BucketRecord>;

/** With the secret in clear text, only in memory. */
export type Bucket = BucketRecord & { secret_access_key: string };

/** Where objects are stored, and who may store them. */
export type BucketAccess = Pick<
  Bucket,
  'endpoint' | 'bucket' | 'region' | 'addressing' | 'access_key_id' | 'secret_access_key'
>;

/** A custom resource has the credentials in a Secret. */
export type BucketNoun = NounOf<typeof fields, Bucket, { credentials: BucketCredentials }>;

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

export const BucketView = viewSchema('Bucket', EXAMPLE.bucket_id, fields);
export type BucketView = z.infer<typeof BucketView>;
export const EXAMPLE_BUCKET: BucketView = exampleOf(BucketView);
export const bucketView = (one: BucketRecord): BucketView => viewOf(fields, one);
