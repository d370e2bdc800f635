/** Creates an address: finds its domain, then a name that is free. */
import { randomBytes } from 'node:crypto';

import type { Accounts } from '../../adapters/mongo/account/accounts.ts';
import type { AddressClaims } from '../../adapters/mongo/address/address-claims.ts';
import type { Addresses } from '../../adapters/mongo/address/addresses.ts';
import type { Domains } from '../../adapters/mongo/domain/domains.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { Nats } from '../../adapters/stream/connection/connection.ts';
import type { Address, ManagedAddress } from '../../core/address/address.ts';
import { type NewAddress, storedOptions } from '../../core/address/address-options.ts';
import { expiryOf } from '../../core/address/lifetime.ts';
import { type Owned, ownedBy } from '../../core/address/scope.ts';
import { meetsShared } from '../../core/domain/domain.ts';
import { addressEvent, createdData } from '../../core/event/address-event.ts';
import { base32, ID_RANDOM_BYTES, newId } from '../../core/id/ids.ts';
import { receiverAuthView } from '../../core/receiver/receiver-auth.ts';
import { createAnnouncements } from '../address-directory.ts';
import type { Audit, Cause } from '../audit.ts';
import { type BucketsToName, requireBucket } from '../bucket/bucket-exists.ts';
import { requireFittingFormat } from '../receiver/receiver-mode.ts';
import { newKeys } from '../receiver/webhook-keys.ts';
import { noSuchDomain, refuseOnSharedDomain, taken, takesSharedMail } from './address-faults.ts';

export type AddressCreationDependencies = {
  accounts: Pick<Accounts, 'find'>;
  addresses: Pick<Addresses, 'insert'>;
  domains: Pick<Domains, 'covering'>;
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

const randomLocalPart = () => base32(randomBytes(LOCAL_PART_RANDOM_BYTES));

export function createAddressCreation(
  {
    accounts,
    addresses,
    domains,
    buckets,
    nameClaims,
    audit,
    nats,
    announce,
    inboundDomain,
    newLocalPart = randomLocalPart,
  }: AddressCreationDependencies,
  log: Log,
) {
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

  return async function createAddress(
    cause: Cause,
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
    }: NewAddress,
  ): Promise<Address> {
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
  };
}
