/** The addresses of a scope (D69), or a region (D87), as a condition on deliveries. */
import type { Filter } from 'mongodb';

import { type AddressScope, ownedBy, reaches } from '../../../core/address/scope.ts';
import { addressIdOfEvent } from '../../../core/delivery/mail-event.ts';
import type { DeliveryDocument } from '../documents/delivery-documents.ts';

/** Deliveries to a receiver of these addresses, for queries that name ids. */
export function inScope(scope: AddressScope): Filter<DeliveryDocument> {
  if (scope.address_ids === null) return ownedBy(scope);
  const ids = { $in: [...scope.address_ids] };
  return { ...ownedBy(scope), $or: [{ address_id: ids }, { 'email.address_id': ids }] };
}

/** The same for a document that was read by its id alone. */
export const isInScope = (found: DeliveryDocument, scope: AddressScope): boolean =>
  found.account_id === scope.account_id &&
  found.environment === scope.environment &&
  reaches(scope, addressIdOfEvent(found));

/** Emails that the NATS of this region stores. Without a name it has those of no named region. */
export const inRegion = (region: string | undefined): Filter<DeliveryDocument> => ({
  'stored_at.region': region ?? { $exists: false },
});
