/**
 * The totals of long lists, counted only now and then: counting 1,000,000 entries for each page
 * would cost more than the page. Totals of short lists are always counted.
 */
import { LRUCache } from 'lru-cache';

import { createCoalescedRead } from './coalesce.ts';

/** Resolves with the number of entries. `key` names the list and its filters. */
type TotalOf = (key: string, count: () => Promise<number>) => Promise<number>;

/** Up to this number, every page counts. */
export const COUNTED_EACH_TIME = 1_000;
/** A total is used for this many times the time that it took to count: 5 % of one core at most. */
const USED_FOR_TIMES = 20;
const USED_FOR_MAX_MS = 15_000;
const MAX_LISTS = 2_000;

type Counted = { total: number; atMs: number; usedForMs: number };

/** @param nowMs a monotonic clock */
export function createTotals(nowMs = () => performance.now()): TotalOf {
  const lists = new LRUCache<string, Counted>({ max: MAX_LISTS });
  const coalesced = createCoalescedRead<number>();

  const countNow = (key: string, count: () => Promise<number>): Promise<number> =>
    coalesced(key, async () => {
      const atMs = nowMs();
      const total = await count();
      const usedForMs = Math.min(USED_FOR_MAX_MS, USED_FOR_TIMES * (nowMs() - atMs));
      if (total > COUNTED_EACH_TIME) lists.set(key, { total, atMs, usedForMs });
      else lists.delete(key);
      return total;
    });

  return async function totalOf(key, count) {
    const counted = lists.get(key);
    if (counted === undefined) return countNow(key, count);
    const ageMs = nowMs() - counted.atMs;
    if (ageMs > 2 * counted.usedForMs) return countNow(key, count);
    if (ageMs > counted.usedForMs) {
      counted.atMs = nowMs() - counted.usedForMs; // the next request does not count, too
      countNow(key, count).catch(() => undefined); // a request that needs the total reports it
    }
    return counted.total;
  };
}
