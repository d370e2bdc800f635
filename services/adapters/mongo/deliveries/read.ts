/**
 * Delivery records for the API: those of one account and environment, found by indexes only, and
 * reset by replays.
 */
import type { Db, Filter } from 'mongodb';

import type { AddressScope } from '../../../core/address/address.ts';
import { type Delivery, revisionOf, tallyOf } from '../../../core/delivery/delivery.ts';
import {
  DELIVERY_STATUSES,
  type DeliveryFilter,
  type DeliverySummary,
  FINAL_STATUSES,
  type ReplayFilter,
} from '../../../core/delivery/delivery-view.ts';
import { firstIdAt } from '../../../core/ids.ts';
import type { Page, PageRequest } from '../../../core/pagination.ts';
import type { CollectionIndexes } from '../connection.ts';
import {
  BY_ACCOUNT,
  BY_ADDRESS,
  DELIVERIES,
  type DeliveryDocument,
  EMAILS,
  type Ledger,
} from '../documents/delivery-documents.ts';
import type { StoredDelivery } from '../../stream/replay.ts';
import { type Criterion, createDeliverySearch, termCriterion } from './search.ts';
import { createUsageSums, USAGE_DAILY, type UsageDocument } from '../usage/counters.ts';
import { createPages } from '../pages.ts';
import { transaction } from '../transaction.ts';

export type DeliveryRecords = {
  /** Newest first, by time of receipt. */
  page(
    scope: AddressScope,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<DeliverySummary>>;
  /** Deliveries that wait for a retry; those that are due next come first. */
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
  find(scope: AddressScope, eventId: string): Promise<Delivery | undefined>;
  /**
   * Deliveries with ids greater than `after`, oldest first. undefined when the search takes too
   * long.
   */
  oldest(
    scope: AddressScope,
    filter: ReplayFilter,
    after: string | undefined,
    limit: number,
  ): Promise<StoredDelivery[] | undefined>;
  /**
   * Resets final deliveries to the start of their schedule, after their emails were published to
   * the RETRY lane. Others are unchanged.
   */
  markReplayed(replays: readonly { event_id: string; dueAt: Date }[], now: Date): Promise<void>;
};

const BY_DUE_TIME = 'account_due';

/** Only deliveries that wait for a retry are in this index, so other emails do not update it. */
export const dueIndexes: CollectionIndexes = {
  collection: DELIVERIES,
  indexes: [
    {
      key: { account_id: 1, environment: 1, next_attempt_at: 1, _id: 1 },
      name: BY_DUE_TIME,
      partialFilterExpression: { status: 'retrying' },
    },
  ],
};

export function createDeliveryRecords(
  db: Db,
  { collection, areEmails }: Ledger = EMAILS,
): DeliveryRecords {
  const deliveries = db.collection<DeliveryDocument>(collection);
  const usage = db.collection<UsageDocument>(USAGE_DAILY);
  const pageOf = createPages(
    db.collection<DeliveryDocument & StoredSummary>(collection),
    summaryOf,
  );
  const search = createDeliverySearch(db);
  const shown = {
    account_id: 1,
    environment: 1,
    address_id: 1,
    status: 1,
    mail_from: 1,
    from: 1,
    subject: 1,
    size_bytes: 1,
    received_at: 1,
    next_attempt_at: 1,
    updated_at: 1,
    canceled_at: 1,
    content_erased_at: 1,
    attempt_count: { $size: '$attempts' },
    last_outcome: { $last: '$attempts.outcome' },
  };

  const toReplay = {
    account_id: 1,
    address_id: 1,
    stored_at: 1,
    revision: 1,
    content_until: 1,
    content_erased_at: 1,
  };

  return {
    page: (scope, filter, page) =>
      pageOf(
        {
          query: matching(scope, filter),
          sort: { _id: -1 },
          hint: indexFor(filter),
          projection: shown,
        },
        page,
      ),

    due: (scope, page) =>
      pageOf(
        {
          query: matching(scope, { status: 'retrying' }),
          sort: { next_attempt_at: 1, _id: 1 },
          hint: BY_DUE_TIME,
          countHint: BY_ACCOUNT, // it has the status, so that counting reads no documents
          projection: shown,
        },
        page,
      ),

    search: async function searchDeliveries({ account_id, environment }, filter, terms, page) {
      const base = { account_id, environment, ...receivedIn(filter) };
      const found = await search.page<StoredSummary>(base, criteriaOf(filter, terms), page, shown);
      return found && { ...found, items: found.items.map(summaryOf) };
    },

    find: async function findDelivery({ account_id, environment }, eventId) {
      const found = await deliveries.findOne({ _id: eventId, account_id, environment });
      if (found === null) return undefined;
      const { _id, ...delivery } = found;
      return { event_id: _id, ...delivery };
    },

    oldest: async function oldestDeliveries(scope, { terms, ...filter }, after, limit) {
      const { account_id, environment } = scope;
      const found =
        terms === undefined
          ? await deliveries
              .find<ToReplay>(matching(scope, filter, after), {
                projection: toReplay,
                hint: indexFor(filter),
              })
              .sort({ _id: 1 })
              .limit(limit)
              .toArray()
          : await search.oldest<ToReplay>(
              { account_id, environment, ...receivedIn(filter, after) },
              criteriaOf(filter, terms),
              limit,
              toReplay,
            );
      return found?.map(({ _id, revision, ...stored }) => ({
        event_id: _id,
        ...stored,
        revision: revisionOf({ revision }),
      }));
    },

    markReplayed: async function markReplayed(replays, now) {
      if (replays.length === 0) return;
      const dueAt = new Map(replays.map((replay) => [replay.event_id, replay.dueAt]));
      await transaction(db, async (session) => {
        const sums = createUsageSums();
        const ended = await deliveries
          .find(
            {
              _id: { $in: [...dueAt.keys()] },
              status: { $in: [...FINAL_STATUSES] },
              content_erased_at: { $exists: false },
            },
            {
              session,
              projection: { status: 1, account_id: 1, environment: 1, received_at: 1 },
            },
          )
          .toArray();
        if (ended.length === 0) return;
        for (const delivery of ended) sums.add(delivery, tallyOf(delivery.status, 'pending'));
        await deliveries.bulkWrite(
          ended.map(({ _id }) => ({
            updateOne: {
              filter: { _id },
              update: [
                {
                  $set: {
                    status: 'pending',
                    attempts_before_replay: { $size: '$attempts' },
                    next_attempt_at: dueAt.get(_id) ?? now,
                    canceled_at: '$$REMOVE',
                    content_until: '$$REMOVE', // it begins again with the next delivery
                    updated_at: now,
                  },
                },
              ],
            },
          })),
          { session, ordered: false },
        );
        if (areEmails) await usage.bulkWrite(sums.writes(), { session, ordered: false });
      });
    },
  };
}

const indexFor = ({ address_id }: DeliveryFilter): string =>
  address_id === undefined ? BY_ACCOUNT : BY_ADDRESS;

type StoredSummary = Omit<DeliverySummary, 'event_id'> & { _id: string };

type ToReplay = Omit<StoredDelivery, 'event_id' | 'revision'> & { _id: string; revision?: number };

const summaryOf = ({ _id, ...summary }: StoredSummary): DeliverySummary => ({
  event_id: _id,
  ...summary,
});

/**
 * Every field is in the index of {@link indexFor}. MongoDB merges the four statuses in order of
 * ids, which is the order of receipt.
 */
const matching = (
  { account_id, environment }: AddressScope,
  filter: DeliveryFilter,
  after?: string,
): Filter<DeliveryDocument> => ({
  account_id,
  environment,
  ...stateOf(filter),
  ...receivedIn(filter, after),
});

const stateOf = ({ address_id, status }: DeliveryFilter): Filter<DeliveryDocument> => ({
  ...(address_id !== undefined && { address_id }),
  status: status ?? { $in: [...DELIVERY_STATUSES] },
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

/** Of a search: its terms, and the status and the address, unless they are any. */
function criteriaOf(filter: DeliveryFilter, terms: readonly string[]): Criterion[] {
  const { start, end, status, address_id } = filter;
  const ofTerms = terms.map((term) => termCriterion(term, { start, end }));
  if (status === undefined && address_id === undefined) return ofTerms;
  const state = stateOf(filter);
  return [...ofTerms, { query: state, index: indexFor(filter), sort: { _id: -1 }, check: state }];
}
