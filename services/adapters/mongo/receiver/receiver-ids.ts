/** The receivers of the addresses in a scope, for lists of deliveries (D69). */
import type { Db } from 'mongodb';

import { type AddressScope, ownedBy } from '../../../core/address/scope.ts';
import { BY_ADDRESS, RECEIVERS } from '../documents/receiver-documents.ts';

/**
 * The receivers of the addresses in the scope, the addresses first; of these, those that are asked
 * for. Undefined for all of the account.
 */
export type ReceiversInScope = (
  scope: AddressScope,
  requested?: readonly string[],
) => Promise<string[] | undefined>;

export function createReceiversInScope(db: Db): ReceiversInScope {
  const receivers = db.collection<{ _id: string; address_id: string }>(RECEIVERS);
  return async function receiversInScope(scope, requested) {
    const { address_ids } = scope;
    if (address_ids === null) return requested && [...requested];
    const further = await receivers
      .find(
        { address_id: { $in: [...address_ids] }, ...ownedBy(scope) },
        { projection: { _id: 1 }, hint: BY_ADDRESS },
      )
      .toArray();
    const all = [...address_ids, ...further.map(({ _id }) => _id)];
    return requested ? all.filter((id) => requested.includes(id)) : all;
  };
}
