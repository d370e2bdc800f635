/** Walks through a list, page by page. */
import type { Listing } from './operation.ts';

export type Page = { data: readonly unknown[]; pagination?: { has_more: boolean } };
type Query = Record<string, unknown>;

/** New items come first and move others to the next page: as many may arrive while a page is read. */
const REMEMBERED_MAX = 10_000;

/** @param maxItems of a page; 0 for a list without pages */
export const createListing = (
  query: Query,
  maxItems: number,
  read: (query: Query) => Promise<Page>,
): Listing<Page> => ({
  page: () => read(query),
  async *[Symbol.asyncIterator]() {
    const limit = Number(query.limit ?? maxItems);
    const seen = new Set<unknown>();
    for (let offset = Number(query.offset ?? 0); ; offset += limit) {
      const { data, pagination } = await read(maxItems === 0 ? query : { ...query, limit, offset });
      for (const item of data) {
        const id = idOf(item);
        if (id !== undefined && seen.has(id)) continue;
        yield item;
        if (id !== undefined) seen.add(id);
        const [oldest] = seen;
        if (seen.size > REMEMBERED_MAX) seen.delete(oldest);
      }
      if (maxItems === 0 || data.length === 0 || !pagination?.has_more) return;
    }
  },
});

/** Undefined for an item without an id. */
function idOf(item: unknown): unknown {
  const { id, event_id: eventId } = item as { id?: unknown; event_id?: unknown };
  return id ?? eventId;
}
