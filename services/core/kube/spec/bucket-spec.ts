/** The schema of an AccountBucket resource, and what its Secret holds (D81). */
import { z } from 'zod';

import { BUCKET, BucketCredentials } from '../../bucket/bucket.ts';
import { BUCKET_TEXTS } from '../../api/bucket-texts.ts';
import { specShape } from '../../resource/spec.ts';
import type { ReferencedSecret } from './receiver-auth-spec.ts';
import {
  AccountRef,
  commonStatus,
  ResourceEnvironment,
  SecretName,
  WebhookUrl,
} from './spec-fields.ts';

/**
 * The label, with the value `true`, of a Secret with credentials for a bucket. Without it, a user who
 * may create buckets, but not read Secrets, could use any credentials of the namespace.
 */
export const BUCKET_CREDENTIALS_LABEL = 'inlet.email/bucket-credentials';

export const AccountBucketSpec = z.object({
  accountRef: AccountRef,
  environment: ResourceEnvironment,
  ...specShape(BUCKET.fields),
  endpoint: WebhookUrl.describe(BUCKET_TEXTS.endpoint),
  secretRef: z
    .object({ name: SecretName.describe('name of the Secret') })
    .describe(
      'a Secret of this namespace with access_key_id and secret_access_key; its label ' +
        `${BUCKET_CREDENTIALS_LABEL} must be "true"; the operator reads it again every five minutes`,
    ),
});
export type AccountBucketSpec = z.infer<typeof AccountBucketSpec>;

export const AccountBucketStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('id of the bucket in the API'),
});
export type AccountBucketStatus = z.infer<typeof AccountBucketStatus>;

/** What the Secret holds, or why it cannot be used. */
export type ReferencedCredentials = { credentials: BucketCredentials } | { refusal: string };

/** @param secrets by name; without those that do not exist */
export function referencedCredentials(
  { secretRef: { name } }: AccountBucketSpec,
  secrets: ReadonlyMap<string, ReferencedSecret>,
): ReferencedCredentials {
  const secret = secrets.get(name);
  if (secret === undefined) return { refusal: `the Secret ${name} does not exist` };
  if (secret.labels[BUCKET_CREDENTIALS_LABEL] !== 'true')
    return {
      refusal: `the Secret ${name} does not have the label ${BUCKET_CREDENTIALS_LABEL}: "true"`,
    };
  const { access_key_id, secret_access_key } = secret.content;
  const parsed = BucketCredentials.safeParse({ access_key_id, secret_access_key });
  if (parsed.success) return { credentials: parsed.data };
  const key = String(parsed.error.issues[0]?.path[0]);
  const fault =
    secret.content[key] === undefined
      ? 'does not exist'
      : 'has spaces or line breaks, or is too long';
  return { refusal: `${key} of the Secret ${name} ${fault}` };
}
