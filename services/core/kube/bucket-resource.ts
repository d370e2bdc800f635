/** The next step for an AccountBucket resource: facts in, one step out, until it is settled. */
import type { Bucket, BucketChange, NewBucket } from '../bucket/bucket.ts';
import { changedFields, isEmpty, isEqual } from '../changed-fields.ts';
import { checkOrigin } from '../webhook/webhook-url.ts';
import { notReady, ready, type Verdict } from './condition.ts';
import type { AccountBucketSpec, ReferencedCredentials } from './spec/bucket-spec.ts';

export type BucketFacts = {
  spec: AccountBucketSpec;
  /** The account of the Account resource; undefined while that is missing or not ready. */
  accountId: string | undefined;
  /** The bucket that this resource owns. */
  record: Bucket | undefined;
  credentials: ReferencedCredentials;
  allowedNetworks: readonly string[];
};

export type BucketStep =
  | { kind: 'settled'; verdict: Verdict }
  | { kind: 'create'; accountId: string; asked: NewBucket }
  | { kind: 'change'; change: BucketChange };

const settled = (verdict: Verdict): BucketStep => ({ kind: 'settled', verdict });

export function bucketStep({
  spec,
  accountId,
  record,
  credentials: read,
  allowedNetworks,
}: BucketFacts): BucketStep {
  const checked = checkOrigin(spec.endpoint, allowedNetworks);
  if ('fault' in checked)
    return settled(notReady('InvalidEndpoint', `endpoint is invalid: ${checked.fault}`));
  if ('refusal' in read) return settled(notReady('CredentialsNotUsable', read.refusal));
  if (accountId === undefined)
    return settled(
      notReady(
        'AccountNotReady',
        `the Account ${spec.accountRef.name} does not exist in this namespace, or is not ready`,
      ),
    );
  const { name, bucket, region, prefix, addressing, description = null } = spec;
  const wanted = { endpoint: checked.origin, bucket, region, prefix, addressing, description };
  const { credentials } = read;
  if (record === undefined)
    return { kind: 'create', accountId, asked: { name, ...wanted, credentials } };
  if (
    record.account_id !== accountId ||
    record.environment !== spec.environment ||
    record.name !== name
  )
    return settled(
      notReady(
        'NotOurs',
        'an earlier resource of this name left a bucket of another account, environment or name ' +
          'behind; deleting this resource removes that bucket from Inlet',
      ),
    );
  const change: BucketChange = changedFields(record, wanted);
  const { access_key_id, secret_access_key } = record;
  // another endpoint needs credentials in the same change (D51)
  if ('endpoint' in change || !isEqual({ access_key_id, secret_access_key }, credentials))
    change.credentials = credentials;
  return !isEmpty(change)
    ? { kind: 'change', change }
    : settled(ready('Ready', `addresses and receivers name it in payload.storage: ${name}`));
}
