/** Offset pagination (spec 2.8, 4.5). */
import { expect, test } from 'vitest';
import { z } from 'zod';

import { envelope, pageQuery } from '../../../services/core/resource/pagination.ts';

const Query = z.strictObject(pageQuery({ maxLimit: 100, defaultLimit: 50 }));

test('spec 8: the defaults are limit 50 and offset 0', () => {
  expect(Query.parse({})).toEqual({ limit: 50, offset: 0 });
});

test.each([
  [{ limit: 0 }],
  [{ limit: 101 }],
  [{ limit: -1 }],
  [{ limit: 1.5 }],
  [{ offset: -1 }],
  [{ offset: 0.5 }],
  [{ offset: 1e16 }],
])('refused: %j', (query) => {
  expect(Query.safeParse(query).success).toBe(false);
});

test.each([
  ['a first page of several', [1, 2], 5, { limit: 2, offset: 0 }, true],
  ['the last page, full', [4, 5], 5, { limit: 2, offset: 3 }, false],
  ['the last page, not full', [5], 5, { limit: 2, offset: 4 }, false],
  ['exactly one page', [1, 2], 2, { limit: 2, offset: 0 }, false],
  ['beyond the end', [], 5, { limit: 2, offset: 9 }, false],
  ['nothing at all', [], 0, { limit: 2, offset: 0 }, false],
])('spec 4.5: has_more of %s', (_, data, total, page, hasMore) => {
  expect(envelope(data, total, page)).toEqual({
    data,
    pagination: { ...page, total, has_more: hasMore },
  });
});
