/** The addresses of a scope (D69), or a region (D87), as a condition on deliveries. */
import type { Filter } from 'mongodb';

import { type AddressScope, ownedBy } from '../../../core/address/scope.ts';
import type { DeliveryDocument } from '../documents/delivery-documents.ts';

/** Deliveries to a receiver of these addresses, for queries that name ids. */
export function inScope(scope: AddressScope): Filter<DeliveryDocument> {
  if (scope.address_ids === null) return ownedBy(scope);
  const ids = { $in: [...scope.address_ids] };
  return { ...ownedBy(scope), $or: [{ address_id: ids }, { 'email.address_id': ids }] };
}

/** Emails that the NATS of this region stores. Without a name it has those of no named region. */
export const inRegion = (region: string | undefined): Filter<DeliveryDocument> => ({
  'stored_at.region': region ?? { $exists: false },
});
