/**
 * What follows from changes of delivery records, in their transaction: counters of usage and of
 * receivers, whether a receiver fails, and the audit trail.
 */
import type { AnyBulkWriteOperation, ClientSession, Db } from 'mongodb';

import type { ExpectedEmail } from '../../../core/address/expectation.ts';
import type { Owned } from '../../../core/address/scope.ts';
import type { Attempt } from '../../../core/delivery/delivery.ts';
import type {
  DeliveryEvent,
  DeliveryRecord,
  Effect,
  Note,
} from '../../../core/delivery/delivery-event.ts';
import { receiverNews } from '../../../core/delivery/failing.ts';
import { addressIdOfEvent, furtherReceiverFields } from '../../../core/delivery/mail-event.ts';
import { createUsageEvents, type NewUsageEvent } from '../audit/events.ts';
import { collectionOfReceiver, type DeliveryKind } from '../documents/delivery-documents.ts';
import { createAddUsage, createUsageSums } from '../usage/counters.ts';

/** An event, the record after it, and what must follow. */
export type Happened = {
  event: DeliveryEvent;
  record: DeliveryRecord;
  effects: readonly Effect[];
};

/** The fields of an address, or another receiver, that deliveries change. */
type ReceiverDocument = Owned & {
  _id: string;
  /** Absent for an address. */
  address_id?: string;
  email_count: number;
  failing_since?: Date;
  failing_noticed_at?: Date;
  failing_reason?: string;
  gone_at?: Date;
  expect_since?: Date;
  silent_at?: Date | null;
};
type ReceiverWrite = AnyBulkWriteOperation<ReceiverDocument>;

type News = { received: number; attempts: Attempt[]; expected: ExpectedEmail | undefined };

export function createFollowing(db: Db) {
  const addUsage = createAddUsage(db);
  const events = createUsageEvents(db);

  /** The receivers marked as failing among those that have accepted a webhook. */
  const recoveredBy = async (ids: readonly string[], now: Date, session: ClientSession) => {
    const recovered: NewUsageEvent[] = [];
    for (const [collection, inIt] of Map.groupBy(ids, collectionOfReceiver)) {
      const found = db
        .collection<ReceiverDocument>(collection)
        .find(
          { _id: { $in: inIt }, failing_noticed_at: { $exists: true } },
          { session, projection: { account_id: 1, environment: 1, address_id: 1 } },
        );
      for (const { _id, account_id, environment, address_id } of await found.toArray())
        recovered.push({
          account_id,
          environment,
          type: 'address.recovered',
          address_id: address_id ?? _id,
          timestamp: now,
          data: { reason: 'delivered', ...(address_id !== undefined && { receiver_id: _id }) },
        });
    }
    return recovered;
  };

  /** Two parts: usage is written before the records, and all else after them. */
  return (
    { isEmail }: DeliveryKind,
    changes: readonly Happened[],
    now: Date,
    session: ClientSession,
  ) => {
    const usage = createUsageSums();
    const receivers = new Map<string, News>();
    const notes: NewUsageEvent[] = [];
    for (const { event, record, effects } of changes)
      for (const effect of effects) {
        if (effect.kind !== 'count' && effect.kind !== 'note') continue;
        const id = record.address_id;
        const of = receivers.get(id) ?? { received: 0, attempts: [], expected: undefined };
        receivers.set(id, of);
        if (effect.kind === 'note') {
          if (isEmail) notes.push(usageEvent(record, effect.as, now));
          if ('attempt' in effect.as) of.attempts.push(effect.as.attempt);
        } else {
          if (isEmail) usage.add(record, effect.tally);
          if (isEmail) of.received += effect.tally.received;
          const expected = 'mail' in event ? event.mail.expected : undefined;
          if (effect.tally.received > 0 && expected) of.expected = latest(expected, of.expected);
        }
      }
    return {
      count: () => addUsage(usage, session),
      tell: async () => {
        const news = [...receivers].map(([id, one]) => ({
          id,
          ...one,
          ...receiverNews(one.attempts),
        }));
        const accepted = news.flatMap(({ id, hasAccepted }) => (hasAccepted ? [id] : []));
        const recovered = await recoveredBy(accepted, now, session);
        for (const [collection, its] of Map.groupBy(news, ({ id }) => collectionOfReceiver(id))) {
          const writes = its.flatMap(receiverWrites);
          if (writes.length > 0)
            await db
              .collection<ReceiverDocument>(collection)
              .bulkWrite(writes, { session, ordered: false });
        }
        if (isEmail) await events.add([...notes, ...recovered], session);
      },
    };
  };
}

/** Retries write only when the failing state changes, which is rare. */
function receiverWrites({
  id: _id,
  received,
  expected,
  hasAccepted,
  failingSince,
  goneAt,
}: News & { id: string } & ReturnType<typeof receiverNews>): ReceiverWrite[] {
  const writes: ReceiverWrite[] = [];
  const failing = failingSince && {
    failing_since: failingSince,
    ...(goneAt && { gone_at: goneAt }),
  };
  if (received > 0 || hasAccepted)
    writes.push({
      updateOne: {
        filter: { _id, ...(!received && !failing && { failing_since: { $exists: true } }) },
        update: {
          ...(received > 0 && { $inc: { email_count: received } }),
          ...(hasAccepted && {
            $unset: {
              failing_noticed_at: '',
              failing_reason: '',
              ...(!failing && { failing_since: '' }),
              ...(!goneAt && { gone_at: '' }),
            },
          }),
          ...(failing && (hasAccepted ? { $set: failing } : { $min: failing })),
        },
      },
    });
  else if (failing)
    writes.push({
      updateOne: {
        filter: { _id, [goneAt ? 'gone_at' : 'failing_since']: { $exists: false } },
        update: { $min: failing },
      },
    });
  // it ends the wait of its address, unless the address expects another one by now
  if (expected) {
    const until = new Date(expected.until_ms);
    const since = new Date(expected.since_ms);
    writes.push({
      updateOne: {
        filter: { _id, expect_since: since, silent_at: { $lt: until } },
        update: { $set: { silent_at: until } },
      },
    });
  }
  return writes;
}

/** The latest email of a batch. If the address changed meanwhile, emails of its newest expectation count. */
const latest = (one: ExpectedEmail, other: ExpectedEmail | undefined): ExpectedEmail =>
  other &&
  (other.since_ms > one.since_ms ||
    (other.since_ms === one.since_ms && other.until_ms > one.until_ms))
    ? other
    : one;

/** Each attempt is an event of the audit trail (D15), and so is an end without one, and what rules decide (D55). */
function usageEvent(record: DeliveryRecord, note: Note, now: Date): NewUsageEvent {
  const { event_id, account_id, environment } = record;
  const of = { account_id, environment, address_id: addressIdOfEvent(record), timestamp: now };
  const data = { event_id, ...furtherReceiverFields(record) };
  if ('attempt' in note) {
    const { at, duration_ms, status_code } = note.attempt;
    const timestamp = new Date(at.getTime() + duration_ms);
    return { ...of, type: note.type, timestamp, data: { ...data, status_code } };
  }
  if ('outcome' in note) {
    const ended = { ...data, status_code: null, outcome: note.outcome };
    return { ...of, ...note.by, type: note.type, data: ended };
  }
  const reason = note.type === 'email.lost' ? {} : reasonOf(record);
  return { ...of, type: note.type, data: { ...data, ...reason } };
}

function reasonOf({ ruling }: DeliveryRecord): { reason?: string; rule?: string } {
  const rule = ruling?.rules.find(({ result, action }) => result === 'matched' && action !== 'tag');
  return { ...(ruling?.reason && { reason: ruling.reason }), ...(rule && { rule: rule.name }) };
}
