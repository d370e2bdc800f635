/**
 * Creates, changes and deletes addresses and rotates their secrets: first in MongoDB, then
 * announced to gateways and dispatchers, and recorded in the audit trail.
 */
import type { Address, AddressChange } from '../../core/address/address.ts';
import { ROTATION_OVERLAP_MS } from '../../core/receiver/secret-overlap.ts';
import { type AddressScope, scopeOf } from '../../core/address/scope.ts';
import { addressEvent, changesBetween, resumed } from '../../core/event/address-event.ts';
import { differingIn, type NewAddress } from '../../core/address/address-options.ts';
import { notFound } from '../../core/error/app-error.ts';
import type { ManagedBy } from '../../core/resource/managed-by.ts';
import { receiverAuthView } from '../../core/receiver/receiver-auth.ts';
import type { Addresses } from '../../adapters/mongo/address/addresses.ts';
import type { DeliveryLeases } from '../../adapters/mongo/delivery/leases.ts';
import type { Receivers } from '../../adapters/mongo/receiver/receivers.ts';
import type { Log } from '../../adapters/process/log.ts';
import { expired, requireWorkingLinks } from './address-faults.ts';
import { type AddressCreationDependencies, createAddressCreation } from './create-address.ts';
import { requireBucket } from '../bucket/bucket-exists.ts';
import { announcementLost, createAnnouncements } from '../address-directory.ts';
import { auditUpdate, type Cause } from '../audit.ts';
import { requireFittingFormat } from '../receiver/receiver-mode.ts';
import { changedMeanwhile, refuseOtherOrigin, rotationTo } from '../receiver/webhook-keys.ts';

/** Who changes addresses, and which ones they may. */
export type AddressCause = Cause & { caller: AddressScope };

export type AddressOperations = {
  /** @throws AppError `conflict` when the name or the domain is not available */
  create(cause: Cause, requested: NewAddress): Promise<Address>;
  /** @throws AppError `not_found`, or `conflict` when it has expired (D33) or would lose its links */
  change(cause: AddressCause, id: string, change: AddressChange): Promise<Address>;
  /**
   * The new secret signs immediately; the former one signs as well for a while (D17). @throws AppError
   * `not_found`
   */
  rotateSecret(cause: AddressCause, id: string, generation?: number): Promise<Address>;
  /** Reply addresses of the former key are accepted for a while (D57). @throws AppError `not_found` */
  rotateReplyKey(
    cause: AddressCause,
    id: string,
    rotation: { overlapMs?: number | undefined; generation?: number | undefined },
  ): Promise<Address>;
  /** @throws AppError `not_found`, also for a second call */
  remove(cause: AddressCause, id: string): Promise<void>;
  /**
   * Restores an address of this resource that was deleted in another way; false when it is no longer available.
   */
  restore(id: string, accountId: string, owner: ManagedBy): Promise<boolean>;
};

type AddressOperationDependencies = AddressCreationDependencies & {
  addresses: Pick<
    Addresses,
    'find' | 'findWithAuth' | 'update' | 'rotateSecret' | 'rotateReplyKey' | 'remove'
  >;
  receivers: Pick<Receivers, 'removeAll'>;
  deliveries: Pick<DeliveryLeases, 'stopLeasing'>;
};

const NO_AUTH = { auth: null };

export function createAddressOperations(
  dependencies: AddressOperationDependencies,
  log: Log,
): AddressOperations {
  const { addresses, receivers, deliveries, buckets, nameClaims, audit } = dependencies;
  const { require: requireNats, announced } = createAnnouncements(
    dependencies.nats,
    dependencies.announce,
  );

  return {
    create: createAddressCreation(dependencies, log),

    // A caller whose change could not be announced gets 503. A repeat announces it again.
    change: async function changeAddress(cause, id, { signing, ...change }) {
      requireNats();
      const { caller, now } = cause;
      const before = await addresses.findWithAuth(caller, id, now);
      if (before === undefined) throw notFound('address');
      requireWorkingLinks(before, change);
      requireFittingFormat({ ...before, ...change });
      await requireBucket(buckets, caller, change.payload, before.payload);
      const { webhook_url: url } = change;
      const keepsAuth = url !== undefined && change.auth === undefined;
      if (keepsAuth) refuseOtherOrigin({ ...before, url: before.webhook_url }, url);
      // what was checked must still hold: another request could add authentication meanwhile
      const only = !keepsAuth ? {} : before.auth ? { updated_at: before.updated_at } : NO_AUTH;
      const differing = differingIn(before, change, now);
      const updated = await addresses.update(caller, id, differing, now, only);
      if (updated === undefined)
        throw keepsAuth ? changedMeanwhile('address') : notFound('address');
      if (updated === 'expired') throw expired();
      const changesSigning = signing !== undefined && signing !== updated.address.signing;
      const rotation = changesSigning && rotationTo(signing, now);
      const address = rotation
        ? await addresses.rotateSecret(caller, id, rotation, now)
        : updated.address;
      if (address === undefined) throw notFound('address');
      await announced(address).catch(announcementLost);
      if (change.mode === 'push') await deliveries.stopLeasing(caller, id, now);
      await auditUpdate(audit, cause, addressEvent('address.updated', address), {
        ...(updated.isChanged && changesBetween(before, address, differing, now)),
        ...(differing.auth !== undefined && { auth: receiverAuthView(differing.auth) }),
        ...(changesSigning && { signing }),
      });
      if (updated.hasRecovered)
        await audit(cause, addressEvent('address.recovered', address, { reason: 'changed' }));
      for (const event of resumed(before, address)) await audit(cause, event);
      return address;
    },

    rotateSecret: async function rotateSecret(cause, id, generation) {
      requireNats();
      const { caller, now } = cause;
      const found = await addresses.find(caller, id, now);
      if (found === undefined) throw notFound('address');
      const rotation = rotationTo(found.signing, now, generation);
      const rotated = await addresses.rotateSecret(caller, id, rotation, now);
      if (rotated === undefined) throw notFound('address');
      await announced(rotated).catch(announcementLost);
      const changed = { webhook_secret: 'rotated' };
      await audit(cause, addressEvent('address.updated', rotated, { changed }));
      return rotated;
    },

    rotateReplyKey: async function rotateReplyKey(
      cause,
      id,
      { overlapMs = ROTATION_OVERLAP_MS, generation },
    ) {
      requireNats();
      const { caller, now } = cause;
      const formerUntil = new Date(now.getTime() + overlapMs);
      const rotated = await addresses.rotateReplyKey(caller, id, { formerUntil, generation }, now);
      if (rotated === undefined) throw notFound('address');
      await announced(rotated).catch(announcementLost);
      const changed = { reply_key: 'rotated' };
      await audit(cause, addressEvent('address.updated', rotated, { changed }));
      return rotated;
    },

    remove: async function removeAddress(cause, id) {
      requireNats();
      const { caller, now } = cause;
      const removed = await addresses.remove(caller, id, now);
      if (removed === undefined) throw notFound('address');
      await receivers.removeAll({ ...scopeOf(caller), addressId: id }, now);
      await announced(removed).catch(announcementLost);
      if (removed.wasDeleted) throw notFound('address');
      await audit(cause, addressEvent('address.deleted', { id }));
    },

    restore: async function restoreAddress(id, accountId, owner) {
      requireNats();
      const restored = await nameClaims.restore(id, accountId, owner);
      if (restored !== undefined) await announced(restored).catch(announcementLost);
      return restored !== undefined;
    },
  };
}
