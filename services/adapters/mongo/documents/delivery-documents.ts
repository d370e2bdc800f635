/** The documents of deliveries in MongoDB, and their indexes. */
import type { Delivery } from '../../../core/delivery/delivery.ts';
import type { CollectionIndexes } from '../connection.ts';
import { ADDRESSES } from './address-documents.ts';

export type DeliveryDocument = Omit<Delivery, 'event_id'> & { _id: string };

export const DELIVERIES = 'deliveries';

/** Where deliveries are recorded: those of emails, or those of notifications. */
export type Ledger = {
  collection: string;
  /** The collection of their targets, whose failing state attempts change. */
  targets: string;
  /** Whether they count as emails (D14), with an event of the audit trail for each attempt (D15). */
  areEmails: boolean;
};

export const EMAILS: Ledger = { collection: DELIVERIES, targets: ADDRESSES, areEmails: true };

export const BY_ACCOUNT = 'account_status_id';
export const BY_ADDRESS = 'address_status_id';
export const BY_TERM = 'account_day_term_id';

/**
 * Every email updates each of these indexes. Ids are in order of receipt, and MongoDB merges the
 * four statuses, so two indexes serve every list.
 *
 * The third serves the search. An email adds about twelve entries to it. They begin with the day, so
 * that today's are close together: an index that is larger than the cache stays as fast. A search
 * reads the days one after another. Records of earlier releases are not in it.
 */
export const deliveryIndexes: CollectionIndexes = {
  collection: DELIVERIES,
  indexes: [
    { key: { account_id: 1, environment: 1, status: 1, _id: -1 }, name: BY_ACCOUNT },
    { key: { address_id: 1, account_id: 1, environment: 1, status: 1, _id: -1 }, name: BY_ADDRESS },
    {
      key: { account_id: 1, environment: 1, 'search.day': -1, 'search.terms': 1, _id: -1 },
      name: BY_TERM,
      partialFilterExpression: { 'search.terms': { $exists: true } },
    },
    {
      key: { status: 1, updated_at: 1 },
      name: 'bodies',
      partialFilterExpression: { payload_in: 'bucket' },
    },
  ],
};
