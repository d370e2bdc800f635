/** Reads delivery records for the API: one account and environment, found by indexes only. */
import type { Db, Filter } from 'mongodb';

import {
  type AccountScope,
  type AddressScope,
  type Owned,
  ownedBy,
  reaches,
} from '../../../core/address/scope.ts';
import { ATTEMPTS_MAX, type Delivery, revisionOf } from '../../../core/delivery/delivery.ts';
import {
  DELIVERY_STATUSES,
  WAITING_STATUSES,
  type DeliveryFilter,
  type DeliverySummary,
  type ReplayFilter,
} from '../../../core/delivery/delivery-view.ts';
import { firstIdAt } from '../../../core/id/ids.ts';
import type { Page, PageRequest } from '../../../core/resource/pagination.ts';
import {
  ATTEMPT_COUNT,
  BY_ACCOUNT,
  BY_ADDRESS,
  DELIVERIES,
  type DeliveryDocument,
  deliveryOf,
  BY_DUE_TIME,
  deliveryKind,
  inScope,
  isInScope,
  NOTIFICATION_DELIVERIES,
} from '../documents/delivery-documents.ts';
import type { StoredDelivery } from '../../stream/replay.ts';
import { createReceiversInScope } from '../receiver/receiver-ids.ts';
import { type Criterion, createDeliverySearch, termCriterion } from './search.ts';
import { createFindTogether } from '../database/find-by-id.ts';
import { createPages } from '../database/pages.ts';

/** Lists are of emails, except the one that names a notification. */
export type DeliveryReads = {
  /** Newest first, by time of receipt. */
  page(
    scope: AddressScope,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<DeliverySummary>>;
  /** The newest email of each of these addresses that has one. */
  newestOf(scope: AddressScope, addressIds: readonly string[]): Promise<DeliverySummary[]>;
  /** Deliveries that wait for a retry, in the order in which they are due. */
  due(scope: AddressScope, page: PageRequest): Promise<Page<DeliverySummary>>;
  /**
   * Newest first, deliveries with all these terms. The total is a lower bound if it is large, see
   * {@link DeliverySearch}. undefined when the search takes too long.
   */
  search(
    scope: AddressScope,
    filter: DeliveryFilter,
    terms: readonly string[],
    page: PageRequest,
  ): Promise<Page<DeliverySummary> | undefined>;
  /** The deliveries of one notification, newest first. */
  notificationPage(
    scope: AccountScope,
    notificationId: string,
    filter: Pick<DeliveryFilter, 'status'>,
    page: PageRequest,
  ): Promise<Page<DeliverySummary>>;
  find(scope: AddressScope, eventId: string): Promise<Delivery | undefined>;
  /** The recorded ones of these deliveries, in the order of the ids. */
  findAll(scope: AddressScope, eventIds: readonly string[]): Promise<Delivery[]>;
  /** Undefined for the delivery of a notification. */
  findEmail(scope: AddressScope, eventId: string): Promise<Delivery | undefined>;
  /**
   * Deliveries that may be replayed, with ids greater than `after`, oldest first. undefined when the
   * search takes too long.
   */
  oldest(
    scope: AddressScope,
    filter: ReplayFilter,
    after: string | undefined,
    limit: number,
  ): Promise<StoredDelivery[] | undefined>;
};

export function createDeliveryReads(db: Db): DeliveryReads {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  const pagesOf = (collection: string) =>
    createPages(db.collection<DeliveryDocument & StoredSummary>(collection), summaryOf);
  const emails = pagesOf(DELIVERIES);
  const notifications = pagesOf(NOTIFICATION_DELIVERIES);
  const search = createDeliverySearch(db);
  const receiversInScope = createReceiversInScope(db);

  const limited = async <T extends DeliveryFilter>(scope: AddressScope, filter: T): Promise<T> => ({
    ...filter,
    receiver_ids: await receiversInScope(scope, filter.receiver_ids),
  });
  const shown = {
    account_id: 1,
    environment: 1,
    address_id: 1,
    email: 1,
    status: 1,
    mail_from: 1,
    recipients: { $slice: ['$recipients', 1] },
    from: 1,
    subject: 1,
    size_bytes: 1,
    received_at: 1,
    next_attempt_at: { $ifNull: ['$offer.at', '$next_attempt_at'] },
    updated_at: 1,
    canceled_at: 1,
    ended_as: 1,
    content_erased_at: 1,
    tags: 1,
    verdict: 1,
    thread_id: 1,
    attempt_count: ATTEMPT_COUNT,
    last_outcome: { $last: '$attempts.outcome' },
    last_status_code: { $last: '$attempts.status_code' },
    last_error: { $last: '$attempts.error' },
  };

  const toReplay = {
    account_id: 1,
    address_id: 1,
    stored_at: 1,
    revision: 1,
    content_until: 1,
    content_erased_at: 1,
  };

  const newest = (scope: Owned, filter: DeliveryFilter) => ({
    query: matching(scope, filter),
    sort: { _id: -1 } as const,
    hint: indexFor(filter),
    projection: shown,
  });

  const createFind = (collection: string) => {
    const findTogether = createFindTogether(db.collection<DeliveryDocument>(collection), {
      search: 0,
    });
    return async (scope: AddressScope, eventId: string): Promise<Delivery | undefined> => {
      const found = await findTogether(eventId);
      return found && isInScope(found, scope) ? deliveryOf(found) : undefined;
    };
  };
  const findEmail = createFind(DELIVERIES);
  const findNotification = createFind(NOTIFICATION_DELIVERIES);

  return {
    page: async function pageOfDeliveries(scope, filter, page) {
      return emails(newest(scope, await limited(scope, filter)), page);
    },
    newestOf: async function newestOfAddresses(scope, addressIds) {
      const reached = addressIds.filter((id) => reaches(scope, id));
      const found = await Promise.all(
        reached.map((id) =>
          deliveries
            .find<StoredSummary>(matching(scope, { receiver_ids: [id] }), { projection: shown })
            .sort({ _id: -1 })
            .hint(BY_ADDRESS)
            .limit(1)
            .toArray(),
        ),
      );
      return found.flat().map(summaryOf);
    },
    notificationPage: (scope, id, filter, page) =>
      notifications(newest(scope, { ...filter, receiver_ids: [id] }), page),

    due: async function dueDeliveries(scope, page) {
      const filter = await limited(scope, { status: 'retrying' as const });
      const query = matching(scope, filter);
      const sort = { next_attempt_at: 1, _id: 1 } as const;
      // those of a limited scope are sorted in memory, rather than found among all of the account
      const hint = scope.address_ids === null ? BY_DUE_TIME : BY_ADDRESS;
      // it has the status, so that counting reads no documents
      return emails({ query, sort, hint, countHint: indexFor(filter), projection: shown }, page);
    },

    search: async function searchDeliveries(scope, requested, terms, page) {
      const filter = await limited(scope, requested);
      const base = { ...ownedBy(scope), ...receivedIn(filter) };
      const found = await search.page<StoredSummary>(base, criteriaOf(filter, terms), page, shown);
      return found && { ...found, items: found.items.map(summaryOf) };
    },

    find: (scope, eventId) =>
      deliveryKind(eventId).isEmail ? findEmail(scope, eventId) : findNotification(scope, eventId),
    findAll: async function findAllDeliveries(scope, eventIds) {
      const query = { _id: { $in: [...eventIds] }, ...inScope(scope) };
      const byId = new Map(
        (await deliveries.find(query).toArray()).map((one) => [one._id, deliveryOf(one)]),
      );
      return eventIds.flatMap((id) => byId.get(id) ?? []);
    },
    findEmail,

    oldest: async function oldestDeliveries(scope, { terms, ...requested }, after, limit) {
      const filter = await limited(scope, requested);
      const mayReplay =
        filter.status === 'retrying' ? {} : { attempt_count: { $not: { $gte: ATTEMPTS_MAX } } };
      const found =
        terms === undefined
          ? await deliveries
              .find<ToReplay>(
                { ...matching(scope, filter, after), ...mayReplay },
                {
                  projection: toReplay,
                  hint: indexFor(filter),
                },
              )
              .sort({ _id: 1 })
              .limit(limit)
              .toArray()
          : await search.oldest<ToReplay>(
              { ...ownedBy(scope), ...receivedIn(filter, after) },
              criteriaOf(filter, terms),
              mayReplay,
              limit,
              toReplay,
            );
      return found?.map(({ _id, revision, ...stored }) => ({
        event_id: _id,
        ...stored,
        revision: revisionOf({ revision }),
      }));
    },
  };
}

const indexFor = ({ receiver_ids }: DeliveryFilter): string =>
  receiver_ids === undefined ? BY_ACCOUNT : BY_ADDRESS;

type StoredSummary = Omit<DeliverySummary, 'event_id' | 'attempt_count'> & {
  _id: string;
  attempt_count?: number;
};

type ToReplay = Omit<StoredDelivery, 'event_id' | 'revision'> & { _id: string; revision?: number };

const summaryOf = ({ _id, attempt_count = 0, ...summary }: StoredSummary): DeliverySummary => ({
  event_id: _id,
  attempt_count,
  ...summary,
});

/**
 * Every field is in the index of {@link indexFor}. MongoDB merges the four statuses, and the
 * receivers of an address, in order of ids, which is the order of receipt.
 */
const matching = (
  owned: Owned,
  filter: DeliveryFilter,
  after?: string,
): Filter<DeliveryDocument> => ({
  ...ownedBy(owned),
  ...stateOf(filter),
  ...receivedIn(filter, after),
});

const stateOf = ({ receiver_ids, status }: DeliveryFilter): Filter<DeliveryDocument> => ({
  ...(receiver_ids && { address_id: { $in: [...receiver_ids] } }),
  status:
    status === 'waiting'
      ? { $in: [...WAITING_STATUSES] }
      : (status ?? { $in: [...DELIVERY_STATUSES] }),
});

/** @param after only ids greater than this */
function receivedIn({ start, end }: DeliveryFilter, after?: string): Filter<DeliveryDocument> {
  const received = {
    ...(start && { $gte: firstIdAt('evt', start) }),
    ...(end && { $lt: firstIdAt('evt', end) }),
    ...(after !== undefined && { $gt: after }),
  };
  return Object.keys(received).length > 0 ? { _id: received } : {};
}

/** The criteria of a search: its terms, and the status and the address, if given. */
function criteriaOf(filter: DeliveryFilter, terms: readonly string[]): Criterion[] {
  const { start, end, status, receiver_ids } = filter;
  const ofTerms = terms.map((term) => termCriterion(term, { start, end }));
  if (status === undefined && receiver_ids === undefined) return ofTerms;
  const state = stateOf(filter);
  return [...ofTerms, { query: state, index: indexFor(filter), sort: { _id: -1 }, check: state }];
}
