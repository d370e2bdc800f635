/**
 * What requests and sweeps change of records that exist: when a delivery is attempted (D165), that it
 * ends or begins again, and that its content is erased. Each raises the revision, so that a message
 * which exists nevertheless makes no attempt.
 */
import type { Db } from 'mongodb';

import type { AddressScope, Owned } from '../../../core/address/scope.ts';
import { type Delivery, revisionOf } from '../../../core/delivery/delivery.ts';
import type { RequestEvent } from '../../../core/delivery/delivery-event.ts';
import { DELIVERY_STATUSES } from '../../../core/delivery/delivery-view.ts';
import { Environment } from '../../../core/resource/environment.ts';
import type { EventOrigin } from '../../../core/event/usage-event.ts';
import {
  DELIVERIES,
  deliveriesIn,
  NOTIFICATION_DELIVERIES,
} from '../documents/delivery-documents.ts';
import { createMarks, type EmailDecision } from './marks.ts';
import { type Changed, createRecords } from './records.ts';

const ENDED_TOGETHER = 100;
const ENDED_BY_CLOSING = ['pending', 'retrying', 'held'] as const;

export function createDeliveryRequests(db: Db) {
  const records = createRecords(db);
  const marks = createMarks(db);

  const ask = async (
    scope: AddressScope,
    eventId: string,
    event: RequestEvent,
    now: Date,
  ): Promise<Delivery | undefined> =>
    changedIn(await records.write([{ eventId, event }], now, scope)).get(eventId);

  /** @returns the record if it changed: it was still as it was read */
  const sweep = async (delivery: Delivery, where: 'stored' | 'nowhere', now: Date) => {
    const { event_id: eventId } = delivery;
    const event = { kind: 'found_overdue', where, revision: revisionOf(delivery) } as const;
    const changed = (await records.write([{ eventId, event }], now)).get(eventId);
    return changed?.record === changed?.before ? undefined : changed?.record;
  };

  return {
    /**
     * Resets deliveries that have ended, or are overdue, to the start of their schedule. Others are
     * unchanged. Resolves with the new revision of each: the caller puts a message of it into the RETRY
     * lane.
     */
    markReplayed: async (
      replays: readonly { event_id: string; dueAt: Date }[],
      now: Date,
      by: EventOrigin = {},
    ): Promise<ReadonlyMap<string, number>> => {
      const changes = replays.map(({ event_id: eventId, dueAt }) => ({
        eventId,
        event: { kind: 'replayed', by, dueAt } as const,
      }));
      const changed = changedIn(await records.write(changes, now));
      return new Map([...changed].map(([id, record]) => [id, revisionOf(record)]));
    },

    /** The next attempt is due now. undefined when the delivery neither sleeps nor is overdue. */
    makeDue: (scope: AddressScope, eventId: string, now: Date, by: EventOrigin = {}) =>
      ask(scope, eventId, { kind: 'retry_asked', by, dueAt: now }, now),

    /**
     * The next attempt is due at the given time, or earlier if it was. Resolves with the ids of those
     * that slept.
     */
    makeManyDue: async (
      sleepers: readonly (Pick<Delivery, 'event_id' | 'revision'> & { dueAt: Date })[],
      now: Date,
      by: EventOrigin = {},
    ): Promise<ReadonlySet<string>> => {
      const changes = sleepers.map(({ event_id: eventId, dueAt, ...read }) => ({
        eventId,
        event: { kind: 'retry_asked', by, dueAt, revision: revisionOf(read) } as const,
      }));
      return new Set(changedIn(await records.write(changes, now)).keys());
    },

    /** Held deliveries become dropped; others are unchanged. */
    dropHeld: async (
      scope: AddressScope,
      eventIds: readonly string[],
      now: Date,
      by: EventOrigin = {},
    ): Promise<void> => {
      const event = { kind: 'drop_asked', by, at: now } as const;
      const changes = eventIds.map((eventId) => ({ eventId, event }));
      await records.write(changes, now, scope);
    },

    /** Ends the delivery as failed. undefined when it neither sleeps nor is overdue. */
    cancel: (scope: AddressScope, eventId: string, by: EventOrigin, now: Date) =>
      ask(scope, eventId, { kind: 'canceled', by }, now),

    /**
     * Removes the content of the email from the record of an ended delivery. From then on, dispatchers
     * discard every copy. Undefined when there is no such delivery, or it has not ended.
     */
    markErased: async (
      scope: AddressScope,
      eventId: string,
      now: Date,
    ): Promise<Delivery | undefined> => {
      const event = { kind: 'erased', by: {}, ends: 'nothing' } as const;
      const written = await records.write([{ eventId, event }], now, scope);
      const { record, effects = [] } = written.get(eventId) ?? {};
      return effects.some(({ kind }) => kind === 'remove_content') ? record : undefined;
    },

    /** @returns the new revision; undefined when the record has changed since it was read */
    markRequeued: async (delivery: Delivery, now: Date): Promise<number | undefined> => {
      const record = await sweep(delivery, 'stored', now);
      return record && revisionOf(record);
    },

    /** Ends it as failed. @returns whether the record was still as it was read */
    endOverdue: async (delivery: Delivery, now: Date): Promise<boolean> =>
      (await sweep(delivery, 'nowhere', now)) !== undefined,

    /** An erasure is never taken back; of the others, the last one counts. */
    markEmail: (
      { account_id, environment }: Owned,
      _id: string,
      decision: EmailDecision,
      by: EventOrigin,
      at: Date,
    ): Promise<void> => marks.write({ _id, account_id, environment, decision, by, at }),

    /**
     * Ends all that waits of an account, or is held, now and when it is recorded later. A repeated call
     * completes one that failed halfway.
     * @param isErased the contents as well: a dispatcher removes what is stored
     * @returns the number of deliveries that have ended
     */
    endAll: async (account_id: string, isErased: boolean, at: Date): Promise<number> => {
      await marks.write({
        _id: account_id,
        account_id,
        decision: isErased ? 'erased' : 'closed',
        at,
      });
      const open = {
        account_id,
        environment: { $in: [...Environment.options] },
        status: { $in: [...(isErased ? DELIVERY_STATUSES : ENDED_BY_CLOSING)] },
        ...(isErased && {
          // held email may have been erased before
          $or: [{ content_erased_at: { $exists: false } }, { status: { $in: ENDED_BY_CLOSING } }],
        }),
      };
      const event = { kind: 'closed', by: {}, isErased } as const;
      const limits = { projection: { _id: 1 }, limit: ENDED_TOGETHER };
      let count = 0;
      for (const collection of [DELIVERIES, NOTIFICATION_DELIVERIES])
        for (;;) {
          const found = await deliveriesIn(db, { collection }).find(open, limits).toArray();
          if (found.length === 0) break;
          const changes = found.map(({ _id: eventId }) => ({ eventId, event }));
          for (const { effects } of (await records.write(changes, at)).values())
            if (effects.some(({ kind }) => kind === 'keep')) count++;
        }
      return count;
    },
  };
}

/** The records that have changed. */
const changedIn = (written: ReadonlyMap<string, Changed>): Map<string, Delivery> =>
  new Map(
    [...written].flatMap(([id, { before, record }]) =>
      record === before ? [] : [[id, record] as const],
    ),
  );
