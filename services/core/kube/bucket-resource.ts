/** The next step for an AccountBucket resource. */
import { RULE_TEXT } from '../error/app-error.ts';
import { type Bucket, BUCKET, type BucketNoun } from '../bucket/bucket.ts';
import { changedFields, isEmpty } from '../resource/changed-fields.ts';
import { fromSpec } from '../resource/spec.ts';
import { checkOrigin } from '../network/webhook-url.ts';
import { ready } from './condition.ts';
import { type OwnedFacts, ownedStep, type OwnedStep, refused } from './owned-step.ts';
import type { AccountBucketSpec, ReferencedCredentials } from './spec/bucket-spec.ts';

export type BucketFacts = OwnedFacts<AccountBucketSpec, Bucket> & {
  credentials: ReferencedCredentials;
  allowedNetworks: readonly string[];
};

export function bucketStep({
  credentials: read,
  allowedNetworks,
  ...facts
}: BucketFacts): OwnedStep<BucketNoun> {
  const { spec } = facts;
  const checked = checkOrigin(spec.endpoint, allowedNetworks);
  if ('fault' in checked) return refused('InvalidEndpoint', `endpoint ${RULE_TEXT[checked.fault]}`);
  if ('refusal' in read) return refused('CredentialsNotUsable', read.refusal);
  const wanted = { ...fromSpec(BUCKET.fields, spec), endpoint: checked.origin };
  const { name, ...changeable } = wanted;
  const { credentials } = read;
  return ownedStep<BucketNoun>(facts, {
    fixed: { environment: spec.environment, name },
    notOurs:
      'a bucket of another account, environment or name behind; deleting this resource removes ' +
      'that bucket from Inlet',
    requested: { ...wanted, credentials },
    changeOf: (record) => {
      const change: BucketNoun['Change'] = changedFields(record, changeable);
      // another endpoint needs credentials in the same change (D51)
      const isRekeyed = 'endpoint' in change || !isEmpty(changedFields(record, credentials));
      return isRekeyed ? { ...change, credentials } : change;
    },
    verdictOf: () => ready('Ready', `addresses and receivers name it in payload.storage: ${name}`),
  });
}
