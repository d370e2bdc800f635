/** Reads a list that is usually short from its first page to its last. */
import type { Pagination } from '../../core/api/api-types.generated.ts';

const PAGE = 100;
const PAGES_MAX = 10;

/** @returns at most 1,000 items */
export async function allPages<Item>(
  load: (page: { limit: number; offset: number }) => Promise<{
    data: readonly Item[];
    pagination: Pagination;
  }>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let page = 0; page < PAGES_MAX; page++) {
    const { data, pagination } = await load({ limit: PAGE, offset: page * PAGE });
    items.push(...data);
    if (!pagination.has_more) break;
  }
  return items;
}
