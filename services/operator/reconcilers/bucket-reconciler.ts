/** An AccountBucket resource is a bucket of an account, with credentials from a Secret (D81). */
import type { Buckets } from '../../adapters/mongo/receivers/buckets.ts';
import type { Bucket } from '../../core/bucket/bucket.ts';
import { bucketStep, type BucketStep } from '../../core/kube/bucket-resource.ts';
import { referencedCredentials } from '../../core/kube/spec/bucket-spec.ts';
import type { BucketOperations } from '../../platform/bucket-operations.ts';
import type { ReadSecrets } from '../referenced-secrets.ts';
import {
  type AccountOf,
  type CauseOf,
  type Reconciler,
  runSteps,
  unlessGone,
} from './reconciler.ts';

type Parts = {
  buckets: Pick<Buckets, 'findManaged'>;
  operations: BucketOperations;
  accountOf: AccountOf;
  causeOf: CauseOf;
  readSecrets: ReadSecrets;
  allowedNetworks: readonly string[];
};

export function createBucketReconciler({
  buckets,
  operations,
  accountOf,
  causeOf,
  readSecrets,
  allowedNetworks,
}: Parts): Reconciler<'AccountBucket'> {
  return {
    settle: async function settleBucket({ spec, owner, status }) {
      const { environment } = spec;
      const accountId = await accountOf(owner, spec);
      const secrets = await readSecrets(owner.namespace, [spec.secretRef.name]);
      const credentials = referencedCredentials(spec, secrets);
      const { record, step } = await runSteps<Bucket, BucketStep>({
        find: () => buckets.findManaged(owner),
        next: (found) =>
          bucketStep({ spec, accountId, record: found, credentials, allowedNetworks }),
        act: {
          create: ({ accountId: account_id, asked }) =>
            operations.create(causeOf(owner, { account_id, environment }), {
              ...asked,
              managed_by: owner,
            }),
          change: ({ change }, found) => operations.change(causeOf(owner, found), found.id, change),
        },
      });
      // what an earlier resource of this name left may be of another account
      const ours = record?.account_id === accountId ? record : undefined;
      return {
        fields: { ...status, ...(ours && { id: ours.id }) },
        verdicts: { Ready: step.verdict },
      };
    },

    remove: async function removeBucket(owner) {
      const record = await buckets.findManaged(owner);
      if (record) await unlessGone(() => operations.remove(causeOf(owner, record), record.id));
    },
  };
}
