/** Reads the newest events of an account for the stream, with the deliveries of webhook events. */
import type { Db } from 'mongodb';

import { type AddressScope, ownedBy, reaches } from '../../../core/address/scope.ts';
import type { UsageEvent } from '../../../core/event/usage-event.ts';
import type { Delivery } from '../../../core/delivery/delivery.ts';
import { DELIVERY_STATUSES } from '../../../core/delivery/delivery-view.ts';
import { LIVE_USAGE_EVENTS } from '../../../core/event/live-event.ts';
import { firstIdAt } from '../../../core/id/ids.ts';
import {
  ATTEMPT_COUNT,
  BY_ADDRESS,
  DELIVERIES,
  type DeliveryDocument,
  deliveryOf,
} from '../documents/delivery-documents.ts';
import { eventsInScope, type StoredUsageEvent, USAGE_EVENTS } from './events.ts';

type RecentEvent = { event: UsageEvent; delivery: Delivery | undefined };

export type RecentEvents = {
  /**
   * The events after this time that the stream sends, oldest first. The newest ones when there are
   * more than `limit`.
   * @param known ids of events that are not needed
   */
  read(
    scope: AddressScope,
    after: Date,
    limit: number,
    known?: ReadonlySet<string>,
  ): Promise<{ events: RecentEvent[]; isComplete: boolean }>;
  /** The recorded deliveries of the first emails that this address received since then, in order. */
  since(scope: AddressScope, addressId: string, from: Date, limit: number): Promise<Delivery[]>;
};

const TYPES = Object.keys(LIVE_USAGE_EVENTS) as UsageEvent['type'][];

/** An event describes one of the last attempts. Up to 1,000 records are read at once. */
const LAST_ATTEMPTS = { $slice: ['$attempts', -10] };

export function createRecentEvents(db: Db): RecentEvents {
  const events = db.collection<StoredUsageEvent>(USAGE_EVENTS);
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  return {
    read: async function readRecentEvents(scope, after, limit, known = new Set()) {
      const { query, hint } = eventsInScope(scope);
      const newest = await events
        .find({ ...query, type: { $in: TYPES }, timestamp: { $gt: after } }, { hint })
        .sort({ timestamp: -1, _id: -1 })
        .limit(limit + 1)
        .toArray();
      const needed = newest.slice(0, limit).filter(({ _id }) => !known.has(_id));
      const ids = new Set(
        needed.map(({ data }) => data.event_id).filter((id) => typeof id === 'string'),
      );
      const found =
        ids.size === 0
          ? []
          : await deliveries
              .aggregate<DeliveryDocument>([
                { $match: { _id: { $in: [...ids] } } },
                { $set: { attempt_count: ATTEMPT_COUNT, attempts: LAST_ATTEMPTS } },
                { $unset: 'search' },
              ])
              .toArray();
      const byId = new Map(
        found.map((stored): [string, Delivery] => [stored._id, deliveryOf(stored)]),
      );
      return {
        events: needed.toReversed().map(({ _id, ...event }) => ({
          event: { id: _id, ...event },
          delivery: byId.get(String(event.data.event_id)),
        })),
        isComplete: newest.length <= limit,
      };
    },
    since: async function deliveriesSince(scope, address_id, from, limit) {
      if (!reaches(scope, address_id)) return [];
      const found = await deliveries
        .find(
          {
            address_id,
            ...ownedBy(scope),
            status: { $in: [...DELIVERY_STATUSES] },
            _id: { $gte: firstIdAt('evt', from) },
          },
          { hint: BY_ADDRESS },
        )
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(deliveryOf);
    },
  };
}
