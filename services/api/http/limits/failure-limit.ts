/**
 * Failed authentications of each source, counted in this process only, because this limit need not
 * be exact.
 */
import type { LimitState } from './request-limits.ts';

export type FailureLimit = {
  count(source: string): void;
  state(source: string): LimitState;
};

const MINUTE_MS = 60_000;
/** A client can have many addresses. Above this number, sources with ended windows are dropped. */
const SOURCES_BEFORE_PRUNING = 10_000;

type Failures = { count: number; resetAt: Date };

export function createFailureLimit({ perMinute }: { perMinute: number }): FailureLimit {
  const failures = new Map<string, Failures>();
  let pruneAbove = SOURCES_BEFORE_PRUNING;

  const prune = (now: Date) => {
    for (const [source, { resetAt }] of failures) if (resetAt <= now) failures.delete(source);
    pruneAbove = Math.max(SOURCES_BEFORE_PRUNING, 2 * failures.size);
  };

  /** Failures in the current window; undefined when there are none. */
  const current = (source: string, now: Date): Failures | undefined => {
    const known = failures.get(source);
    return known && known.resetAt > now ? known : undefined;
  };

  return {
    count: function countFailure(source) {
      const now = new Date();
      const known = current(source, now);
      if (known) known.count++;
      else failures.set(source, { count: 1, resetAt: new Date(now.getTime() + MINUTE_MS) });
      if (failures.size > pruneAbove) prune(now);
    },
    state: function stateOfFailures(source) {
      const now = new Date();
      const { count = 0, resetAt = now } = current(source, now) ?? {};
      return {
        isExceeded: count >= perMinute,
        limit: perMinute,
        remaining: Math.max(0, perMinute - count),
        resetAt,
      };
    },
  };
}
