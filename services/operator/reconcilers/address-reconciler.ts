/** An InboundAddress resource is an address, with a Secret that holds what its receiver needs. */
import type { Addresses } from '../../adapters/mongo/address/addresses.ts';
import type { Address, ManagedAddress } from '../../core/address/address.ts';
import {
  addressStep,
  type AddressStep,
  secretGenerationOf,
} from '../../core/kube/address-resource.ts';
import { referencedAuth, referencedSecrets } from '../../core/kube/spec/receiver-auth-spec.ts';
import { InboundAddressStatus } from '../../core/kube/spec/address-spec.ts';
import { RefusalError } from '../../core/kube/condition.ts';
import { FIRST_GENERATION, replyKey } from '../../core/reply/reply-key.ts';
import { timestamp } from '../../core/time/timestamp.ts';
import type { AddressOperations } from '../../platform/address/address-operations.ts';
import type { ReadSecrets } from '../cluster/referenced-secrets.ts';
import type { SecretKeeper } from '../cluster/secret-keeper.ts';
import {
  type AccountOf,
  type CauseOf,
  type Reconciler,
  runSteps,
  unlessGone,
} from './reconciler.ts';

type AddressReconcilerDependencies = {
  addresses: Pick<Addresses, 'findManaged'>;
  operations: AddressOperations;
  secrets: SecretKeeper;
  accountOf: AccountOf;
  causeOf: CauseOf;
  readSecrets: ReadSecrets;
  allowedNetworks: readonly string[];
  offersFiles: boolean;
  /** REPLY_KEYS of the settings. */
  replyKeys: readonly Uint8Array[];
  clock: () => Date;
};

export function createAddressReconciler({
  addresses,
  operations,
  secrets,
  accountOf,
  causeOf,
  readSecrets,
  allowedNetworks,
  offersFiles,
  replyKeys,
  clock,
}: AddressReconcilerDependencies): Reconciler<'InboundAddress'> {
  return {
    settle: async function settleAddress({ spec, owner, status: given, generation }) {
      const status = InboundAddressStatus.parse(given);
      const isEdited = status.observedGeneration !== generation;
      const secretName = spec.secretName ?? `${owner.name}-webhook`;
      const accountId = await accountOf(owner, spec);
      const referenced = await readSecrets(owner.namespace, referencedSecrets(spec.auth));
      const auth = referencedAuth(spec.auth, referenced, allowedNetworks);
      const { record, step } = await runSteps<ManagedAddress, AddressStep>({
        find: () => addresses.findManaged(owner),
        next: (found) =>
          addressStep({
            spec,
            namespace: owner.namespace,
            auth,
            isEdited,
            status,
            record: found,
            accountId,
            allowedNetworks,
            offersFiles,
            canReply: replyKeys.length > 0,
            now: clock(),
          }),
        act: {
          create: ({ scope, requested }) =>
            operations.create(causeOf(owner, scope), { ...requested, managed_by: owner }),
          restore: async (restore) => {
            if (await operations.restore(restore.id, restore.accountId, owner)) return;
            throw new RefusalError(
              'Lost',
              'the address was deleted and cannot be restored; delete this resource and create it ' +
                'again to get a new address',
            );
          },
          change: ({ change }, found) => operations.change(causeOf(owner, found), found.id, change),
          rotate: async ({ generation: rotation }, found) => {
            // it may be missing, for example after a restore
            await secrets.write(owner, secretName, contentOf(found, replyKeys));
            await secrets.requireWritable(owner, secretName);
            await operations.rotateSecret(causeOf(owner, found), found.id, rotation);
          },
          rotateReplyKey: async ({ generation: rotation, overlapMs }, found) => {
            await secrets.requireWritable(owner, secretName);
            const requested = { generation: rotation, overlapMs };
            await operations.rotateReplyKey(causeOf(owner, found), found.id, requested);
          },
        },
      });
      // A record that an earlier resource of this name left may be of another account: its data
      // stays secret.
      const ours = record?.account_id === accountId ? record : undefined;
      return {
        ...(ours && { secret: { name: secretName, content: contentOf(ours, replyKeys) } }),
        fields: {
          ...status,
          ...(ours && {
            id: ours.id,
            address: ours.address,
            secretGeneration: secretGenerationOf({ record, status, spec }),
            ...(ours.silent_since && { silentSince: timestamp(ours.silent_since) }),
            ...(ours.expires_at && { expiresAt: timestamp(ours.expires_at) }),
          }),
        },
        verdicts: { Ready: step.verdict },
        ...againAtExpiry(record, clock()),
      };
    },

    remove: async function removeAddress(owner) {
      const record = await addresses.findManaged(owner);
      if (record) await unlessGone(() => operations.remove(causeOf(owner, record), record.id));
    },
  };
}

const contentOf = (
  {
    id,
    webhook_secret,
    public_key,
    webhook_url,
    address,
    reply_addresses,
    reply_key_generation,
  }: Address,
  [replyKeyOfAll]: readonly Uint8Array[],
) => ({
  ...(public_key === null ? { webhook_secret } : { public_key }),
  ...(webhook_url !== null && { webhook_url }),
  address,
  ...(reply_addresses &&
    replyKeyOfAll && {
      address_id: id,
      reply_key: replyKey(replyKeyOfAll, id, reply_key_generation ?? FIRST_GENERATION),
    }),
});

/** Reconciles at least daily. Node's timers overflow after 24 days. */
const LATEST_MS = 86_400_000;
const againAtExpiry = (record: Address | undefined, now: Date) =>
  record?.expires_at && record.expires_at > now
    ? { againAfterMs: Math.min(LATEST_MS, record.expires_at.getTime() - now.getTime()) }
    : {};
