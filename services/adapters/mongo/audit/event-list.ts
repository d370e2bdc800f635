/**
 * GET /usage/events: stored events and received emails as one list, newest first, found and counted
 * by indexes only (D15, D30).
 */
import type { Db, Document, Filter } from 'mongodb';

import { type AddressScope, ownedBy, scopeOf } from '../../../core/address/scope.ts';
import type { DateRange } from '../../../core/time/date-range.ts';
import { DELIVERY_STATUSES } from '../../../core/delivery/delivery-view.ts';
import { firstIdAt } from '../../../core/id/ids.ts';
import { type Page, pageOf, type PageRequest } from '../../../core/resource/pagination.ts';
import {
  CHANGE_EVENT_TYPES,
  emailReceived,
  type MailFacts,
  STORED_USAGE_EVENT_TYPES,
  type UsageEventType,
  type UsageEventView,
  usageEventView,
} from '../../../core/event/usage-event.ts';
import { createTotals } from '../../async/totals.ts';
import {
  BY_ACCOUNT,
  BY_ADDRESS,
  DELIVERIES,
  type DeliveryDocument,
  OF_FURTHER_RECEIVERS,
} from '../documents/delivery-documents.ts';
import { eventsInScope, type StoredUsageEvent, USAGE_EVENTS } from './events.ts';

type UsageEventFilter = DateRange & {
  event_type?: UsageEventType | undefined;
  /** Only changes that people made. */
  isByPeople?: boolean | undefined;
};

/** @param filter its start is not earlier than the retention of events */
export type PageOfUsageEvents = (
  scope: AddressScope,
  filter: UsageEventFilter & { start: Date },
  page: PageRequest,
) => Promise<Page<UsageEventView>>;

type Listed = { _id: string; isMail: boolean };

export function createUsageEventList(db: Db): PageOfUsageEvents {
  const events = db.collection<StoredUsageEvent>(USAGE_EVENTS);
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  const totalOf = createTotals();

  /** Two counts of index keys are faster than one that reads the records. */
  const countMails = async (matching: Filter<DeliveryDocument>): Promise<number> => {
    // an address's own receiver: each email once
    if ('address_id' in matching) return deliveries.countDocuments(matching, { hint: BY_ADDRESS });
    const { account_id, environment, _id } = matching;
    const further = { account_id, environment, _id, email: { $exists: true } };
    const [all, ofFurther] = await Promise.all([
      deliveries.countDocuments(matching, { hint: BY_ACCOUNT }),
      deliveries.countDocuments(further, { hint: OF_FURTHER_RECEIVERS }),
    ]);
    return all - ofFurther;
  };

  /** In the order of the list, without events that were removed in the meantime. */
  const shown = async (listed: readonly Listed[]): Promise<UsageEventView[]> => {
    const stored = await events
      .find({ _id: { $in: listed.filter(({ isMail }) => !isMail).map(({ _id }) => _id) } })
      .toArray();
    const mailIds = new Set([
      ...listed.filter(({ isMail }) => isMail).map(({ _id }) => _id),
      ...stored.map(({ data }) => data.event_id).filter((id) => typeof id === 'string'),
    ]);
    const projection = {
      address_id: 1,
      email: 1,
      mail_from: 1,
      from: 1,
      subject: 1,
      size_bytes: 1,
      status: 1,
      received_at: 1,
    };
    const mails = await deliveries.find({ _id: { $in: [...mailIds] } }, { projection }).toArray();
    const mailById = new Map(
      mails.map(({ _id, ...mail }): [string, MailFacts] => [_id, { event_id: _id, ...mail }]),
    );
    const views = new Map(
      stored.map(({ _id, ...event }) => [
        _id,
        usageEventView({ id: _id, ...event }, mailById.get(String(event.data.event_id))),
      ]),
    );
    return listed.flatMap(({ _id, isMail }) => {
      const mail = mailById.get(_id);
      const view = isMail ? mail && emailReceived(mail) : views.get(_id);
      return view ? [view] : [];
    });
  };

  return async function pageOfUsageEvents(scope, filter, page) {
    const { limit, offset } = page;
    const throughPage = offset + limit + 1;
    const ofMails =
      (filter.event_type === undefined || filter.event_type === 'email.received') &&
      !filter.isByPeople
        ? mailsMatching(scope, filter)
        : undefined;
    const ofEvents =
      filter.event_type === 'email.received' ? undefined : eventsMatching(scope, filter);
    const newest = (match: Document, sort: Document, isMail: boolean, time: string) => [
      { $match: match },
      { $sort: sort },
      { $limit: throughPage },
      { $project: { time: `$${time}`, isMail: { $literal: isMail } } },
    ];
    const fromEvents = ofEvents && newest(ofEvents, { timestamp: -1, _id: -1 }, false, 'timestamp');
    const fromMails =
      ofMails && newest({ ...ofMails, ...ofAddresses }, { _id: -1 }, true, 'received_at');
    const rest = [{ $sort: { time: -1, _id: -1 } }, { $skip: offset }, { $limit: limit + 1 }];
    const listed = fromMails
      ? deliveries.aggregate<Listed>(
          [
            ...fromMails,
            ...(fromEvents ? [{ $unionWith: { coll: USAGE_EVENTS, pipeline: fromEvents } }] : []),
            ...rest,
          ],
          { hint: scope.address_ids === null ? BY_ACCOUNT : BY_ADDRESS, allowDiskUse: true },
        )
      : events.aggregate<Listed>([...(fromEvents ?? []), ...rest], {
          hint: eventsInScope(scope).hint,
          allowDiskUse: true,
        });
    const found = await pageOf(await listed.toArray(), page, async () => {
      const [mails, others] = await Promise.all([
        ofMails ? totalOf(keyOf('mails', scope, filter), () => countMails(ofMails)) : 0,
        ofEvents
          ? totalOf(keyOf('events', scope, filter), () =>
              events.countDocuments(ofEvents, { hint: eventsInScope(scope).hint }),
            )
          : 0,
      ]);
      return mails + others;
    });
    return { items: await shown(found.items), total: found.total };
  };
}

/** An email counts once, however many receivers its address has. */
const ofAddresses = { email: { $exists: false } };

const keyOf = (
  kind: 'mails' | 'events',
  scope: AddressScope,
  { event_type, isByPeople, start, end }: UsageEventFilter,
): string => JSON.stringify([kind, scopeOf(scope), event_type, isByPeople, start, end]);

/** Ids are in order of receipt. */
const mailsMatching = (
  scope: AddressScope,
  { start, end }: UsageEventFilter & { start: Date },
): Filter<DeliveryDocument> => ({
  ...ownedBy(scope),
  ...(scope.address_ids && { address_id: { $in: [...scope.address_ids] } }),
  status: { $in: [...DELIVERY_STATUSES] },
  _id: { $gte: firstIdAt('evt', start), ...(end && { $lt: firstIdAt('evt', end) }) },
});

/** In a session of the dashboard, with a token of a member, or with `inlet admin`. */
const BY_A_PERSON = ['session_id', 'member_id', 'operator'].map((field) => ({
  [field]: { $exists: true },
}));

const eventsMatching = (
  scope: AddressScope,
  { event_type, isByPeople, start, end }: UsageEventFilter & { start: Date },
): Filter<StoredUsageEvent> => ({
  ...eventsInScope(scope).query,
  type: {
    $in: (isByPeople ? CHANGE_EVENT_TYPES : STORED_USAGE_EVENT_TYPES).filter(
      (type) => event_type === undefined || type === event_type,
    ),
  },
  ...(isByPeople && { $or: BY_A_PERSON }),
  timestamp: { $gte: start, ...(end && { $lt: end }) },
});
