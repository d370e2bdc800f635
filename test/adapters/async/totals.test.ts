/** Totals of lists: exact for short lists and last pages, counted now and then for long ones (D30). */
import { describe, expect, test } from 'vitest';

import { COUNTED_EACH_TIME, createTotals } from '../../../services/adapters/async/totals.ts';
import { pageOf } from '../../../services/core/resource/pagination.ts';
import { until } from '../../support/until.ts';

const LONG = COUNTED_EACH_TIME + 1;

let nowMs = 0;
const clock = () => nowMs;

/** A list that can grow, whose count takes `ms` of the clock. */
function countedList(entries: number, ms: number) {
  let counts = 0;
  return {
    add: (more: number) => void (entries += more),
    counts: () => counts,
    count: async () => {
      counts++;
      const found = entries;
      await Promise.resolve();
      nowMs += ms;
      return found;
    },
  };
}

describe('the total of a list', () => {
  test('short lists are counted each time', async () => {
    const totalOf = createTotals(clock);
    const list = countedList(COUNTED_EACH_TIME - 1, 1);
    expect(await totalOf('list', list.count)).toBe(COUNTED_EACH_TIME - 1);
    list.add(1);
    expect(await totalOf('list', list.count)).toBe(COUNTED_EACH_TIME);
  });

  test('a long list is not recounted for each page', async () => {
    const totalOf = createTotals(clock);
    const list = countedList(LONG, 50);
    for (let page = 0; page < 30; page++) expect(await totalOf('list', list.count)).toBe(LONG);
    expect(list.counts()).toBe(1);
  });

  test('an older total is counted again in the background, a much older one before the response', async () => {
    const totalOf = createTotals(clock);
    const list = countedList(LONG, 10); // used for 200 ms, then counted again
    await totalOf('list', list.count);
    list.add(1);
    nowMs += 250;
    expect(await totalOf('list', list.count)).toBe(LONG);
    await until('the second count', () => list.counts() === 2);
    await new Promise(setImmediate); // the second count has ended
    expect(await totalOf('list', list.count)).toBe(LONG + 1);
    list.add(1);
    nowMs += 1_000;
    expect(await totalOf('list', list.count)).toBe(LONG + 2);
    expect(list.counts()).toBe(3);
  });

  test('lists and filters have separate totals', async () => {
    const totalOf = createTotals(clock);
    await totalOf('one', countedList(LONG, 20).count);
    expect(await totalOf('other', countedList(LONG + 5, 20).count)).toBe(LONG + 5);
  });

  test('a failed count is not remembered', async () => {
    const totalOf = createTotals(clock);
    await expect(totalOf('list', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await totalOf('list', countedList(LONG, 1).count)).toBe(LONG);
  });
});

describe('a page with an outdated total', () => {
  const PAGE = { limit: 2, offset: 4 };
  test.each([
    ['more follow: at least one more than shown', ['a', 'b', 'c'], 5, { items: 2, total: 7 }],
    ['the end of the list: exact', ['a'], 900, { items: 1, total: 5 }],
    ['a full last page: exact', ['a', 'b'], 3, { items: 2, total: 6 }],
    ['beyond the end: no more', [], 900, { items: 0, total: 4 }],
  ])('%s', async (_, found, counted, { items, total }) => {
    const page = await pageOf(found, PAGE, async () => counted);
    expect([page.items.length, page.total]).toEqual([items, total]);
  });
});
