/** When a failed call is repeated. */
import type { InletError } from './error.ts';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;
/** A limit that ends later is reported instead. */
const MAX_RETRY_AFTER_SECONDS = 60;
/** These may have had an effect before they failed. */
const TEMPORARY = new Set([408, 500, 502, 503, 504]);

export type Failure = Pick<InletError, 'kind' | 'status' | 'retryAfterSeconds'>;

/**
 * Milliseconds until the next attempt; undefined when there is none.
 * @param attempt that failed, from 1
 * @param isRepeatable a second attempt has no second effect: GET, DELETE, PUT, or an Idempotency-Key
 * @param random from 0 to 1
 */
export function pauseBeforeRetryMs(
  failure: Failure,
  { attempt, maxRetries }: { attempt: number; maxRetries: number },
  isRepeatable: boolean,
  random: number,
): number | undefined {
  if (attempt > maxRetries || !mayRepeat(failure, isRepeatable)) return undefined;
  const { retryAfterSeconds } = failure;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS) * (0.5 + random / 2);
  if (retryAfterSeconds === undefined) return pauseMs;
  return retryAfterSeconds > MAX_RETRY_AFTER_SECONDS
    ? undefined
    : retryAfterSeconds * 1_000 + random * FIRST_PAUSE_MS;
}

function mayRepeat({ kind, status, retryAfterSeconds }: Failure, isRepeatable: boolean): boolean {
  if (status === 429) return true; // refused before it did anything
  if (!isRepeatable) return false;
  if (status === undefined) return kind === 'unreachable' || kind === 'timeout';
  // 409 with Retry-After: the first attempt is still in progress
  return TEMPORARY.has(status) || (status === 409 && retryAfterSeconds !== undefined);
}

/** Rejects with the reason of the signal when it is aborted. */
export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
