/**
 * Bounds how many emails wait in the RETRY lanes, in all and for one account (D169): they are the only
 * content that nothing else bounds, and they share a disk with all other email.
 */
import { createFreshCache } from '../../adapters/async/fresh-cache.ts';

type Counts = {
  /** Emails in all RETRY lanes. */
  waiting: () => Promise<number>;
  /** Deliveries of an account that wait, counted up to `most`. */
  waitingOf: (accountId: string, most: number) => Promise<number>;
};

/** A count is used for so long: dispatchers exceed the limits by what arrives meanwhile. */
const FRESH_MS = 10_000;
const ACCOUNTS_MAX = 1_000;

export function createBacklogLimit(
  { waiting, waitingOf }: Counts,
  { total, perAccount }: { total: number; perAccount: number },
  now: () => number = () => performance.now(),
): (accountId: string) => Promise<boolean> {
  const counts = createFreshCache<{ count: number }>({
    maxSize: ACCOUNTS_MAX,
    freshMs: () => FRESH_MS,
    nowMs: now,
  });

  /** Without a count, nothing is refused. */
  const recently = async (key: string, read: () => Promise<number>): Promise<number> =>
    (await counts.get(key, async () => ({ count: await read().catch(() => 0) }))).count;

  return async function isBacklogFull(accountId) {
    const all = await recently('', waiting);
    if (all >= total) return true;
    // one account cannot have more than all
    if (all < perAccount) return false;
    return (await recently(accountId, () => waitingOf(accountId, perAccount))) >= perAccount;
  };
}
