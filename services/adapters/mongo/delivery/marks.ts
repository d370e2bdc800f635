/**
 * What a request decided about all deliveries of an email, also those that are recorded later (D168): a
 * mark by the id of the email. A dispatcher finds it in the transaction that makes a record, and looks
 * once more after that, for a request that could not see the record yet.
 */
import type { ClientSession, Collection, Db } from 'mongodb';

import type { Owned } from '../../../core/address/scope.ts';
import { type DeliveryStatus, tallyOf } from '../../../core/delivery/delivery.ts';
import type { EventOrigin } from '../../../core/event/usage-event.ts';
import { emailOf, type MailEvent } from '../../../core/delivery/mail-event.ts';
import type { CollectionIndexes } from '../database/connection.ts';
import {
  deliveriesIn,
  type DeliveryDocument,
  deliveryKind,
} from '../documents/delivery-documents.ts';
import { erased } from './contents.ts';
import { createCountEnd } from './overdue-deliveries.ts';
import { createAddUsage, createUsageSums } from '../usage/counters.ts';
import { withRequest } from './requests.ts';
import { nextRevision } from './schedule.ts';

export type EmailDecision = 'erased' | 'released' | 'dropped';

type EmailMark = Owned & {
  /** The event of the email at its address. */
  _id: string;
  decision: EmailDecision;
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
            decision: { $cond: [{ $eq: ['$decision', 'erased'] }, 'erased', decision] },
          },
        },
      ],
      { upsert: true },
    );
  },
});

const HELD = { 'ruling.action': { $exists: true }, released_at: { $exists: false } };

const idsOf = (events: readonly MailEvent[]) => events.map((event) => emailOf(event).event_id);

/** The marks of emails whose records were just made. */
export function createNewRecordMarks(db: Db) {
  const marks = db.collection<EmailMark>(EMAIL_MARKS);
  const countEnd = createCountEnd(db);
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
    { decision, at, by = {} }: EmailMark,
    now: Date,
    session: ClientSession,
  ): Promise<boolean> => {
    const options = { session, returnDocument: 'before' as const };
    const updated_at = now;
    const requests = decision !== 'erased' && withRequest(decision, by, at);
    if (decision === 'released') {
      const pending = { status: 'pending', released_at: at, next_attempt_at: null, updated_at };
      const before = await records.findOneAndUpdate(
        { _id, ...HELD, status: { $in: ['held', 'dropped', 'pending'] } },
        [{ $set: { ...pending, requests, ...nextRevision } }],
        options,
      );
      return counted(before, 'pending', session);
    }
    if (decision === 'dropped') {
      const before = await records.findOneAndUpdate(
        { _id, ...HELD, status: { $in: ['held', 'pending'] } },
        [{ $set: { status: 'dropped', requests, updated_at } }],
        options,
      );
      return counted(before, 'dropped', session);
    }
    const isWaiting = { $in: ['$status', ['pending', 'retrying']] };
    const ended = {
      status: { $cond: [isWaiting, 'failed', '$status'] },
      canceled_at: { $cond: [isWaiting, now, { $ifNull: ['$canceled_at', '$$REMOVE'] }] },
      next_attempt_at: null,
    };
    const before = await records.findOneAndUpdate(
      { _id, content_erased_at: { $exists: false } },
      [{ $set: { ...ended, ...erased(now), ...nextRevision } }],
      options,
    );
    if (before !== null && (before.status === 'pending' || before.status === 'retrying'))
      await countEnd(deliveryKind(_id), before, 'canceled', {}, now, session);
    return before !== null;
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
        const mark = byId.get(emailOf(event).event_id);
        if (mark?.account_id !== event.account_id) continue;
        const records = deliveriesIn(db, deliveryKind(event.event_id));
        if (await apply(records, event.event_id, mark, now, session)) changed.add(event.event_id);
      }
      return changed;
    },
  };
}
