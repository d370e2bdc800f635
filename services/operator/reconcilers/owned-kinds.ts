/** The kinds whose resources own one record of an account each, and nothing else. */
import { bucketStep } from '../../core/kube/bucket-resource.ts';
import { notificationStep } from '../../core/kube/notification-resource.ts';
import { senderListStep } from '../../core/kube/sender-list-resource.ts';
import { referencedCredentials } from '../../core/kube/spec/bucket-spec.ts';
import type { Stores } from '../../adapters/mongo/stores.ts';
import type { BucketOperations } from '../../platform/resource/bucket-operations.ts';
import type { NotificationOperations } from '../../platform/resource/notification-operations.ts';
import type { SenderListOperations } from '../../platform/resource/sender-list-operations.ts';
import type { ReadSecrets } from '../referenced-secrets.ts';
import { createOwnedReconciler, type OwnedParts } from './owned-reconciler.ts';
import type { Reconciler } from './reconciler.ts';

type Networks = { allowedNetworks: readonly string[] };

/** A SenderList resource is a list of senders of an account. */
export const createSenderListReconciler = (
  { findManaged }: Pick<Stores['senderLists'], 'findManaged'>,
  operations: SenderListOperations,
  parts: OwnedParts,
): Reconciler<'SenderList'> =>
  createOwnedReconciler(
    {
      findManaged,
      operations,
      environmentOf: () => 'live',
      gather: async () => senderListStep,
      statusOf: ({ entries }) => ({ entryCount: entries.length }),
    },
    parts,
  );

/** An AccountBucket resource is a bucket of an account, with credentials from a Secret (D81). */
export const createBucketReconciler = (
  { findManaged }: Pick<Stores['buckets'], 'findManaged'>,
  operations: BucketOperations,
  { readSecrets, allowedNetworks, ...parts }: OwnedParts & Networks & { readSecrets: ReadSecrets },
): Reconciler<'AccountBucket'> =>
  createOwnedReconciler(
    {
      findManaged,
      operations,
      environmentOf: ({ environment }) => environment,
      gather: async (owner, spec) => {
        const secrets = await readSecrets(owner.namespace, [spec.secretRef.name]);
        const credentials = referencedCredentials(spec, secrets);
        return (facts) => bucketStep({ ...facts, credentials, allowedNetworks });
      },
    },
    parts,
  );

/** An AccountNotification resource is a notification, with a Secret that holds its webhook secret. */
export const createNotificationReconciler = (
  { findManaged }: Pick<Stores['notifications'], 'findManaged'>,
  operations: NotificationOperations,
  { allowedNetworks, ...parts }: OwnedParts & Networks,
): Reconciler<'AccountNotification'> =>
  createOwnedReconciler(
    {
      findManaged,
      operations,
      environmentOf: ({ environment }) => environment,
      gather: async () => (facts) => notificationStep({ ...facts, allowedNetworks }),
      secret: {
        nameOf: (owner, { secretName }) => secretName ?? `${owner.name}-notification`,
        contentOf: ({ webhook_secret, url }) => ({ webhook_secret, url }),
        rotate: (cause, id, generation) => operations.rotateSecret(cause, id, generation),
      },
    },
    parts,
  );
