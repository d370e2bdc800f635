/**
 * The receivers of an address by one set of calls: the first one, whose settings are those of the
 * address and whose id is that of the address, and further ones.
 */
import type { Addresses } from '../../adapters/mongo/address/addresses.ts';
import type { Receivers } from '../../adapters/mongo/receiver/receivers.ts';
import type { Address } from '../../core/address/address.ts';
import { firstReceiver, firstReceiverChange } from '../../core/address/first-receiver.ts';
import { type AddressScope, scopeOf } from '../../core/address/scope.ts';
import { AppError, orNotFound } from '../../core/error/app-error.ts';
import { refuseManaged } from '../../core/resource/managed-by.ts';
import type { ReceiverChange } from '../../core/receiver/receiver.ts';
import type { ShownReceiver } from '../../core/receiver/receiver-view.ts';
import type { AddressCause, AddressOperations } from '../../platform/address/address-operations.ts';
import type { ReceiverOperations } from '../../platform/receiver/receiver-operations.ts';

export type ReceiverIds = { address_id: string; receiver_id: string };

/** With its secret, or its private key. */
type OneReceiver = ShownReceiver & { webhook_secret: string };

/** All throw AppError `not_found`, and changes `conflict` for what a resource owns. */
export type OneReceivers = {
  addressOf(scope: AddressScope, addressId: string, now: Date): Promise<Address>;
  /** The first one, then the further ones, oldest first. */
  list(scope: AddressScope, addressId: string, now: Date): Promise<ShownReceiver[]>;
  find(scope: AddressScope, ids: ReceiverIds, now: Date): Promise<OneReceiver>;
  change(cause: AddressCause, ids: ReceiverIds, change: ReceiverChange): Promise<OneReceiver>;
  rotateSecret(cause: AddressCause, ids: ReceiverIds): Promise<OneReceiver>;
  remove(cause: AddressCause, ids: ReceiverIds): Promise<void>;
};

type OneReceiverDependencies = {
  addresses: Pick<Addresses, 'find'>;
  receivers: Pick<Receivers, 'list' | 'find'>;
  ofFirst: Pick<AddressOperations, 'change' | 'rotateSecret'>;
  ofFurther: ReceiverOperations;
};

export const isFirst = ({ address_id, receiver_id }: ReceiverIds): boolean =>
  address_id === receiver_id;

export function createOneReceivers({
  addresses,
  receivers,
  ofFirst,
  ofFurther,
}: OneReceiverDependencies): OneReceivers {
  const addressOf = async (scope: AddressScope, id: string, now: Date): Promise<Address> =>
    orNotFound(await addresses.find(scope, id, now), 'address');

  const found = async (scope: AddressScope, ids: ReceiverIds, now: Date) => {
    const { address_id: addressId, receiver_id } = ids;
    const address = await addressOf(scope, addressId, now);
    if (isFirst(ids)) return { address, receiver: firstReceiver(address, now) };
    const receiver = orNotFound(
      await receivers.find({ ...scopeOf(scope), addressId }, receiver_id),
      'receiver',
    );
    return { address, receiver };
  };

  /** The address, after it is clear that the API may change the receiver. */
  const changeable = async ({ caller, now }: AddressCause, ids: ReceiverIds): Promise<Address> => {
    const { address, receiver } = await found(caller, ids, now);
    refuseManaged(isFirst(ids) ? 'address' : 'receiver', receiver.managed_by);
    return address;
  };

  return {
    addressOf,

    list: async (scope, addressId, now) => {
      const address = await addressOf(scope, addressId, now);
      const further = await receivers.list({ ...scopeOf(scope), addressId });
      return [firstReceiver(address, now), ...further];
    },

    find: async (scope, ids, now) => (await found(scope, ids, now)).receiver,

    change: async function changeReceiver(cause, ids, change) {
      const address = await changeable(cause, ids);
      if (!isFirst(ids)) return ofFurther.change(cause, ids.receiver_id, change);
      const requested = firstReceiverChange(change);
      return firstReceiver(await ofFirst.change(cause, address.id, requested), cause.now);
    },

    rotateSecret: async function rotateReceiverSecret(cause, ids) {
      const address = await changeable(cause, ids);
      return isFirst(ids)
        ? firstReceiver(await ofFirst.rotateSecret(cause, address.id), cause.now)
        : ofFurther.rotateSecret(cause, ids.receiver_id);
    },

    remove: async function removeReceiver(cause, ids) {
      await changeable(cause, ids);
      if (isFirst(ids))
        throw new AppError(
          'conflict',
          'The first receiver is a part of the address. Set its url to null, and no webhook is sent',
        );
      await ofFurther.remove(cause, ids.receiver_id);
    },
  };
}
