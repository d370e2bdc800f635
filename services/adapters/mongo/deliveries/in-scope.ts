/** The addresses of a scope as a condition on deliveries (D69). */
import type { Filter } from 'mongodb';

import { type AddressScope, ownedBy } from '../../../core/address/scope.ts';
import type { DeliveryDocument } from '../documents/delivery-documents.ts';

/** Deliveries to a receiver of these addresses, for queries that name ids. */
export function inScope(scope: AddressScope): Filter<DeliveryDocument> {
  if (scope.address_ids === null) return ownedBy(scope);
  const ids = { $in: [...scope.address_ids] };
  return { ...ownedBy(scope), $or: [{ address_id: ids }, { 'email.address_id': ids }] };
}
