/**
 * Pages of lists (D30). Requests for the same page at the same time share one query, and totals of
 * long lists are counted now and then: a count takes about 50 ms for 100,000 addresses.
 */
import type { Collection, Document, Filter, Sort, WithId } from 'mongodb';

import { type Page, pageOf, type PageRequest } from '../../../core/resource/pagination.ts';
import { createCoalescedRead } from '../../async/coalesce.ts';
import { createTotals } from '../../async/totals.ts';

/** The entries that match a query, in the order of an index. */
type List<T> = {
  query: Filter<T>;
  sort: Sort;
  /** Name of the index to read. Without it, the planner may choose one that holds all accounts. */
  hint: string;
  /** Name of the index to count, if another one covers the query. */
  countHint?: string;
  projection?: Document | undefined;
  /** Names the list when the query contains the time; the query itself when absent. */
  key?: string;
};

export function createPages<T extends Document, Item>(
  collection: Collection<T>,
  shown: (stored: WithId<T>) => Item,
) {
  const samePage = createCoalescedRead<Item[]>();
  const totalOf = createTotals();

  return async function pageOfList(
    { query, sort, hint, countHint = hint, projection, key = JSON.stringify(query) }: List<T>,
    page: PageRequest,
  ): Promise<Page<Item>> {
    const { offset, limit } = page;
    const found = await samePage(JSON.stringify([key, sort, offset, limit]), () =>
      collection
        .find(query, { hint, projection, sort, skip: offset, limit: limit + 1 })
        .map(shown)
        .toArray(),
    );
    return pageOf(found, page, () =>
      totalOf(key, () => collection.countDocuments(query, { hint: countHint })),
    );
  };
}
