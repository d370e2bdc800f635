/**
 * What a request decided about all deliveries of an email, also those that are recorded later (D168): a
 * mark by the id of the email, or of its account, which was closed (D289). A dispatcher finds it in the
 * transaction that makes a record, and looks once more after that, for a request that could not see the
 * record yet.
 */
import type { ClientSession, Collection, Db } from 'mongodb';

import type { Owned } from '../../../core/address/scope.ts';
import { Environment } from '../../../core/environment.ts';
import { type DeliveryStatus, tallyOf } from '../../../core/delivery/delivery.ts';
import { DELIVERY_STATUSES } from '../../../core/delivery/delivery-view.ts';
import type { EventOrigin } from '../../../core/event/usage-event.ts';
import { emailOf, type MailEvent } from '../../../core/delivery/mail-event.ts';
import type { CollectionIndexes } from '../database/connection.ts';
import { transaction } from '../database/transaction.ts';
import {
  DELIVERIES,
  deliveriesIn,
  type DeliveryDocument,
  deliveryKind,
  NOTIFICATION_DELIVERIES,
} from '../documents/delivery-documents.ts';
import { erased } from './contents.ts';
import { createCountEnd } from './overdue-deliveries.ts';
import { createAddUsage, createUsageSums } from '../usage/counters.ts';
import { withRequest } from './requests.ts';
import { nextRevision } from './schedule.ts';

export type EmailDecision = 'erased' | 'released' | 'dropped';

type EmailMark = Pick<Owned, 'account_id'> & {
  /** The event of the email at its address, or the account. */
  _id: string;
  /** `closed`: nothing of the account waits any more. */
  decision: EmailDecision | 'closed';
  at: Date;
  /** Absent in marks of earlier releases. */
  by?: EventOrigin;
};

const EMAIL_MARKS = 'email_marks';
/** An email can wait in its stream as long as no dispatcher runs. */
const KEPT_SECONDS = 90 * 86_400;

export const emailMarkIndexes: CollectionIndexes = {
  collection: EMAIL_MARKS,
  indexes: [{ key: { at: 1 }, name: 'marks_go', expireAfterSeconds: KEPT_SECONDS }],
};

export type EmailMarks = {
  /** An erasure is never taken back; of the others, the last one counts. */
  markEmail(
    of: Owned,
    emailId: string,
    decision: EmailDecision,
    by: EventOrigin,
    now: Date,
  ): Promise<void>;
  /**
   * Ends all that waits of an account, or is held, now and when it is recorded later. A repeated call
   * completes one that failed halfway.
   * @param isErased the contents as well: a dispatcher removes what is stored
   * @returns the number of deliveries that have ended
   */
  endAll(accountId: string, isErased: boolean, now: Date): Promise<number>;
};

export const createEmailMarks = (db: Db): EmailMarks => ({
  markEmail: async function markEmail({ account_id, environment }, _id, decision, by, at) {
    await db.collection<EmailMark>(EMAIL_MARKS).updateOne(
      { _id, account_id },
      [
        {
          $set: {
            environment,
            at,
            by: { $literal: by },
            ...unlessErased(decision),
          },
        },
      ],
      { upsert: true },
    );
  },
  endAll: async function endAll(account_id, isErased, at) {
    const decision = isErased ? 'erased' : 'closed';
    await db
      .collection<EmailMark>(EMAIL_MARKS)
      .updateOne({ _id: account_id }, [{ $set: { account_id, at, ...unlessErased(decision) } }], {
        upsert: true,
      });
    const statuses = isErased ? DELIVERY_STATUSES : ENDED_BY_CLOSING;
    const open = {
      account_id,
      environment: { $in: [...Environment.options] },
      status: { $in: [...statuses] },
      ...(isErased && { content_erased_at: { $exists: false } }),
    };
    const end = createEnd(db);
    const endSome = async (ids: readonly string[]): Promise<number> =>
      transaction(db, async (session) => {
        let count = 0;
        for (const id of ids) {
          const before = await end(id, ENDED_BY_CLOSING, isErased, at, session);
          if (before && ENDED_BY_CLOSING.includes(before.status)) count++;
        }
        return count;
      });
    const limits = { projection: { _id: 1 }, limit: ENDED_TOGETHER };
    let count = 0;
    for (const collection of [DELIVERIES, NOTIFICATION_DELIVERIES])
      for (;;) {
        const found = await deliveriesIn(db, { collection }).find(open, limits).toArray();
        if (found.length === 0) break;
        count += await endSome(found.map(({ _id }) => _id));
      }
    return count;
  },
});

const unlessErased = (decision: EmailMark['decision']) => ({
  decision: { $cond: [{ $eq: ['$decision', 'erased'] }, 'erased', decision] },
});

const ENDED_TOGETHER = 100;
const ENDED_BY_ERASURE: readonly DeliveryStatus[] = ['pending', 'retrying'];
const ENDED_BY_CLOSING: readonly DeliveryStatus[] = [...ENDED_BY_ERASURE, 'held'];

/** Ends a record without an attempt, if it has one of these statuses, and erases its content where asked. */
function createEnd(db: Db) {
  const countEnd = createCountEnd(db);
  return async function end(
    _id: string,
    statuses: readonly DeliveryStatus[],
    isErased: boolean,
    now: Date,
    session: ClientSession,
  ): Promise<DeliveryDocument | null> {
    const kind = deliveryKind(_id);
    const isWaiting = { $in: ['$status', statuses] };
    const ended = {
      status: { $cond: [isWaiting, 'failed', '$status'] },
      canceled_at: { $cond: [isWaiting, now, { $ifNull: ['$canceled_at', '$$REMOVE'] }] },
      next_attempt_at: null,
      offer: '$$REMOVE',
      updated_at: now,
    };
    const before = await deliveriesIn(db, kind).findOneAndUpdate(
      isErased
        ? { _id, content_erased_at: { $exists: false } }
        : { _id, status: { $in: [...statuses] } },
      [{ $set: { ...ended, ...(isErased && erased(now)), ...nextRevision } }],
      { session, returnDocument: 'before' },
    );
    if (before !== null && statuses.includes(before.status))
      await countEnd(kind, before, 'canceled', {}, now, session);
    return before;
  };
}

const HELD = { 'ruling.action': { $exists: true }, released_at: { $exists: false } };

const idsOf = (events: readonly MailEvent[]) => [
  ...new Set(events.flatMap((event) => [emailOf(event).event_id, event.account_id])),
];

/** The marks of emails whose records were just made. */
export function createNewRecordMarks(db: Db) {
  const marks = db.collection<EmailMark>(EMAIL_MARKS);
  const end = createEnd(db);
  const addUsage = createAddUsage(db);

  /** Whether there was a record. */
  const counted = async (
    before: DeliveryDocument | null,
    after: DeliveryStatus,
    session: ClientSession,
  ): Promise<boolean> => {
    if (before === null) return false;
    const sums = createUsageSums();
    sums.add(before, tallyOf(before.status, after, before.email !== undefined));
    await addUsage(sums, session);
    return true;
  };

  const apply = async (
    records: Collection<DeliveryDocument>,
    _id: string,
    { _id: of, account_id, decision, at, by = {} }: EmailMark,
    now: Date,
    session: ClientSession,
  ): Promise<boolean> => {
    const options = { session, returnDocument: 'before' as const };
    const updated_at = now;
    if (decision === 'released') {
      const requests = withRequest(decision, by, at);
      const pending = { status: 'pending', released_at: at, next_attempt_at: null, updated_at };
      const before = await records.findOneAndUpdate(
        { _id, ...HELD, status: { $in: ['held', 'dropped', 'pending'] } },
        [{ $set: { ...pending, requests, ...nextRevision } }],
        options,
      );
      return counted(before, 'pending', session);
    }
    if (decision === 'dropped') {
      const requests = withRequest(decision, by, at);
      const before = await records.findOneAndUpdate(
        { _id, ...HELD, status: { $in: ['held', 'pending'] } },
        [{ $set: { status: 'dropped', requests, updated_at } }],
        options,
      );
      return counted(before, 'dropped', session);
    }
    const statuses = of === account_id ? ENDED_BY_CLOSING : ENDED_BY_ERASURE;
    return (await end(_id, statuses, decision === 'erased', now, session)) !== null;
  };

  return {
    exist: async (events: readonly MailEvent[]): Promise<boolean> =>
      events.length > 0 && (await marks.findOne({ _id: { $in: idsOf(events) } })) !== null,

    /** @returns ids of the events whose record a mark changed */
    apply: async (
      events: readonly MailEvent[],
      now: Date,
      session: ClientSession,
    ): Promise<Set<string>> => {
      const changed = new Set<string>();
      if (events.length === 0) return changed;
      const found = marks.find({ _id: { $in: idsOf(events) } }, { session });
      const byId = new Map((await found.toArray()).map((mark) => [mark._id, mark]));
      for (const event of events) {
        const records = deliveriesIn(db, deliveryKind(event.event_id));
        for (const id of [emailOf(event).event_id, event.account_id]) {
          const mark = byId.get(id);
          if (mark?.account_id !== event.account_id) continue;
          if (await apply(records, event.event_id, mark, now, session)) changed.add(event.event_id);
        }
      }
      return changed;
    },
  };
}
