/** An InboundReceiver resource is a further receiver of an address, with a Secret for it. */
import type { Addresses } from '../../adapters/mongo/addresses/addresses.ts';
import type { Receivers } from '../../adapters/mongo/receivers/receivers.ts';
import type { Address } from '../../core/address/address.ts';
import { wholeAccount } from '../../core/address/scope.ts';
import type { ManagedBy } from '../../core/managed-by.ts';
import { referencedAuth, referencedSecrets } from '../../core/kube/spec/receiver-auth-spec.ts';
import { receiverStep, type ReceiverStep } from '../../core/kube/receiver-resource.ts';
import type { ManagedReceiver, Receiver } from '../../core/receiver/receiver.ts';
import type { ReceiverOperations } from '../../platform/receiver-operations.ts';
import type { ReadSecrets } from '../referenced-secrets.ts';
import type { SecretKeeper } from '../secret-keeper.ts';
import { type CauseOf, type Reconciler, runSteps, unlessGone } from './reconciler.ts';

/** The address of an InboundAddress resource; `undefined` before it exists. */
export type AddressOf = (
  owner: ManagedBy,
  spec: { addressRef: { name: string } },
) => Promise<Address | undefined>;

type ReceiverReconcilerParts = {
  addresses: Pick<Addresses, 'find'>;
  receivers: Pick<Receivers, 'findManaged'>;
  operations: ReceiverOperations;
  secrets: SecretKeeper;
  addressOf: AddressOf;
  causeOf: CauseOf;
  readSecrets: ReadSecrets;
  allowedNetworks: readonly string[];
  offersFiles: boolean;
  clock: () => Date;
};

export function createReceiverReconciler({
  addresses,
  receivers,
  operations,
  secrets,
  addressOf,
  causeOf,
  readSecrets,
  allowedNetworks,
  offersFiles,
  clock,
}: ReceiverReconcilerParts): Reconciler<'InboundReceiver'> {
  return {
    settle: async function settleReceiver({ spec, owner, status, generation }) {
      const secretName = spec.secretName ?? `${owner.name}-receiver`;
      const isEdited = status.observedGeneration !== generation;
      const address = await addressOf(owner, spec);
      const referenced = await readSecrets(owner.namespace, referencedSecrets(spec.auth));
      const auth = referencedAuth(spec.auth, referenced, allowedNetworks);
      const { record, step } = await runSteps<ManagedReceiver, ReceiverStep>({
        find: () => receivers.findManaged(owner),
        next: (found) =>
          receiverStep({
            spec,
            namespace: owner.namespace,
            isEdited,
            address,
            record: found,
            auth,
            allowedNetworks,
            offersFiles,
          }),
        act: {
          create: ({ address: of, asked }) =>
            operations.create(causeOf(owner, of), of, { ...asked, managed_by: owner }),
          change: ({ address: of, change }, found) =>
            operations.change(causeOf(owner, of), of, found.id, change),
          rotate: async ({ address: of, generation: rotation }, found) => {
            await secrets.write(owner, secretName, contentOf(found)); // as after a restore
            await secrets.requireWritable(owner, secretName);
            await operations.rotateSecret(causeOf(owner, of), of, found.id, rotation);
          },
        },
      });
      // what an earlier resource of this name left may be of another address: it stays secret
      const ours = address && record?.address_id === address.id ? record : undefined;
      return {
        ...(ours && { secret: { name: secretName, content: contentOf(ours) } }),
        fields: { ...status, ...(ours && { id: ours.id, address: address?.address }) },
        verdicts: { Ready: step.verdict },
      };
    },

    remove: async function removeReceiver(owner) {
      const record = await receivers.findManaged(owner);
      if (record === undefined) return;
      const address = await addresses.find(wholeAccount(record), record.address_id, clock());
      const of = { id: record.address_id, address: address?.address ?? '' };
      await unlessGone(() => operations.remove(causeOf(owner, record), of, record.id));
    },
  };
}

const contentOf = ({ webhook_secret, public_key, url }: Receiver) => ({
  ...(public_key === null ? { webhook_secret } : { public_key }),
  ...(url !== null && { url }),
});
