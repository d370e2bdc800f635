/** Deletes records of deliveries that are older than RECORDS_RETENTION. Counters of usage stay. */
import type { Db } from 'mongodb';

import { FINAL_STATUSES } from '../../../core/delivery/delivery-view.ts';
import { firstIdAt } from '../../../core/ids.ts';
import { DELIVERIES, type DeliveryDocument } from '../documents/delivery-documents.ts';

export type OldRecords = {
  /**
   * Deletes some records of emails received before this time. Those that have not ended stay, and those
   * whose content or files are still to be deleted.
   * @returns whether there may be more
   */
  removeBefore(time: Date): Promise<boolean>;
};

/** One statement with years of records would outlast the socket timeout. */
const BATCH = 500;

export function createOldRecords(db: Db): OldRecords {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  const removable = {
    status: { $in: [...FINAL_STATUSES] },
    content_until: { $exists: false },
    'file_deletion.at': { $not: { $type: 'date' as const } },
  };

  return {
    removeBefore: async function removeOldRecords(time) {
      const found = await deliveries
        .find(
          { _id: { $lt: firstIdAt('evt', time) }, ...removable },
          { projection: { _id: 1 }, hint: '_id_' },
        )
        .sort({ _id: 1 })
        .limit(BATCH)
        .toArray();
      await deliveries.deleteMany({ _id: { $in: found.map(({ _id }) => _id) }, ...removable });
      return found.length === BATCH;
    },
  };
}
