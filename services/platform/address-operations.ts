/**
 * Creates, changes and deletes addresses and rotates their secrets: first in MongoDB, then
 * announced to gateways and dispatchers.
 */
import { randomBytes } from 'node:crypto';

import {
  type Address,
  type AddressChange,
  expiryOf,
  type Lifetime,
} from '../core/address/address.ts';
import type { AddressScope, Owned } from '../core/address/scope.ts';
import { type AddressOptions, storedOptions } from '../core/address/address-options.ts';
import { isPlain, isReserved, looksGenerated } from '../core/address/address-name.ts';
import { AppError, notFound, fieldConflict } from '../core/app-error.ts';
import { meetsShared } from '../core/address/domain.ts';
import { base32, ID_RANDOM_BYTES, newId } from '../core/ids.ts';
import type { ManagedBy } from '../core/managed-by.ts';
import { CATCH_ALL } from '../core/address/resolution.ts';
import { contradictsAfter, hasLinks } from '../core/delivery/retention.ts';
import { newSecret, SECRET_RANDOM_BYTES } from '../core/webhook/signature.ts';
import type { Accounts } from '../adapters/mongo/accounts/accounts.ts';
import type { Addresses } from '../adapters/mongo/addresses/addresses.ts';
import type { Domains } from '../adapters/mongo/addresses/domains.ts';
import type { Receivers } from '../adapters/mongo/receivers/receivers.ts';
import type { Log } from '../adapters/process/log.ts';
import type { AddressClaims } from '../adapters/mongo/addresses/address-claims.ts';
import type { Nats } from '../adapters/stream/connection.ts';
import { linksWouldEnd, noSuchDomain, taken } from './address-faults.ts';
import { announcementLost, createAnnouncements } from './address-directory.ts';

export type AddressOperations = {
  /** @throws AppError `conflict` when the name or the domain is not available */
  create(owned: Owned, asked: NewAddress, now: Date): Promise<Address>;
  /** @throws AppError `not_found`, or `conflict` when it has expired (D33) or would lose its links */
  change(
    scope: AddressScope,
    id: string,
    change: AddressChange,
    now: Date,
  ): Promise<{
    address: Address;
    /** Whether anything differed (D29). */
    isChanged: boolean;
    /** Whether the change ended a failing state. */
    hasRecovered: boolean;
  }>;
  /**
   * The new secret signs immediately; the former one signs as well for a while (D17). @throws AppError
   * `not_found`
   */
  rotateSecret(scope: AddressScope, id: string, now: Date, generation?: number): Promise<Address>;
  /** Reply addresses of the former key are accepted for a while (D57). @throws AppError `not_found` */
  rotateReplyKey(
    scope: AddressScope,
    id: string,
    rotation: { overlapMs?: number | undefined; generation?: number | undefined },
    now: Date,
  ): Promise<Address>;
  /** @throws AppError `not_found`, also for a second call */
  remove(scope: AddressScope, id: string, now: Date): Promise<void>;
  /**
   * Restores an address of this resource that was deleted in another way; false when it is no longer available.
   */
  restore(id: string, accountId: string, owner: ManagedBy): Promise<boolean>;
};

export type NewAddress = Lifetime &
  AddressOptions & {
    /** Normalized, or `*`; random when absent: see `checkLocalPart`. */
    local_part?: string | undefined;
    /** Normalized, with or without `*.`; the shared domain when absent: see `checkPlace`. */
    domain?: string | undefined;
    webhook_url: string;
    description?: string | undefined;
    managed_by?: ManagedBy | undefined;
    secret_generation?: number | undefined;
  };

type Parts = {
  accounts: Pick<Accounts, 'find'>;
  addresses: Pick<
    Addresses,
    'insert' | 'find' | 'update' | 'rotateSecret' | 'rotateReplyKey' | 'remove'
  >;
  domains: Pick<Domains, 'covering'>;
  receivers: Pick<Receivers, 'removeAll'>;
  claims: AddressClaims;
  nats: Nats;
  /** Makes every gateway and dispatcher drop the address from its cache. */
  announce: (address: { id: string; address: string }) => void;
  inboundDomain: string;
  /** How long a former secret signs in addition to the new one (D17). */
  rotationOverlapMs: number;
  /** Generates local parts; tests replace it to force collisions. */
  newLocalPart?: () => string;
};

const LOCAL_PART_RANDOM_BYTES = 10; // 16 characters
const CREATE_TRIES = 20;

const randomLocalPart = () => base32(randomBytes(LOCAL_PART_RANDOM_BYTES));

export function createAddressOperations(
  {
    accounts,
    addresses,
    domains,
    receivers,
    claims,
    nats,
    announce,
    inboundDomain,
    rotationOverlapMs,
    newLocalPart = randomLocalPart,
  }: Parts,
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
  const ownDomain = async (owned: Owned, place: string): Promise<string> => {
    if (meetsShared(place, inboundDomain))
      throw fieldConflict(
        'domain',
        `${place} would take mail of ${inboundDomain}, the domain that all accounts share`,
      );
    const own = await domains.covering(place.replace(/^\*\./, ''));
    if (own?.account_id === owned.account_id && own.environment === owned.environment)
      return own.id;
    throw noSuchDomain(place);
  };

  /** D44: links in payloads need an email that is stored after its delivery. */
  const requireWorkingLinks = async (
    scope: AddressScope,
    id: string,
    change: AddressChange,
    now: Date,
  ) => {
    if (change.retention_hours !== 0 && !hasLinks(change.payload)) return;
    const address = await addresses.find(scope, id, now);
    if (address && contradictsAfter(address, change)) throw linksWouldEnd();
  };

  /** False when the name is taken and another one can be tried. */
  const inserted = async (address: Address, isChosen: boolean): Promise<boolean> => {
    if (!isChosen && address.domain_id === undefined) return addresses.insert(address);
    const result = await claims.insert(address);
    if (result === 'domain_gone')
      throw noSuchDomain(address.address.slice(address.address.lastIndexOf('@') + 1));
    if (result === 'taken' && isChosen) throw taken(address.address);
    return result === 'made';
  };

  const refuseOnSharedDomain = (localPart: string): void => {
    if (localPart === CATCH_ALL)
      throw new AppError('validation_failed', 'local_part * needs a domain of your own', {
        details: { field: 'local_part', code: 'conflict' },
      });
    if (!isPlain(localPart))
      throw new AppError(
        'validation_failed',
        'local_part can contain only ASCII letters, digits, dot, hyphen and underscore on the ' +
          'shared domain',
        { details: { field: 'local_part', code: 'invalid_value' } },
      );
    if (isReserved(localPart) || looksGenerated(localPart))
      throw taken(`${localPart}@${inboundDomain}`);
  };

  return {
    create: async function createAddress(
      { account_id, environment },
      {
        local_part,
        domain = inboundDomain,
        webhook_url,
        description,
        managed_by,
        secret_generation,
        is_permanent,
        ttl_hours,
        ...options
      },
      now,
    ) {
      requireNats();
      const domain_id =
        domain === inboundDomain ? undefined : await ownDomain({ account_id, environment }, domain);
      if (domain_id === undefined && local_part !== undefined) refuseOnSharedDomain(local_part);
      const expires_at = expiryOf(
        { is_permanent, ttl_hours },
        is_permanent === false ? await defaultTtlHours(account_id) : 0,
        now,
      );
      for (let tries = 0; tries < CREATE_TRIES; tries++) {
        const address: Address = {
          id: newId('addr', now, randomBytes(ID_RANDOM_BYTES)),
          account_id,
          environment,
          address: `${local_part ?? newLocalPart()}@${domain}`,
          ...(domain_id !== undefined && { domain_id }),
          webhook_url,
          webhook_secret: newSecret(randomBytes(SECRET_RANDOM_BYTES)),
          is_enabled: true,
          is_permanent: expires_at === null,
          expires_at,
          email_count: 0,
          description: description ?? null,
          created_at: now,
          updated_at: now,
          deleted_at: null,
          ...storedOptions(options),
          ...(managed_by && { managed_by }),
          ...(secret_generation !== undefined && { secret_generation }),
        }; // the name may be taken, possibly by a deleted address (D8)
        if (!(await inserted(address, local_part !== undefined))) continue;
        // No cache can know a random name. Unknown names are cached only for seconds, so a lost
        // announcement of a chosen one does little harm.
        if (local_part !== undefined)
          await announced(address).catch((error: unknown) =>
            log.warn('address.not_announced', { addressId: address.id, error }),
          );
        return address;
      }
      throw new Error(`no free local part in ${CREATE_TRIES} tries`);
    },

    // A caller whose change could not be announced gets 503 and repeats it. The repeat announces
    // the change even though it changes nothing more.
    change: async function changeAddress(scope, id, change, now) {
      requireNats();
      await requireWorkingLinks(scope, id, change, now);
      const updated = await addresses.update(scope, id, change, now);
      if (updated === undefined) throw notFound('address');
      if (updated === 'expired')
        throw new AppError(
          'conflict',
          'This address has expired. It can no longer be enabled or extended. Create another one',
        );
      await announced(updated.address).catch(announcementLost);
      return updated;
    },

    rotateSecret: async function rotateSecret(scope, id, now, generation) {
      requireNats();
      const rotation = {
        secret: newSecret(randomBytes(SECRET_RANDOM_BYTES)),
        formerUntil: new Date(now.getTime() + rotationOverlapMs),
        generation,
      };
      const rotated = await addresses.rotateSecret(scope, id, rotation, now);
      if (rotated === undefined) throw notFound('address');
      await announced(rotated).catch(announcementLost);
      return rotated;
    },

    rotateReplyKey: async function rotateReplyKey(
      scope,
      id,
      { overlapMs = rotationOverlapMs, generation },
      now,
    ) {
      requireNats();
      const formerUntil = new Date(now.getTime() + overlapMs);
      const rotated = await addresses.rotateReplyKey(scope, id, { formerUntil, generation }, now);
      if (rotated === undefined) throw notFound('address');
      await announced(rotated).catch(announcementLost);
      return rotated;
    },

    remove: async function removeAddress(scope, id, now) {
      requireNats();
      const removed = await addresses.remove(scope, id, now);
      if (removed === undefined) throw notFound('address');
      await receivers.removeAll({ ...scope, addressId: id }, now);
      await announced(removed).catch(announcementLost);
      if (removed.wasDeleted) throw notFound('address');
    },

    restore: async function restoreAddress(id, accountId, owner) {
      requireNats();
      const restored = await claims.restore(id, accountId, owner);
      if (restored !== undefined) await announced(restored).catch(announcementLost);
      return restored !== undefined;
    },
  };
}
