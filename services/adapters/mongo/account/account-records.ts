/** Removes the records and events of an account that never had a customer: see `inlet admin bench`. */
import type { Db } from 'mongodb';

import type { Owned } from '../../../core/address/scope.ts';
import { DELIVERIES } from '../documents/delivery-documents.ts';
import { USAGE_EVENTS } from '../audit/events.ts';

export function createAccountRecords(db: Db) {
  const deliveries = db.collection<Owned>(DELIVERIES);
  const events = db.collection<Owned>(USAGE_EVENTS);
  return {
    /** Its addresses and its counters stay. Resolves with the number of records. */
    remove: async function removeRecords({ account_id, environment }: Owned): Promise<number> {
      const { deletedCount } = await deliveries.deleteMany({ account_id, environment });
      await events.deleteMany({ account_id, environment });
      return deletedCount;
    },
  };
}
