/** The kinds whose resources own one record of an account or address each, and nothing else. */
import { bucketStep } from '../../core/kube/bucket-resource.ts';
import { notificationStep } from '../../core/kube/notification-resource.ts';
import { receiverStep } from '../../core/kube/receiver-resource.ts';
import { senderListStep } from '../../core/kube/sender-list-resource.ts';
import { referencedCredentials } from '../../core/kube/spec/bucket-spec.ts';
import { referencedAuth, referencedSecrets } from '../../core/kube/spec/receiver-auth-spec.ts';
import type { Stores } from '../../adapters/mongo/stores.ts';
import type { BucketOperations } from '../../platform/bucket/bucket-operations.ts';
import type { NotificationOperations } from '../../platform/notification/notification-operations.ts';
import type { ReceiverOperations } from '../../platform/receiver/receiver-operations.ts';
import type { SenderListOperations } from '../../platform/list/sender-list-operations.ts';
import type { ReadSecrets } from '../cluster/referenced-secrets.ts';
import {
  createOwnedReconciler,
  inAccount,
  type OwnedReconcilerDependencies,
} from './owned-reconciler.ts';
import type { AccountOf, AddressOf, Reconciler } from './reconciler.ts';

type Accounts = { accountOf: AccountOf };
type Networks = { allowedNetworks: readonly string[] };

/** A SenderList resource is a list of senders of an account. */
export const createSenderListReconciler = (
  { findManaged }: Pick<Stores['senderLists'], 'findManaged'>,
  operations: SenderListOperations,
  dependencies: OwnedReconcilerDependencies & Accounts,
): Reconciler<'SenderList'> =>
  createOwnedReconciler(
    {
      findManaged,
      operations,
      ownerOf: inAccount(dependencies.accountOf, () => 'live'),
      gather: async () => senderListStep,
      statusOf: ({ entries }) => ({ entryCount: entries.length }),
    },
    dependencies,
  );

/** An AccountBucket resource is a bucket of an account, with credentials from a Secret (D81). */
export const createBucketReconciler = (
  { findManaged }: Pick<Stores['buckets'], 'findManaged'>,
  operations: BucketOperations,
  {
    readSecrets,
    allowedNetworks,
    ...dependencies
  }: OwnedReconcilerDependencies & Accounts & Networks & { readSecrets: ReadSecrets },
): Reconciler<'AccountBucket'> =>
  createOwnedReconciler(
    {
      findManaged,
      operations,
      ownerOf: inAccount(dependencies.accountOf, ({ environment }) => environment),
      gather: async ({ owner, spec }) => {
        const secrets = await readSecrets(owner.namespace, [spec.secretRef.name]);
        const credentials = referencedCredentials(spec, secrets);
        return (facts) => bucketStep({ ...facts, credentials, allowedNetworks });
      },
    },
    dependencies,
  );

/** An AccountNotification resource is a notification, with a Secret that holds its webhook secret. */
export const createNotificationReconciler = (
  { findManaged }: Pick<Stores['notifications'], 'findManaged'>,
  operations: NotificationOperations,
  { allowedNetworks, ...dependencies }: OwnedReconcilerDependencies & Accounts & Networks,
): Reconciler<'AccountNotification'> =>
  createOwnedReconciler(
    {
      findManaged,
      operations,
      ownerOf: inAccount(dependencies.accountOf, ({ environment }) => environment),
      gather: async () => (facts) => notificationStep({ ...facts, allowedNetworks }),
      secret: {
        nameOf: (owner, { secretName }) => secretName ?? `${owner.name}-notification`,
        contentOf: ({ webhook_secret, url }) => ({ webhook_secret, url }),
        rotate: (cause, id, generation) => operations.rotateSecret(cause, id, generation),
      },
    },
    dependencies,
  );

/** An InboundReceiver resource is a further receiver of an address, with a Secret for it. */
export const createReceiverReconciler = (
  { findManaged }: Pick<Stores['receivers'], 'findManaged'>,
  operations: ReceiverOperations,
  {
    addressOf,
    readSecrets,
    allowedNetworks,
    offersFiles,
    ...dependencies
  }: OwnedReconcilerDependencies &
    Networks & { addressOf: AddressOf; readSecrets: ReadSecrets; offersFiles: boolean },
): Reconciler<'InboundReceiver'> =>
  createOwnedReconciler(
    {
      findManaged,
      operations,
      ownerOf: addressOf,
      isOf: ({ address_id }, { id }) => address_id === id,
      gather: async ({ owner: { namespace }, spec, status, generation }, address) => {
        const secrets = await readSecrets(namespace, referencedSecrets(spec.auth));
        const auth = referencedAuth(spec.auth, secrets, allowedNetworks);
        const isEdited = status.observedGeneration !== generation;
        const settings = { allowedNetworks, offersFiles };
        return (facts) =>
          receiverStep({ ...facts, ...settings, namespace, isEdited, address, auth });
      },
      statusOf: (_, { address }) => ({ address }),
      secret: {
        nameOf: (owner, { secretName }) => secretName ?? `${owner.name}-receiver`,
        contentOf: ({ webhook_secret, public_key, url }) => ({
          ...(public_key === null ? { webhook_secret } : { public_key }),
          ...(url !== null && { url }),
        }),
        rotate: (cause, id, generation) => operations.rotateSecret(cause, id, generation),
      },
    },
    dependencies,
  );
