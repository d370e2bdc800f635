/**
 * Creates, changes and deletes addresses and rotates their secrets: first in MongoDB, then
 * announced to gateways and dispatchers, and recorded in the audit trail.
 */
import { randomBytes } from 'node:crypto';

import type { Address, AddressChange, ManagedAddress } from '../../core/address/address.ts';
import { expiryOf } from '../../core/address/lifetime.ts';
import { ROTATION_OVERLAP_MS } from '../../core/receiver/secret-overlap.ts';
import { type AddressScope, type Owned, ownedBy, scopeOf } from '../../core/address/scope.ts';
import {
  addressEvent,
  changesBetween,
  createdData,
  resumed,
} from '../../core/event/address-event.ts';
import { differingIn, type NewAddress, storedOptions } from '../../core/address/address-options.ts';
import { notFound } from '../../core/error/app-error.ts';
import { meetsShared } from '../../core/domain/domain.ts';
import { base32, ID_RANDOM_BYTES, newId } from '../../core/id/ids.ts';
import type { ManagedBy } from '../../core/resource/managed-by.ts';
import { receiverAuthView } from '../../core/receiver/receiver-auth.ts';
import type { Accounts } from '../../adapters/mongo/account/accounts.ts';
import type { Addresses } from '../../adapters/mongo/address/addresses.ts';
import type { Domains } from '../../adapters/mongo/domain/domains.ts';
import type { DeliveryLeases } from '../../adapters/mongo/delivery/leases.ts';
import type { Receivers } from '../../adapters/mongo/receiver/receivers.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { AddressClaims } from '../../adapters/mongo/address/address-claims.ts';
import type { Nats } from '../../adapters/stream/connection/connection.ts';
import {
  expired,
  noSuchDomain,
  refuseOnSharedDomain,
  requireWorkingLinks,
  taken,
  takesSharedMail,
} from './address-faults.ts';
import { type BucketsToName, requireBucket } from '../bucket/bucket-exists.ts';
import { announcementLost, createAnnouncements } from '../address-directory.ts';
import { type Audit, auditUpdate, type Cause } from '../audit.ts';
import { requireFittingFormat } from '../receiver/receiver-mode.ts';
import {
  changedMeanwhile,
  newKeys,
  refuseOtherOrigin,
  rotationTo,
} from '../receiver/webhook-keys.ts';

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

type AddressOperationDependencies = {
  accounts: Pick<Accounts, 'find'>;
  addresses: Pick<
    Addresses,
    'insert' | 'find' | 'findWithAuth' | 'update' | 'rotateSecret' | 'rotateReplyKey' | 'remove'
  >;
  domains: Pick<Domains, 'covering'>;
  receivers: Pick<Receivers, 'removeAll'>;
  deliveries: Pick<DeliveryLeases, 'stopLeasing'>;
  buckets?: BucketsToName;
  nameClaims: AddressClaims;
  audit: Audit;
  nats: Nats;
  /** Makes every gateway and dispatcher drop the address from its cache. */
  announce: (address: { id: string; address: string }) => void;
  inboundDomain: string;
  /** Generates local parts; tests replace it to force collisions. */
  newLocalPart?: () => string;
};

const LOCAL_PART_RANDOM_BYTES = 10; // 16 characters
const CREATE_TRIES = 20;

const NO_AUTH = { auth: null };
const randomLocalPart = () => base32(randomBytes(LOCAL_PART_RANDOM_BYTES));

export function createAddressOperations(
  {
    accounts,
    addresses,
    domains,
    receivers,
    deliveries,
    buckets,
    nameClaims,
    audit,
    nats,
    announce,
    inboundDomain,
    newLocalPart = randomLocalPart,
  }: AddressOperationDependencies,
  log: Log,
): AddressOperations {
  const { require: requireNats, announced } = createAnnouncements(nats, announce);

  const defaultTtlHours = async (accountId: string) => {
    const account = await accounts.find(accountId);
    if (account === undefined) throw new Error(`no account ${accountId} of a valid token`);
    return account.settings.default_ttl_hours;
  };

  /**
   * The account's verified domain that contains this one; the longest, which may be in the other environment.
   */
  const ownDomain = async (owned: Owned, domainPart: string): Promise<string> => {
    if (meetsShared(domainPart, inboundDomain)) throw takesSharedMail(domainPart, inboundDomain);
    const own = await domains.covering(domainPart.replace(/^\*\./, ''));
    if (own?.account_id === owned.account_id && own.environment === owned.environment)
      return own.id;
    throw noSuchDomain(domainPart);
  };

  /** False when the name is taken and another one can be tried. */
  const inserted = async (address: Address, isChosen: boolean): Promise<boolean> => {
    if (!isChosen && address.domain_id === undefined) return addresses.insert(address);
    const result = await nameClaims.insert(address);
    if (result === 'domain_gone')
      throw noSuchDomain(address.address.slice(address.address.lastIndexOf('@') + 1));
    if (result === 'taken' && isChosen) throw taken(address.address);
    return result === 'made';
  };

  return {
    create: async function createAddress(
      cause,
      {
        local_part,
        domain = inboundDomain,
        webhook_url,
        auth = null,
        signing = 'hmac',
        managed_by,
        secret_generation,
        is_permanent,
        ttl_hours,
        ...options
      },
    ) {
      requireNats();
      const { now } = cause;
      requireFittingFormat(options);
      const owned = ownedBy(cause.caller);
      const domain_id = domain === inboundDomain ? undefined : await ownDomain(owned, domain);
      if (domain_id === undefined && local_part !== undefined)
        refuseOnSharedDomain(local_part, inboundDomain);
      await requireBucket(buckets, owned, options.payload);
      const expires_at = expiryOf(
        { is_permanent, ttl_hours },
        is_permanent === false ? await defaultTtlHours(owned.account_id) : 0,
        now,
      );
      const { description, ...settings } = storedOptions(options, now);
      for (let tries = 0; tries < CREATE_TRIES; tries++) {
        const address: ManagedAddress = {
          id: newId('addr', now, randomBytes(ID_RANDOM_BYTES)),
          ...owned,
          address: `${local_part ?? newLocalPart()}@${domain}`,
          ...(domain_id !== undefined && { domain_id }),
          webhook_url,
          ...newKeys(signing),
          auth: receiverAuthView(auth),
          ...(auth && { opened_auth: auth }),
          is_enabled: true,
          is_permanent: expires_at === null,
          expires_at,
          email_count: 0,
          description,
          created_at: now,
          updated_at: now,
          deleted_at: null,
          ...settings,
          ...(managed_by && { managed_by }),
          ...(secret_generation !== undefined && { secret_generation }),
        }; // the name may be taken, possibly by a deleted address (D8)
        if (!(await inserted(address, local_part !== undefined))) continue;
        // No cache can know a random name. Unknown names are cached only for seconds, so a lost
        // announcement of a chosen one does little harm.
        if (local_part !== undefined)
          await announced(address).catch((error: unknown) =>
            log.warn('address.not_announced', { address_id: address.id, error }),
          );
        await audit(cause, addressEvent('address.created', address, createdData(address)));
        return address;
      }
      throw new Error(`no free local part in ${CREATE_TRIES} tries`);
    },

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
