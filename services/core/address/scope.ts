/**
 * Which records a call may see. A caller whose token is limited to addresses does not fit where all
 * of an account is meant, so a forgotten limit is a type error.
 */
import type { Environment } from '../resource/environment.ts';

/** What belongs to one account in one environment (D11). */
export type Owned = { account_id: string; environment: Environment };

/** All of one account in one environment. */
export type AccountScope = Owned & { limit?: null; address_ids?: null };

/** Addresses of one account in one environment; null: all of them (D69). */
export type AddressScope = Owned & { address_ids: readonly string[] | null };

/** These fields of a larger object, such as a caller: a query may have no others. */
export const ownedBy = ({ account_id, environment }: Owned): Owned => ({ account_id, environment });

export const scopeOf = ({ account_id, environment, address_ids }: AddressScope): AddressScope => ({
  account_id,
  environment,
  address_ids,
});

/** For what Inlet, its operator or a resource does: no token limits it. */
export const wholeAccount = (owned: Owned): AccountScope & AddressScope => ({
  ...ownedBy(owned),
  address_ids: null,
});

/** Whether this address is in the scope. */
export const reaches = ({ address_ids }: AddressScope, addressId: string | null): boolean =>
  address_ids === null || (addressId !== null && address_ids.includes(addressId));
