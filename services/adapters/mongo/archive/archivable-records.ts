/** Records that are old enough for the archive, and their deletion once a file has them (D83). */
import type { Db } from 'mongodb';

import type { ArchiveKind } from '../../../core/archive/archive.ts';
import {
  archivedDelivery,
  archivedEvent,
  type ArchivedRecord,
} from '../../../core/archive/archived-record.ts';
import { FINAL_STATUSES } from '../../../core/delivery/delivery-view.ts';
import { AUDIT_LOG_TYPES } from '../../../core/event/audit-log.ts';
import { firstIdAt } from '../../../core/ids.ts';
import { type StoredUsageEvent, USAGE_EVENTS } from '../audit/events.ts';
import { DELIVERIES, type DeliveryDocument, deliveryOf } from '../documents/delivery-documents.ts';

type Archivable = {
  /** Those of before this time, in the order of their ids, as the archive has them. */
  records(before: Date, unchangedSince: Date, limit: number): AsyncGenerator<ArchivedRecord>;
  /** Deletes those that have not changed since then. A few hundred ids at most. */
  remove(ids: readonly string[], unchangedSince: Date): Promise<void>;
};

export type ArchivableRecords = Record<ArchiveKind, Archivable>;

const BATCH = 500;

export function createArchivableRecords(db: Db): ArchivableRecords {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  const events = db.collection<StoredUsageEvent>(USAGE_EVENTS);
  const options = { hint: '_id_', batchSize: BATCH };

  return {
    deliveries: {
      records: async function* archivableDeliveries(before, unchangedSince, limit) {
        const found = deliveries
          .find(
            {
              _id: { $lt: firstIdAt('evt', before) },
              status: { $in: [...FINAL_STATUSES] },
              updated_at: { $lt: unchangedSince },
              content_until: { $exists: false }, // the content must go first, and so must the files
              'file_deletion.at': { $not: { $type: 'date' } },
            },
            options,
          )
          .sort({ _id: 1 })
          .limit(limit);
        for await (const one of found) yield archivedDelivery(deliveryOf(one));
      },
      remove: async function removeDeliveries(ids, unchangedSince) {
        await deliveries.deleteMany({
          _id: { $in: [...ids] },
          updated_at: { $lt: unchangedSince },
        });
      },
    },
    events: {
      records: async function* archivableEvents(before, _unchanged, limit) {
        const found = events
          .find(
            {
              _id: { $lt: firstIdAt('evt', before) },
              type: { $in: [...AUDIT_LOG_TYPES] },
              to_notify: { $exists: false },
            },
            options,
          )
          .sort({ _id: 1 })
          .limit(limit);
        for await (const { _id, ...event } of found) yield archivedEvent({ id: _id, ...event });
      },
      remove: async function removeEvents(ids) {
        await events.deleteMany({ _id: { $in: [...ids] } });
      },
    },
  };
}
