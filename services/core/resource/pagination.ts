/** Offset pagination of lists: query fields and response envelope (spec 2.8, 4.5). */
import { z } from 'zod';

import { describeSchema } from './api-reference.ts';
export type PageRequest = {
  /** maximum number of items */
  limit: number;
  /** items skipped */
  offset: number;
};

/** One page, and how many items match in all. */
export type Page<T> = { items: T[]; total: number };

/**
 * The page of a list. `has_more` and the total of a last page are exact, even if `total` resolves
 * with an older number.
 * @param found the items from the offset, one more than the limit if there are more
 * @param total counts the list
 */
export async function pageOf<T>(
  found: readonly T[],
  { limit, offset }: PageRequest,
  total: () => Promise<number>,
): Promise<Page<T>> {
  const items = found.slice(0, limit);
  if (found.length > limit) return { items, total: Math.max(await total(), offset + limit + 1) };
  if (items.length > 0 || offset === 0) return { items, total: offset + items.length };
  return { items, total: Math.min(await total(), offset) };
}

/** The query fields of a paged list; each list has its own limits (spec section 8). */
export const pageQuery = ({
  maxLimit,
  defaultLimit,
}: {
  maxLimit: number;
  defaultLimit: number;
}) => ({
  limit: z.int().min(1).max(maxLimit).default(defaultLimit).describe('number of items returned'),
  offset: z.int().min(0).default(0).describe('number of items skipped'),
});

const Pagination = z.object({
  limit: z.int(),
  offset: z.int(),
  total: z
    .int()
    .describe('number of all matching items; in a list of more than 1,000, up to 30 seconds old'),
  has_more: z.boolean().describe('true when more items exist beyond this page'),
});
describeSchema(Pagination, 'Pagination', { limit: 50, offset: 0, total: 1, has_more: false });

export const envelopeOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), pagination: Pagination });

export function envelope<T>(
  data: T[],
  total: number,
  { limit, offset }: PageRequest,
): { data: T[]; pagination: z.infer<typeof Pagination> } {
  return { data, pagination: { limit, offset, total, has_more: offset + data.length < total } };
}
