/**
 * Finds emails whose contents must be removed from the streams, and notes the removal in their
 * records (D44). Notifications have no content.
 */
import type { Db } from 'mongodb';

import type { AddressScope, Owned } from '../../../core/address/scope.ts';
import type { FileDeletion } from '../../../core/bucket/file-deletion.ts';
import type { StorageOrder, StoredFiles } from '../../../core/bucket/stored-files.ts';
import type { Delivery } from '../../../core/delivery/delivery.ts';
import { FINAL_STATUSES } from '../../../core/delivery/delivery-view.ts';
import { TEXT_TERM } from '../../../core/delivery/search-terms.ts';
import { DELIVERIES, type DeliveryDocument, deliveryOf } from '../documents/delivery-documents.ts';
import { inRegion, inScope } from './delivery-scope.ts';

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

export type DeliveryContents = {
  /** Ids of events delivered before this time whose payloads are still in the bucket of this region. */
  bodiesToRemove(
    deliveredBefore: Date,
    limit: number,
    region: string | undefined,
  ): Promise<string[]>;
  bodiesRemoved(eventIds: readonly string[]): Promise<void>;
  /** Contents of this region whose retention ended before this time, in the order in which it ended. */
  endedContents(before: Date, limit: number, region: string | undefined): Promise<EndedContent[]>;
  contentsRemoved(eventIds: readonly string[]): Promise<void>;
  /**
   * Removes the words of texts that were to be searched until before this time, of this many emails
   * at most.
   * @returns the number of emails
   */
  forgetTexts(before: Date, limit: number): Promise<number>;
  /**
   * Removes the content of the email from the record of an ended delivery. From then on, dispatchers
   * discard every copy. Undefined when there is no such delivery, or it has not ended.
   */
  markErased(scope: AddressScope, eventId: string, now: Date): Promise<Delivery | undefined>;
  /** Files in buckets whose deletion is due. */
  filesToDelete(dueBefore: Date, limit: number): Promise<FilesToDelete[]>;
  filesDeleted(eventId: string): Promise<void>;
  filesNotDeleted(eventId: string, next: FileDeletion): Promise<void>;
};

const withoutExcerpt = {
  $unsetField: { field: 'location', input: { $mergeObjects: ['$$this', { excerpt: null }] } },
};
/** Removes the words of the text from the search of a record. */
const WITHOUT_TEXT = {
  $unset: { 'search.text_until': '' },
  $pull: { 'search.terms': { $regex: `^${TEXT_TERM}` } },
} as const;
const exists = (field: string) => ({ $ne: [{ $type: field }, 'missing'] });

/** The fields of a record without the content of its email, for `$set` in a pipeline. */
export const erased = (now: Date) => ({
  mail_from: '',
  from: null,
  subject: null,
  recipients: '$$REMOVE',
  thread_id: '$$REMOVE',
  report: '$$REMOVE', // of records of earlier releases
  search: '$$REMOVE',
  ruling: '$$REMOVE', // its facts
  attempt_headers: '$$REMOVE',
  attempts: { $map: { input: '$attempts', in: withoutExcerpt } },
  payload_in: 'removed',
  content_erased_at: { $ifNull: ['$content_erased_at', now] },
  content_until: now, // the janitor erases once more: see removableBefore
  // also files of an upload that stopped half-way
  file_deletion: {
    $cond: [
      { $or: [exists('$stored_files'), exists('$storage_order')] },
      { $ifNull: ['$file_deletion', { at: now, failures: 0 }] },
      '$$REMOVE',
    ],
  },
  updated_at: now,
});

export function createDeliveryContents(db: Db): DeliveryContents {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  return {
    bodiesToRemove: async function bodiesToRemove(deliveredBefore, limit, region) {
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

    bodiesRemoved: async function bodiesRemoved(eventIds) {
      if (eventIds.length > 0)
        await deliveries.updateMany(
          { _id: { $in: [...eventIds] } },
          { $set: { payload_in: 'removed' } },
        );
    },

    endedContents: async function endedContents(before, limit, region) {
      const projection = { account_id: 1, address_id: 1, stored_at: 1, content_erased_at: 1 };
      const found = deliveries
        .find({ content_until: { $lt: before }, ...inRegion(region) }, { projection, limit })
        .sort({ content_until: 1 });
      return (await found.toArray()).map(({ _id, ...content }) => ({ event_id: _id, ...content }));
    },

    contentsRemoved: async function contentsRemoved(eventIds) {
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

    forgetTexts: async function forgetTexts(before, limit) {
      const found = await deliveries
        .find({ 'search.text_until': { $lt: before } }, { projection: { _id: 1 }, limit })
        .toArray();
      if (found.length > 0)
        await deliveries.updateMany({ _id: { $in: found.map(({ _id }) => _id) } }, WITHOUT_TEXT);
      return found.length;
    },

    markErased: async function markErased(scope, eventId, now) {
      const found = await deliveries.findOneAndUpdate(
        { _id: eventId, ...inScope(scope), status: { $in: [...FINAL_STATUSES] } },
        [{ $set: erased(now) }],
        { returnDocument: 'after' },
      );
      return found === null ? undefined : deliveryOf(found);
    },

    filesToDelete: async function filesToDelete(dueBefore, limit) {
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

    filesDeleted: async function filesDeleted(eventId) {
      await deliveries.updateOne(
        { _id: eventId },
        { $unset: { stored_files: '', storage_order: '', file_deletion: '' } },
      );
    },

    filesNotDeleted: async function filesNotDeleted(eventId, next) {
      await deliveries.updateOne(
        { _id: eventId, file_deletion: { $exists: true } }, // another dispatcher may have deleted them
        { $set: { file_deletion: next } },
      );
    },
  };
}
