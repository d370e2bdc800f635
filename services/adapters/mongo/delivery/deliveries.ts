/** Deliveries of emails and of notifications. Calls on one delivery take the `event_id` of either. */
import type { Db } from 'mongodb';

import type { Owned } from '../../../core/address/scope.ts';
import type { DeliveryState } from '../../../core/delivery/delivery.ts';
import type { DispatchEvent, Effect, Settlement } from '../../../core/delivery/delivery-event.ts';
import { DELIVERY_STATUSES } from '../../../core/delivery/delivery-view.ts';
import {
  addressIdOfEvent,
  type MailFacts,
  type StoredAt,
} from '../../../core/delivery/mail-event.ts';
import { firstIdAt } from '../../../core/id/ids.ts';
import {
  ATTEMPT_COUNT,
  BY_ADDRESS,
  byKind,
  DELIVERIES,
  deliveriesIn,
  type DeliveryDocument,
  inRegion,
} from '../documents/delivery-documents.ts';
import { createDeliveryLeases } from './leases.ts';
import { createDeliveryReads } from './read.ts';
import { createRecords } from './records.ts';
import { createDeliveryRequests } from './requests.ts';
import { createDeliveryUpkeep } from './upkeep.ts';

/** Repeats fold for a day at most. */
const EVENT_AT_WINDOW_MS = 86_400_000 + 3_600_000;
const EVENT_AT_MAX_MS = 1_000;

export type Deliveries = ReturnType<typeof createDeliveries>;

export const createDeliveries = (db: Db) => ({
  ...createDeliveryRecording(db),
  ...createDeliveryReads(db),
  ...createDeliveryRequests(db),
  ...createDeliveryUpkeep(db),
  ...createDeliveryLeases(db),
});

function createDeliveryRecording(db: Db) {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  const records = createRecords(db);
  return {
    /** The delivery states of these events; events without a record are absent. */
    states: async (eventIds: readonly string[]): Promise<Map<string, DeliveryState>> => {
      const found = await Promise.all(
        byKind(eventIds, (id) => id).map(([kind, ids]) =>
          deliveriesIn(db, kind)
            .aggregate<DeliveryState & { _id: string }>([
              { $match: { _id: { $in: ids } } },
              {
                $project: {
                  status: 1,
                  next_attempt_at: 1,
                  attempts: ATTEMPT_COUNT,
                  attempts_before_replay: 1,
                  began_at: 1,
                  revision: 1,
                  unread: '$offer',
                  content_erased_at: 1,
                  released_at: 1,
                  stored_files: 1,
                },
              },
            ])
            .toArray(),
        ),
      );
      return new Map(found.flat().map(({ _id, ...state }) => [_id, state]));
    },

    /**
     * The id of the email that was stored there. The address of this event received it in the day
     * before the event.
     */
    eventAt: async (
      {
        account_id,
        environment,
        address_id,
        received_at_ms,
      }: Pick<MailFacts, 'account_id' | 'environment' | 'address_id' | 'received_at_ms'>,
      stored_at: StoredAt,
    ): Promise<string | undefined> => {
      const since = new Date(received_at_ms - EVENT_AT_WINDOW_MS);
      const found = await deliveries.findOne(
        {
          account_id,
          environment,
          address_id,
          status: { $in: [...DELIVERY_STATUSES] },
          _id: { $gte: firstIdAt('evt', since) },
          'stored_at.partition': stored_at.partition,
          'stored_at.sequence': stored_at.sequence,
          ...inRegion(stored_at.region),
        },
        { projection: { _id: 1 }, hint: BY_ADDRESS, maxTimeMS: EVENT_AT_MAX_MS },
      );
      return found?._id;
    },

    /**
     * The account and address of an email, for what is not bound to an account: a link, whose signature
     * is the permission. Undefined for an email without a record.
     */
    placeOf: async (eventId: string): Promise<(Owned & { address_id: string }) | undefined> => {
      const projection = { account_id: 1, environment: 1, address_id: 1, email: 1 };
      const found = await deliveries.findOne({ _id: eventId }, { projection });
      if (found === null) return undefined;
      const { account_id, environment } = found;
      return { account_id, environment, address_id: addressIdOfEvent(found) };
    },

    /**
     * Writes all changes and their counters, or none. Each event may appear once. A repetition of
     * changes that were written changes nothing: an error can hide that MongoDB wrote them.
     * @returns how each message is settled, by the id of its event; absent for an email to be attempted
     */
    record: async (
      events: readonly DispatchEvent[],
      now: Date,
    ): Promise<Map<string, Settlement>> => {
      const changes = events.map((event) => ({ eventId: event.mail.event_id, event }));
      const written = await records.write(changes, now);
      return new Map(
        [...written].flatMap(([id, { effects }]) => {
          const settlement = effects.find(isSettlement);
          return settlement ? [[id, settlement] as const] : [];
        }),
      );
    },
  };
}

const SETTLEMENTS = new Set(['acknowledge', 'retry', 'keep', 'redeliver']);
const isSettlement = (effect: Effect): effect is Settlement => SETTLEMENTS.has(effect.kind);
