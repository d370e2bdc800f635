/**
 * What sweeps of dispatchers look for: contents and files whose time is over (D44), deliveries that are
 * overdue (D167), and records that are older than RECORDS_RETENTION. Notifications have no content.
 */
import type { Db } from 'mongodb';

import type { Owned } from '../../../core/address/scope.ts';
import type { FileDeletion } from '../../../core/bucket/file-deletion.ts';
import type { StorageOrder, StoredFiles } from '../../../core/bucket/stored-files.ts';
import type { Delivery } from '../../../core/delivery/delivery.ts';
import { FINAL_STATUSES } from '../../../core/delivery/delivery-view.ts';
import { TEXT_TERM } from '../../../core/delivery/search-terms.ts';
import { Environment } from '../../../core/resource/environment.ts';
import { firstIdAt } from '../../../core/id/ids.ts';
import {
  BY_ACCOUNT,
  DELIVERIES,
  deliveriesIn,
  type DeliveryDocument,
  deliveryOf,
  inRegion,
  NOTIFICATION_DELIVERIES,
  OVERDUE,
  UNREAD,
} from '../documents/delivery-documents.ts';

/** A content that must be removed, and where it is stored. */
export type EndedContent = Pick<
  Delivery,
  'event_id' | 'account_id' | 'address_id' | 'stored_at' | 'content_erased_at'
>;

/** `files`: where they are; else they follow from the order of the email. */
export type FilesToDelete = Owned &
  Pick<Delivery, 'event_id' | 'address_id' | 'email'> & { failures: number } & (
    { files: StoredFiles } | { files: undefined; order: StorageOrder }
  );

/** Absent for a NATS of no named region. */
type Region = string | undefined;

export type OverduePlace = Pick<Delivery, 'event_id' | 'next_attempt_at'>;

/** Removes the words of the text from the search of a record. */
const WITHOUT_TEXT = {
  $unset: { 'search.text_until': '' },
  $pull: { 'search.terms': { $regex: `^${TEXT_TERM}` } },
} as const;

/** Both values of `status` that wait are the last ones in the alphabet: see the index. */
const WAITS = { $gte: 'pending' } as unknown as DeliveryDocument['status'];

/** One statement with years of records would outlast the socket timeout. */
const BATCH = 500;

export function createDeliveryUpkeep(db: Db) {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  const removable = {
    status: { $in: [...FINAL_STATUSES] },
    content_until: { $exists: false },
    'file_deletion.at': { $not: { $type: 'date' as const } },
  };

  return {
    /** Ids of events delivered before this time whose payloads are still in the bucket of this region. */
    bodiesToRemove: async (deliveredBefore: Date, limit: number, region: Region) => {
      const found = deliveries.find(
        {
          payload_in: 'bucket',
          status: 'delivered',
          updated_at: { $lt: deliveredBefore },
          ...inRegion(region),
        },
        { projection: { _id: 1 }, limit },
      );
      return (await found.toArray()).map(({ _id }) => _id);
    },

    bodiesRemoved: async (eventIds: readonly string[]): Promise<void> => {
      if (eventIds.length > 0)
        await deliveries.updateMany(
          { _id: { $in: [...eventIds] } },
          { $set: { payload_in: 'removed' } },
        );
    },

    /** Contents of this region whose retention ended before this time, in the order in which it ended. */
    endedContents: async (before: Date, limit: number, region: Region): Promise<EndedContent[]> => {
      const projection = { account_id: 1, address_id: 1, stored_at: 1, content_erased_at: 1 };
      const found = deliveries
        .find({ content_until: { $lt: before }, ...inRegion(region) }, { projection, limit })
        .sort({ content_until: 1 });
      return (await found.toArray()).map(({ _id, ...content }) => ({ event_id: _id, ...content }));
    },

    contentsRemoved: async (eventIds: readonly string[]): Promise<void> => {
      if (eventIds.length === 0) return;
      await deliveries.updateMany(
        { _id: { $in: [...eventIds] }, content_until: { $exists: true } },
        {
          $set: { payload_in: 'removed' },
          $unset: { content_until: '', ...WITHOUT_TEXT.$unset },
          $pull: WITHOUT_TEXT.$pull,
        },
      );
    },

    /**
     * Removes the words of texts that were to be searched until before this time, of this many emails
     * at most.
     * @returns the number of emails
     */
    forgetTexts: async (before: Date, limit: number): Promise<number> => {
      const found = await deliveries
        .find({ 'search.text_until': { $lt: before } }, { projection: { _id: 1 }, limit })
        .toArray();
      if (found.length > 0)
        await deliveries.updateMany({ _id: { $in: found.map(({ _id }) => _id) } }, WITHOUT_TEXT);
      return found.length;
    },

    /** Files in buckets whose deletion is due. */
    filesToDelete: async (dueBefore: Date, limit: number): Promise<FilesToDelete[]> => {
      const projection = {
        account_id: 1,
        environment: 1,
        address_id: 1,
        email: 1,
        stored_files: 1,
        storage_order: 1,
        file_deletion: 1,
      };
      const found = deliveries.find(
        { 'file_deletion.at': { $lte: dueBefore } },
        { projection, limit, sort: { 'file_deletion.at': 1 } },
      );
      return (await found.toArray()).flatMap((one): FilesToDelete[] => {
        const { _id, stored_files: files, storage_order: order, file_deletion, ...owned } = one;
        const of = { event_id: _id, ...owned, failures: file_deletion?.failures ?? 0 };
        if (files !== undefined) return [{ ...of, files }];
        return order === undefined ? [] : [{ ...of, files, order }];
      });
    },

    filesDeleted: async (eventId: string): Promise<void> => {
      await deliveries.updateOne(
        { _id: eventId },
        { $unset: { stored_files: '', storage_order: '', file_deletion: '' } },
      );
    },

    filesNotDeleted: async (eventId: string, next: FileDeletion): Promise<void> => {
      await deliveries.updateOne(
        { _id: eventId, file_deletion: { $exists: true } }, // another dispatcher may have deleted them
        { $set: { file_deletion: next } },
      );
    },

    overdue: (before: Date, region: Region, after: OverduePlace | undefined, limit: number) =>
      overdueDeliveries(db, before, region, after, limit),

    /** Deliveries of an account that wait for an attempt, not for a consumer; counted up to `most`. */
    countWaiting: async (account_id: string, most: number): Promise<number> => {
      const ofAccount = { account_id, environment: { $in: [...Environment.options] } };
      const unread = await deliveries.countDocuments(
        { ...ofAccount, 'offer.at': { $exists: true } },
        { hint: UNREAD },
      );
      const waiting = await deliveries.countDocuments(
        { ...ofAccount, status: { $in: ['pending', 'retrying'] } },
        { hint: BY_ACCOUNT, limit: most + unread },
      );
      return waiting - unread;
    },

    /**
     * Deletes some records of emails received before this time. Those that have not ended stay, and those
     * whose content or files are still to be deleted.
     * @returns whether there may be more
     */
    removeRecordsBefore: async (time: Date): Promise<boolean> => {
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

/**
 * Deliveries of this region whose next attempt was due before this time, and that have not changed
 * since. In the order of that time, after a place.
 */
async function overdueDeliveries(
  db: Db,
  before: Date,
  region: Region,
  after: OverduePlace | undefined,
  limit: number,
): Promise<Delivery[]> {
  const behind = after && {
    $or: [
      { next_attempt_at: after.next_attempt_at, _id: { $gt: after.event_id } },
      {
        next_attempt_at:
          after.next_attempt_at === null
            ? { $ne: null, $lt: before }
            : { $gt: after.next_attempt_at, $lt: before },
      },
    ],
  };
  const found = await Promise.all(
    [DELIVERIES, NOTIFICATION_DELIVERIES].map((collection) =>
      deliveriesIn(db, { collection })
        .find(
          {
            $and: [
              { status: WAITS },
              { $or: [{ next_attempt_at: null }, { next_attempt_at: { $lt: before } }] },
              ...(behind ? [behind] : []),
            ],
            updated_at: { $lt: before },
            ...inRegion(region),
          },
          { hint: OVERDUE, projection: { search: 0 } },
        )
        .sort({ next_attempt_at: 1, _id: 1 })
        .limit(limit)
        .toArray(),
    ),
  );
  return found
    .flat()
    .map(deliveryOf)
    .toSorted(
      (one, other) =>
        (one.next_attempt_at?.getTime() ?? 0) - (other.next_attempt_at?.getTime() ?? 0) ||
        (one.event_id < other.event_id ? -1 : 1),
    )
    .slice(0, limit);
}
