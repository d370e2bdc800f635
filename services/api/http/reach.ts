/**
 * What a limited token reaches (D69). Labels are looked up once for each request, and while a stream
 * is open, so that the stores know addresses by their ids only.
 */
import type { Addresses } from '../../adapters/mongo/address/addresses.ts';
import type { AddressCaller, TokenIdentity } from '../../core/token/token.ts';
import { LABELLED_MAX, tooManyLabelled } from '../../core/token/token-limit.ts';
import type { Recheck } from './authentication.ts';

/**
 * What an endpoint concerns: the `account`, which a limited token does not reach; or addresses,
 * which it calls with its `limited` scope.
 */
export type Reach = 'account' | 'limited';

/** @throws AppError `forbidden` when too many addresses have the labels of the token */
export type ReachOf = (identity: TokenIdentity) => Promise<AddressCaller>;

/** As {@link Recheck}, with the addresses that the caller reaches now. */
export type RecheckReach = (
  request: Parameters<Recheck>[0],
) => Promise<{ identity: AddressCaller; accountIsSuspended: boolean } | undefined>;

export const createReachOf = (
  addresses: Pick<Addresses, 'idsLabelled'>,
  clock: () => Date,
): ReachOf =>
  async function reachOf(identity) {
    const { limit } = identity;
    if (limit === null) return { ...identity, address_ids: null };
    if ('address_ids' in limit) return { ...identity, address_ids: limit.address_ids };
    const most = LABELLED_MAX + 1;
    const ids = await addresses.idsLabelled(identity, limit.labels, most, clock());
    if (ids.length === most) throw tooManyLabelled();
    return { ...identity, address_ids: ids };
  };

export const createRecheckReach = (recheck: Recheck, reachOf: ReachOf): RecheckReach =>
  async function recheckReach(request) {
    const caller = await recheck(request);
    return caller && { ...caller, identity: await reachOf(caller.identity) };
  };
