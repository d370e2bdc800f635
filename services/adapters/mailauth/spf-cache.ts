/**
 * A cache of SPF results, which are the same for all emails of one client and sender. Each expires
 * before the records that it depends on.
 */
import { LRUCache } from 'lru-cache';
import { spf, type SPFOptions, type SPFResult } from 'mailauth';

export type SpfCache = (question: SPFOptions) => Promise<SPFResult>;

const ENTRIES_MAX = 10_000;

/** @param ttlMs 0 for no cache */
export function createSpfCache(ttlMs: number): SpfCache {
  if (ttlMs === 0) return (question) => spf(question);
  const known = new LRUCache<string, SPFResult>({ max: ENTRIES_MAX, ttl: ttlMs });
  return async function cachedSpf(question) {
    const key = [question.ip, question.helo, question.sender].join('\n'); // in none of them
    const cached = known.get(key);
    if (cached !== undefined) return cached;
    const result = await spf(question);
    if (result.status.result !== 'temperror') known.set(key, result);
    return result;
  };
}
