/** Exponential backoff with jitter: the wait before a retry. */

type Backoff = { firstMs: number; longestMs: number };

/**
 * @param failures consecutive failures, from 1
 * @param random 0 … 1
 */
export function backoffMs(
  failures: number,
  { firstMs, longestMs }: Backoff,
  random: number,
): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return full * (0.5 + random / 2);
}
