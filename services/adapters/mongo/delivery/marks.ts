/**
 * What a request decided about all deliveries of an email, also those that are recorded later (D168): a
 * mark by the id of the email, or of its account, which was closed (D289). A dispatcher finds it when it
 * makes a record, and looks once more after that, for a request that could not see the record yet.
 */
import type { Db } from 'mongodb';

import type { Owned } from '../../../core/address/scope.ts';
import type { RequestEvent } from '../../../core/delivery/delivery-event.ts';
import type { EventOrigin } from '../../../core/event/usage-event.ts';
import { emailOf, type MailEvent } from '../../../core/delivery/mail-event.ts';
import type { CollectionIndexes } from '../database/connection.ts';
import { isDuplicateKey } from '../database/errors.ts';

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

export function createMarks(db: Db) {
  const marks = db.collection<EmailMark>(EMAIL_MARKS);
  return {
    /** An erasure is never taken back; of the others, the last one counts. */
    write: async ({ _id, account_id, ...decided }: EmailMark & Partial<Owned>): Promise<void> => {
      const unlessErased = decided.decision !== 'erased' && {
        decision: { $ne: 'erased' as const },
      };
      const filter = { _id, account_id, ...unlessErased };
      try {
        await marks.updateOne(filter, { $set: decided }, { upsert: true });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error; // it was erased
      }
    },

    /** What requests have decided about emails that get a record now, by the ids of their events. */
    decisionsOf: async (
      mails: readonly MailEvent[],
    ): Promise<ReadonlyMap<string, readonly RequestEvent[]>> => {
      if (mails.length === 0) return new Map();
      const _id = { $in: [...new Set(mails.flatMap(idsOf))] };
      const found = await marks.find({ _id }).toArray();
      if (found.length === 0) return new Map();
      const byId = new Map(found.map((mark) => [mark._id, mark]));
      return new Map(
        mails.map((mail) => [
          mail.event_id,
          idsOf(mail).flatMap((id) => {
            const mark = byId.get(id);
            return mark?.account_id === mail.account_id ? [requestOf(mark)] : [];
          }),
        ]),
      );
    },
  };
}

/** The ids of marks that are for it. */
const idsOf = (mail: MailEvent) => [emailOf(mail).event_id, mail.account_id];

function requestOf({ _id, account_id, decision, at, by = {} }: EmailMark): RequestEvent {
  if (decision === 'released') return { kind: 'released', by, at };
  if (decision === 'dropped') return { kind: 'drop_asked', by, at };
  return decision === 'erased' && _id !== account_id
    ? { kind: 'erased', by: {}, ends: 'waiting' }
    : { kind: 'closed', by: {}, isErased: decision === 'erased' };
}
