/** The kinds whose resources own one record of an account or address each, and nothing else. */
import type { Address } from '../../core/address/address.ts';
import type { Owned } from '../../core/address/scope.ts';
import type { BucketNoun } from '../../core/bucket/bucket.ts';
import { bucketStep } from '../../core/kube/bucket-resource.ts';
import { notificationStep } from '../../core/kube/notification-resource.ts';
import { receiverStep } from '../../core/kube/receiver-resource.ts';
import { senderListStep } from '../../core/kube/sender-list-resource.ts';
import { referencedCredentials } from '../../core/kube/spec/bucket-spec.ts';
import { referencedAuth, referencedSecrets } from '../../core/kube/spec/receiver-auth-spec.ts';
import type { SenderListNoun } from '../../core/list/sender-list.ts';
import type { NotificationNoun } from '../../core/notification/notification.ts';
import type { ReceiverNoun } from '../../core/receiver/receiver.ts';
import type { Stores } from '../../adapters/mongo/stores.ts';
import type { Announcements } from '../../platform/address-directory.ts';
import type { Audit } from '../../platform/audit.ts';
import { createBucketOperations } from '../../platform/bucket/bucket-operations.ts';
import { createNotificationOperations } from '../../platform/notification/notification-operations.ts';
import { createReceiverOperations } from '../../platform/receiver/receiver-operations.ts';
import { createSenderListOperations } from '../../platform/list/sender-list-operations.ts';
import type { ReadSecrets } from '../cluster/referenced-secrets.ts';
import {
  createOwnedReconciler,
  inAccount,
  type OwnedReconcilerDependencies,
} from './owned-reconciler.ts';
import type { AccountOf, AddressOf } from './reconciler.ts';

type OwnedKindDependencies = OwnedReconcilerDependencies & {
  stores: Pick<
    Stores,
    'addresses' | 'buckets' | 'deliveries' | 'notifications' | 'receivers' | 'senderLists'
  >;
  announcements: Announcements;
  audit: Audit;
  accountOf: AccountOf;
  addressOf: AddressOf;
  readSecrets: ReadSecrets;
  allowedNetworks: readonly string[];
  offersFiles: boolean;
};

export function createOwnedReconcilers({
  stores: { senderLists, buckets, notifications, ...stores },
  addressOf,
  readSecrets,
  allowedNetworks,
  offersFiles,
  ...dependencies
}: OwnedKindDependencies) {
  const notificationOperations = createNotificationOperations({ notifications, ...dependencies });
  const receiverOperations = createReceiverOperations({ ...stores, ...dependencies });
  return {
    /** A list of senders of an account. */
    SenderList: createOwnedReconciler<'SenderList', Owned, SenderListNoun>(
      {
        findManaged: (owner) => senderLists.findManaged(owner),
        operations: createSenderListOperations({ lists: senderLists, ...dependencies }),
        ownerOf: inAccount(dependencies.accountOf, () => 'live'),
        gather: async () => senderListStep,
        statusOf: ({ entries }) => ({ entryCount: entries.length }),
      },
      dependencies,
    ),

    /** A bucket of an account, with credentials from a Secret (D81). */
    AccountBucket: createOwnedReconciler<'AccountBucket', Owned, BucketNoun>(
      {
        findManaged: (owner) => buckets.findManaged(owner),
        operations: createBucketOperations({ buckets, ...dependencies }),
        ownerOf: inAccount(dependencies.accountOf, ({ environment }) => environment),
        gather: async ({ owner, spec }) => {
          const secrets = await readSecrets(owner.namespace, [spec.secretRef.name]);
          const credentials = referencedCredentials(spec, secrets);
          return (facts) => bucketStep({ ...facts, credentials, allowedNetworks });
        },
      },
      dependencies,
    ),

    /** A notification, with a Secret that holds its webhook secret. */
    AccountNotification: createOwnedReconciler<'AccountNotification', Owned, NotificationNoun>(
      {
        findManaged: (owner) => notifications.findManaged(owner),
        operations: notificationOperations,
        ownerOf: inAccount(dependencies.accountOf, ({ environment }) => environment),
        gather: async () => (facts) => notificationStep({ ...facts, allowedNetworks }),
        secret: {
          nameOf: (owner, { secretName }) => secretName ?? `${owner.name}-notification`,
          contentOf: ({ webhook_secret, url }) => ({ webhook_secret, url }),
          rotate: (cause, id, generation) =>
            notificationOperations.rotateSecret(cause, id, generation),
        },
      },
      dependencies,
    ),

    /** A further receiver of an address, with a Secret for it. */
    InboundReceiver: createOwnedReconciler<'InboundReceiver', Address, ReceiverNoun>(
      {
        findManaged: (owner) => stores.receivers.findManaged(owner),
        operations: receiverOperations,
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
          rotate: (cause, id, generation) => receiverOperations.rotateSecret(cause, id, generation),
        },
      },
      dependencies,
    ),
  };
}
