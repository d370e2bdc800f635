/**
 * The one writer of delivery records: it reads them, asks core/delivery/transition.ts, and writes what
 * has changed, with the counters that follow, in one transaction. When something else changes a record
 * in between, MongoDB ends the transaction, and all of this is repeated. A record that does not exist is
 * inserted without a look; if it does exist by then, all is read and decided again.
 */
import type { AnyBulkWriteOperation, ClientSession, Db, Document } from 'mongodb';

import type { AddressScope } from '../../../core/address/scope.ts';
import { HEADERS_OF_ATTEMPTS } from '../../../core/delivery/attempt-headers.ts';
import { ATTEMPTS_KEPT } from '../../../core/delivery/delivery.ts';
import type {
  DeliveryEvent,
  DeliveryRecord,
  RequestEvent,
} from '../../../core/delivery/delivery-event.ts';
import { isNotification, type MailEvent } from '../../../core/delivery/mail-event.ts';
import { searchKeys } from '../../../core/delivery/search-terms.ts';
import { transition } from '../../../core/delivery/transition.ts';
import { searchableText } from '../../../core/mail/text-words.ts';
import { isDuplicateKey } from '../database/errors.ts';
import { transaction } from '../database/transaction.ts';
import {
  ATTEMPT_COUNT,
  byKind,
  deliveriesIn,
  type DeliveryDocument,
  type DeliveryKind,
  deliveryOf,
  documentOf,
  inScope,
} from '../documents/delivery-documents.ts';
import { createFollowing, type Happened } from './following.ts';
import { createMarks } from './marks.ts';

/** What happened to a delivery. */
export type RecordChange = { eventId: string; event: DeliveryEvent };

/** What came of it: `record` is `before` if nothing changed. */
export type Changed = Happened & { before: DeliveryRecord | undefined };

export type Records = {
  /**
   * Writes all changes and their counters, or none. Each delivery may appear once, and messages of
   * dispatchers are not mixed with others.
   * @param scope only records in it are changed; absent for all
   * @returns what came of each that has a record now, by its id
   */
  write(
    changes: readonly RecordChange[],
    now: Date,
    scope?: AddressScope,
  ): Promise<Map<string, Changed>>;
};

type Read = { record: DeliveryRecord; asOf: Date };
type Decided = ReadonlyMap<string, readonly RequestEvent[]>;

/** More attempts than are made of an email while its dispatcher repeats a write. */
const LAST_ATTEMPTS = 5;
/** A message adds to the lists of a record: their ends are enough. */
const ENDS_OF_LISTS = [
  { $unset: ['attempt_headers.sent', 'attempt_headers.received'] },
  {
    $set: {
      attempt_count: ATTEMPT_COUNT,
      attempts: {
        $map: { input: { $slice: ['$attempts', -LAST_ATTEMPTS] }, in: { at: '$$this.at' } },
      },
    },
  },
];

export function createRecords(db: Db): Records {
  const { decisionsOf } = createMarks(db);
  const follow = createFollowing(db);

  /** With the time of MongoDB, which decides whether an attempt is near. */
  const read = async (
    kind: DeliveryKind,
    changes: readonly RecordChange[],
    scope: AddressScope | undefined,
    session: ClientSession,
  ): Promise<Map<string, Read>> => {
    const [first] = changes;
    if (first === undefined) return new Map();
    const _id = { $in: changes.map(({ eventId }) => eventId) };
    const found = await deliveriesIn(db, kind)
      .aggregate<DeliveryDocument & { as_of: Date }>(
        [
          { $match: { _id, ...(scope && inScope(scope)) } },
          { $unset: 'search' },
          { $set: { as_of: '$$NOW' } },
          ...('mail' in first.event ? ENDS_OF_LISTS : []),
        ],
        { session },
      )
      .toArray();
    return new Map(
      found.map(({ as_of: asOf, ...one }) => [one._id, { record: deliveryOf(one), asOf }]),
    );
  };

  const writeBatch = async (
    kind: DeliveryKind,
    batch: readonly RecordChange[],
    found: ReadonlyMap<string, Read>,
    now: Date,
    session: ClientSession,
  ): Promise<Changed[]> => {
    // not in the session: if all are new, the transaction begins with the counters
    const made = batch.filter(({ eventId }) => !found.has(eventId));
    const decided = await decisionsOf(made.flatMap(emailOf));
    const written = batch.flatMap((change) => after(change, found, decided, now) ?? []);
    const changed = written.filter(({ before, record }) => record !== before);
    if (changed.length === 0) return written;
    const following = follow(kind, changed, now, session);
    // first, because another dispatcher may be changing the same counters
    await following.count();
    for (const some of [
      changed.filter(({ before }) => before === undefined),
      changed.filter(({ before }) => before !== undefined),
    ])
      if (some.length > 0)
        await deliveriesIn(db, kind).bulkWrite(some.map(writeOf), { session, ordered: false });
    await following.tell();
    return written;
  };

  const write: Records['write'] = async (changes, now, scope) => {
    if (changes.length === 0) return new Map();
    const batches = byKind(changes, ({ eventId }) => eventId);
    const run = (mayExist: (change: RecordChange) => boolean) =>
      transaction(db, async (session) => {
        const written: Changed[] = [];
        for (const [kind, batch] of batches) {
          const found = await read(kind, batch.filter(mayExist), scope, session);
          written.push(...(await writeBatch(kind, batch, found, now, session)));
        }
        return new Map(written.map((one) => [one.record.event_id, one]));
      });
    try {
      return await run(({ event }) => !('isNew' in event && event.isNew));
    } catch (error) {
      // another dispatcher inserted a record of the same event in the meantime
      if (!isDuplicateKey(error)) throw error;
      return run(() => true);
    }
  };

  return {
    write: async function writeRecords(changes, now, scope) {
      const written = await write(changes, now, scope);
      const made = [...written.values()].filter(({ before }) => before === undefined);
      // a request that did not see the new records has left its mark by now
      for (const [eventId, events] of await decisionsOf(made.flatMap(emailOf)))
        for (const event of events) {
          const one = (await write([{ eventId, event }], now)).get(eventId);
          const before = written.get(eventId);
          if (one && before && one.record !== one.before)
            written.set(eventId, { ...before, effects: [REDELIVER, ...before.effects] });
        }
      return written;
    },
  };
}

const REDELIVER = { kind: 'redeliver' } as const;

/** Marks are of emails. */
const emailOf = ({ event }: Pick<RecordChange, 'event'>): MailEvent[] =>
  'mail' in event && !isNotification(event.mail.event_id) ? [event.mail] : [];

/** A record that a message makes has what requests have decided about its email as well. */
function after(
  { eventId, event }: RecordChange,
  found: ReadonlyMap<string, Read>,
  decided: Decided,
  now: Date,
): Changed | undefined {
  const { record: before, asOf } = found.get(eventId) ?? {};
  const dated = 'by' in event && asOf ? { asOf, ...event } : event;
  const first = transition(before, dated, now);
  if (first.record === undefined) return undefined;
  const changed = { before, record: first.record, effects: first.effects, event };
  return (decided.get(eventId) ?? []).reduce((one: Changed, request) => {
    const { record, effects } = transition(one.record, request, now);
    if (record === one.record) return one;
    return { ...one, record, effects: [REDELIVER, ...one.effects, ...effects] };
  }, changed);
}

const storedName = (name: string): string => (name === 'unread' ? 'offer' : name);

/** A new record, or the fields that differ. */
function writeOf({ before, record, event }: Changed): AnyBulkWriteOperation<DeliveryDocument> {
  if (before === undefined) {
    const text = 'mail' in event ? searchableText(event.mail.text_words) : undefined;
    const search = !record.content_erased_at && {
      search: searchKeys(record, record.received_at, text),
    };
    return { insertOne: { document: { ...documentOf(record), ...search } } };
  }
  const $set: Document = {};
  const $push: Document = {};
  const $unset: Document = {};
  const was = new Map<string, unknown>(Object.entries(before));
  for (const [name, value] of Object.entries(record)) {
    if (was.get(name) === value) continue;
    const list = isList(name) ? added(name, before[name], record[name]) : undefined;
    if (list) $push[name] = list;
    else $set[storedName(name)] = value;
  }
  for (const name of was.keys()) if (!(name in record)) $unset[storedName(name)] = '';
  // they are not read, and older releases had `report`
  if (record.content_erased_at && !before.content_erased_at)
    Object.assign($unset, { search: '', report: '' });
  const update = Object.entries({ $set, $push, $unset }).filter(
    ([, fields]) => Object.keys(fields).length > 0,
  );
  return { updateOne: { filter: { _id: record.event_id }, update: Object.fromEntries(update) } };
}

const LISTS = { attempts: ATTEMPTS_KEPT, attempt_headers: HEADERS_OF_ATTEMPTS };
const isList = (name: string): name is keyof typeof LISTS => name in LISTS;

/** How a list becomes another one whose last item is new; undefined when more has changed. */
function added(
  name: keyof typeof LISTS,
  was: readonly unknown[] = [],
  is: readonly unknown[] = [],
): Document | undefined {
  const isLonger = is.length > was.length || is.length === LISTS[name];
  const isKept = isLonger && is.slice(0, -1).every((item) => was.includes(item));
  return isKept ? { $each: is.slice(-1), $slice: -LISTS[name] } : undefined;
}
