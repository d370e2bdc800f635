/** Pages of addresses (spec 2.8, 4.5, 8; D30). */
import { expect, test } from 'vitest';

import { startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const COUNT = 120;

const api = await useInFile(startTestApi());
const start = Date.now();
const stored = [];
// Three addresses share each millisecond: their ids decide the order.
for (let i = 0; i < COUNT; i++)
  stored.push(await api.store({ created_at: new Date(start - Math.floor(i / 3)) }));
const newestFirst = stored
  .toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1))
  .map(({ id }) => id);

type Page = { ids: string[]; pagination: unknown };

async function page(query: string): Promise<Page> {
  const { status, body } = await api.ask('GET', `/v1/addresses${query}`);
  expect(status).toBe(200);
  return { ids: (body.data as { id: string }[]).map(({ id }) => id), pagination: body.pagination };
}

test.each([
  ['', 50, 0, true],
  ['?limit=100', 100, 0, true],
  ['?limit=1', 1, 0, true],
  ['?limit=20&offset=100', 20, 100, false],
  ['?limit=100&offset=20', 100, 20, false],
  ['?offset=70', 50, 70, false],
  ['?offset=69', 50, 69, true],
  ['?limit=50&offset=110', 50, 110, false],
  ['?offset=120', 50, 120, false],
  ['?offset=9007199254740991', 50, Number.MAX_SAFE_INTEGER, false],
])('spec 4.5, 8: GET /addresses%s', async (query, limit, offset, has_more) => {
  expect(await page(query)).toEqual({
    ids: newestFirst.slice(offset, offset + limit),
    pagination: { limit, offset, total: COUNT, has_more },
  });
});

test('D30: newest first, by created_at, then id', async () => {
  const ids = [];
  for (let offset = 0; offset < COUNT; offset += 7)
    ids.push(...(await page(`?limit=7&offset=${offset}`)).ids);
  expect(ids).toEqual(newestFirst);
});

test('spec 2.8: the envelope has data and pagination, and nothing else', async () => {
  const { body } = await api.ask('GET', '/v1/addresses?limit=1');
  expect(Object.keys(body)).toEqual(['data', 'pagination']);
  expect(Object.keys(body.pagination as object)).toEqual(['limit', 'offset', 'total', 'has_more']);
});

test('paging to the end misses no address while others are added, and each page is consistent', async () => {
  const other = await api.newAccount();
  const { token } = await api.issue({ accountId: other.id });
  const scope = { account_id: other.id };
  const atStart = new Set<string>();
  for (let i = 0; i < 60; i++)
    atStart.add((await api.store({ ...scope, created_at: new Date(Date.now() - 60_000 - i) })).id);

  const seen = new Set<string>();
  let added = 0;
  for (let offset = 0, more = true; more; offset += 10) {
    const { body } = await api.ask('GET', `/v1/addresses?limit=10&offset=${offset}`, { token });
    const ids = (body.data as { id: string }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(body.pagination).toEqual({
      limit: 10,
      offset,
      total: 60 + added,
      has_more: offset + ids.length < 60 + added,
    });
    for (const id of ids) seen.add(id);
    more = offset + ids.length < 60 + added;
    for (let i = 0; i < 3 && added < 30; i++, added++)
      await api.store({ ...scope, created_at: new Date() });
  }
  expect([...atStart].filter((id) => !seen.has(id))).toEqual([]);
});
