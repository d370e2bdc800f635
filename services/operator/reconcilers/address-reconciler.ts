/** An InboundAddress resource is an address, with a Secret that holds what its receiver needs. */
import type { AddressOperations } from '../../platform/address-operations.ts';
import type { Addresses } from '../../adapters/mongo/addresses/addresses.ts';
import type { Audit } from '../../platform/audit.ts';
import type { Address, AddressScope } from '../../core/address/address.ts';
import {
  addressStep,
  type AddressStep,
  secretGenerationOf,
} from '../../core/kube/address-resource.ts';
import { AppError } from '../../core/app-error.ts';
import { RefusalError } from '../../core/kube/condition.ts';
import { InboundAddressSpec, InboundAddressStatus } from '../../core/kube/address-spec.ts';
import { type ManagedBy, managerName } from '../../core/address/managed-by.ts';
import { timestamp } from '../../core/timestamp.ts';
import type { Reconciler } from './reconcile.ts';
import { ownerOf, specOf } from '../resource.ts';
import type { SecretKeeper } from '../secret-keeper.ts';

type Needs = {
  addresses: Pick<Addresses, 'findManaged'>;
  operations: AddressOperations;
  secrets: SecretKeeper;
  audit: Audit;
  /** The account of an Account resource; undefined before it exists. */
  accountId: (namespace: string, name: string) => Promise<string | undefined>;
  allowedNetworks: readonly string[];
  offersFiles: boolean;
  clock: () => Date;
};

type Action = Exclude<AddressStep, { kind: 'settled' }>;

const MAX_STEPS = 6;

export function createAddressReconciler({
  addresses,
  operations,
  secrets,
  audit,
  accountId,
  allowedNetworks,
  offersFiles,
  clock,
}: Needs): Reconciler {
  const recordChange = (
    scope: AddressScope,
    owner: ManagedBy,
    now: Date,
    type: 'address.created' | 'address.updated' | 'address.deleted' | 'address.recovered',
    address_id: string,
    data: object,
  ) =>
    audit(
      { caller: { account_id: scope.account_id, environment: scope.environment }, now },
      { type, address_id, data: { ...data, resource: managerName(owner) } },
    );

  async function create(
    { scope, asked }: Extract<Action, { kind: 'create' }>,
    owner: ManagedBy,
  ): Promise<void> {
    const now = clock();
    const { id, address, webhook_url, is_permanent, expires_at, description } =
      await operations.create(scope, { ...asked, managed_by: owner }, now);
    await recordChange(scope, owner, now, 'address.created', id, {
      address,
      webhook_url,
      is_permanent,
      expires_at,
      description,
    });
  }

  async function act(step: Action, owner: ManagedBy, record: Address | undefined): Promise<void> {
    const now = clock();
    if (step.kind === 'create') return create(step, owner);
    if (step.kind === 'restore') {
      if (await operations.restore(step.id, step.accountId, owner)) return;
      throw new RefusalError(
        'Lost',
        'the address was deleted and cannot be restored; delete this resource and create it ' +
          'again to get a new address',
      );
    }
    if (record === undefined) throw new Error('no address to change');
    if (step.kind === 'change') {
      const { hasRecovered } = await operations.change(record, record.id, step.change, now);
      await recordChange(record, owner, now, 'address.updated', record.id, {
        changed: step.change,
      });
      if (hasRecovered)
        await recordChange(record, owner, now, 'address.recovered', record.id, {
          reason: 'changed',
        });
    } else {
      await operations.rotateSecret(record, record.id, now, step.generation);
      await recordChange(record, owner, now, 'address.updated', record.id, {
        changed: { webhook_secret: 'rotated' },
      });
    }
  }

  return {
    settle: async function settleAddress(resource) {
      const spec = specOf(InboundAddressSpec, resource);
      const owner = ownerOf('InboundAddress', resource);
      const status = InboundAddressStatus.parse(resource.status ?? {});
      const isEdited = status.observedGeneration !== resource.metadata.generation;
      for (let i = 0; i < MAX_STEPS; i++) {
        const record = await addresses.findManaged(owner);
        const account = await accountId(owner.namespace, spec.accountRef.name);
        const step = addressStep({
          spec,
          isEdited,
          status,
          record,
          accountId: account,
          allowedNetworks,
          offersFiles,
          now: clock(),
        });
        if (step.kind === 'settled') {
          const secretName = spec.secretName ?? `${owner.name}-webhook`;
          // A record that an earlier resource of this name left may be of another account: its data
          // stays secret.
          const ours = record?.account_id === account ? record : undefined;
          if (ours)
            await secrets.write(owner, secretName, {
              webhook_secret: ours.webhook_secret,
              webhook_url: ours.webhook_url,
              address: ours.address,
            });
          return {
            fields: {
              ...status,
              ...(ours && fieldsOf(ours, secretName, secretGenerationOf({ record, status, spec }))),
            },
            verdicts: { Ready: step.verdict },
            ...againAtExpiry(record, clock()),
          };
        }
        await act(step, owner, record);
      }
      throw new Error(`the address did not settle in ${MAX_STEPS} steps`);
    },

    remove: async function removeAddress(resource) {
      const owner = ownerOf('InboundAddress', resource);
      const record = await addresses.findManaged(owner);
      if (record === undefined) return undefined;
      const now = clock();
      try {
        await operations.remove(record, record.id, now);
        await recordChange(record, owner, now, 'address.deleted', record.id, {});
      } catch (error) {
        if (!(error instanceof AppError && error.kind === 'not_found')) throw error;
      }
      return undefined;
    },
  };
}

/** Node's timers are limited to 24 days. */
const LATEST_MS = 86_400_000;
const againAtExpiry = (record: Address | undefined, now: Date) =>
  record?.expires_at && record.expires_at > now
    ? { againAfterMs: Math.min(LATEST_MS, record.expires_at.getTime() - now.getTime()) }
    : {};

const fieldsOf = (
  { id, address, expires_at }: Address,
  secretName: string,
  secretGeneration: number,
) => ({
  id,
  address,
  secretName,
  secretGeneration,
  ...(expires_at && { expiresAt: timestamp(expires_at) }),
});
