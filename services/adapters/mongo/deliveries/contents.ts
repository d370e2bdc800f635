/**
 * When the contents of deliveries must be removed from the streams, and what a record shows after an
 * erasure (D44).
 */
import type { Db } from 'mongodb';

import type { AddressScope } from '../../../core/address/address.ts';
import type { Delivery } from '../../../core/delivery/delivery.ts';
import { FINAL_STATUSES } from '../../../core/delivery/delivery-view.ts';
import type { CollectionIndexes } from '../connection.ts';
import { DELIVERIES, type DeliveryDocument } from '../documents/delivery-documents.ts';

export const contentIndexes: CollectionIndexes = {
  collection: DELIVERIES,
  indexes: [
    {
      key: { content_until: 1 },
      name: 'contents',
      partialFilterExpression: { content_until: { $exists: true } },
    },
  ],
};

/** A content that must be removed, and where it is stored. */
export type EndedContent = Pick<
  Delivery,
  'event_id' | 'account_id' | 'address_id' | 'stored_at' | 'content_erased_at'
>;

export type DeliveryContents = {
  /** Contents whose retention ended before this time, first those that ended first. */
  ended(before: Date, limit: number): Promise<EndedContent[]>;
  markRemoved(eventIds: readonly string[]): Promise<void>;
  /**
   * Removes what the record of an ended delivery holds of its email. From then on dispatchers
   * discard every copy. Undefined when there is no such delivery, or it has not ended.
   */
  markErased(scope: AddressScope, eventId: string, now: Date): Promise<Delivery | undefined>;
};

export function createDeliveryContents(db: Db): DeliveryContents {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  return {
    ended: async function endedContents(before, limit) {
      const projection = { account_id: 1, address_id: 1, stored_at: 1, content_erased_at: 1 };
      const found = deliveries
        .find({ content_until: { $lt: before } }, { projection, limit })
        .sort({ content_until: 1 });
      return (await found.toArray()).map(({ _id, ...content }) => ({ event_id: _id, ...content }));
    },

    markRemoved: async function markRemoved(eventIds) {
      if (eventIds.length === 0) return;
      await deliveries.updateMany(
        { _id: { $in: [...eventIds] }, content_until: { $exists: true } },
        { $set: { payload_in: 'removed' }, $unset: { content_until: '' } },
      );
    },

    markErased: async function markErased({ account_id, environment }, eventId, now) {
      const withoutExcerpt = { $mergeObjects: ['$$this', { excerpt: null }] };
      const erased = await deliveries.findOneAndUpdate(
        { _id: eventId, account_id, environment, status: { $in: [...FINAL_STATUSES] } },
        [
          {
            $set: {
              mail_from: '',
              from: null,
              subject: null,
              recipients: '$$REMOVE',
              search: '$$REMOVE',
              attempts: { $map: { input: '$attempts', in: withoutExcerpt } },
              payload_in: 'removed',
              content_erased_at: { $ifNull: ['$content_erased_at', now] },
              content_until: now, // the janitor erases once more: see removableBefore
              updated_at: now,
            },
          },
        ],
        { returnDocument: 'after' },
      );
      if (erased === null) return undefined;
      const { _id, ...delivery } = erased;
      return { event_id: _id, ...delivery };
    },
  };
}
