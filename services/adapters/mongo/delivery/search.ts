/**
 * The search of deliveries. Each criterion of a search (a term, or the status and address) has an
 * index. The rarest criterion is read from its index, newest first, and the others are checked on
 * the documents. The cost therefore depends on the rarest criterion, however frequent the others are.
 */
import { type Db, type Document, type Filter, MongoServerError } from 'mongodb';

import { beginningIn, dayOf } from '../../../core/delivery/search-terms.ts';
import type { DateRange } from '../../../core/time/date-range.ts';
import { type Page, pageOf, type PageRequest } from '../../../core/resource/pagination.ts';
import { BY_TERM, DELIVERIES, type DeliveryDocument } from '../documents/delivery-documents.ts';

/** A condition, and how it is found. */
export type Criterion = {
  /** Uses the index. */
  query: Filter<DeliveryDocument>;
  index: string;
  /** Newest first, in the order of the index. */
  sort: Record<string, 1 | -1>;
  /** The same condition for documents that another index found. */
  check: Filter<DeliveryDocument>;
  /** Many terms can have a beginning, so its matches are sorted. Another criterion is read instead. */
  isBeginning?: boolean;
};

type DeliverySearch = {
  /**
   * Newest first. The total is exact if at most 2,000 emails match the rarest criterion, otherwise
   * it counts the matches among its 2,000 newest. undefined when the search takes too long, because
   * every criterion is frequent and hardly any email matches all.
   */
  page<T extends Document>(
    base: Filter<DeliveryDocument>,
    criteria: readonly Criterion[],
    page: PageRequest,
    projection: Document,
  ): Promise<Page<T> | undefined>;
  /** Oldest first. undefined when the search takes too long. */
  oldest<T extends Document>(
    base: Filter<DeliveryDocument>,
    criteria: readonly Criterion[],
    /** Checked on the documents that the criteria find. */
    more: Filter<DeliveryDocument>,
    limit: number,
    projection: Document,
  ): Promise<T[] | undefined>;
};

/** A criterion with more matches than this is frequent. */
const FREQUENT = 2_000;
/** About a million documents in memory. */
const MAX_MS = 2_000;
const TIME_EXPIRED = 50;

export function createDeliverySearch(db: Db, maxTimeMS = MAX_MS): DeliverySearch {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);

  /** The id of the last of the newest 2,000 matches, read from the index alone. */
  const depthOf = async (
    base: Filter<DeliveryDocument>,
    { query, index, sort }: Criterion,
  ): Promise<string | undefined> => {
    const found = await deliveries
      .find(
        { ...base, ...query },
        { projection: { _id: 1 }, hint: index, sort, skip: FREQUENT, limit: 1, maxTimeMS },
      )
      .toArray();
    return found[0]?._id;
  };

  /** Ids are in order of receipt: the older that id is, the rarer is the criterion. */
  const rarest = async (
    base: Filter<DeliveryDocument>,
    criteria: readonly Criterion[],
  ): Promise<Criterion | undefined> => {
    const ordered = criteria.filter(({ isBeginning }) => !isBeginning);
    const hasTerm = ordered.some(({ index }) => index === BY_TERM);
    if (!hasTerm && ordered.length < criteria.length)
      return criteria.find(({ isBeginning }) => isBeginning);
    if (ordered.length <= 1) return ordered[0];
    const depths = await Promise.all(ordered.map((criterion) => depthOf(base, criterion)));
    const ranked = ordered.map((criterion, n) => ({ criterion, depth: depths[n] ?? '' }));
    return ranked.toSorted((one, other) => (one.depth < other.depth ? -1 : 1))[0]?.criterion;
  };

  return {
    page: async function pageOfSearch<T extends Document>(
      base: Filter<DeliveryDocument>,
      criteria: readonly Criterion[],
      page: PageRequest,
      projection: Document,
    ): Promise<Page<T> | undefined> {
      return inTime(async () => {
        const from = await rarest(base, criteria);
        if (from === undefined) return { items: [], total: 0 };
        const others = othersThan(from, criteria);
        const found = await deliveries
          .find<T>(
            { ...from.query, ...base, ...others },
            {
              projection,
              hint: from.index,
              sort: from.sort,
              skip: page.offset,
              limit: page.limit + 1,
              maxTimeMS,
            },
          )
          .toArray();
        const countOf = async (): Promise<number> => {
          const [counted] = await deliveries
            .aggregate<{ total: number }>(
              [
                { $match: { ...base, ...from.query } },
                { $sort: from.sort },
                { $limit: FREQUENT },
                { $match: others },
                { $count: 'total' },
              ],
              { hint: from.index, maxTimeMS },
            )
            .toArray();
          return counted?.total ?? 0;
        };
        return pageOf(found, page, countOf);
      });
    },

    oldest: async function oldestOfSearch<T extends Document>(
      base: Filter<DeliveryDocument>,
      criteria: readonly Criterion[],
      more: Filter<DeliveryDocument>,
      limit: number,
      projection: Document,
    ): Promise<T[] | undefined> {
      return inTime(async () => {
        const from = await rarest(base, criteria);
        if (from === undefined) return [];
        return deliveries
          .find<T>(
            { ...from.query, ...base, ...othersThan(from, criteria), ...more },
            { projection, hint: from.index, sort: backwards(from.sort), limit, maxTimeMS },
          )
          .toArray();
      });
    },
  };
}

/** Undefined when the work takes too long. */
async function inTime<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof MongoServerError && error.code === TIME_EXPIRED) return undefined;
    throw error;
  }
}

function othersThan(from: Criterion, criteria: readonly Criterion[]): Filter<DeliveryDocument> {
  const checks = criteria.filter((one) => one !== from).map(({ check }) => check);
  return checks.length > 0 ? { $and: checks } : {};
}

const backwards = (sort: Criterion['sort']): Criterion['sort'] =>
  Object.fromEntries(
    Object.entries(sort).map(([field, direction]) => [field, direction === 1 ? -1 : 1]),
  );

/** The query of a term also names the days, because the index begins with them. */
export function termCriterion(term: string, { start, end }: DateRange): Criterion {
  const beginning = beginningIn(term);
  return {
    query: {
      'search.terms': beginning === undefined ? term : { $regex: `^${escaped(beginning)}` },
      ...((start ?? end) && {
        'search.day': { ...(start && { $gte: dayOf(start) }), ...(end && { $lte: dayOf(end) }) },
      }),
    },
    index: BY_TERM,
    sort: { 'search.day': -1, _id: -1 },
    // an expression, because MongoDB would choose one of several conditions on an array for the index
    check: { $expr: beginning === undefined ? { $in: [term, TERMS] } : hasTermWith(beginning) },
    ...(beginning !== undefined && { isBeginning: true }),
  };
}

/** MongoDB finds the beginning in the index unless letters are escaped, as `RegExp.escape` does. */
const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');

const TERMS = { $ifNull: ['$search.terms', []] };

const hasTermWith = (beginning: string): Document => ({
  $anyElementTrue: {
    $map: { input: TERMS, in: { $eq: [{ $indexOfCP: ['$$this', beginning] }, 0] } },
  },
});
