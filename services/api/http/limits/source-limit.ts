/**
 * What each source did in its present minute, such as failed authentications. Counted in this
 * process only, because such a limit need not be exact.
 */
import type { LimitState } from './request-limits.ts';

export type SourceLimit = {
  count(source: string): void;
  state(source: string): LimitState;
};

const MINUTE_MS = 60_000;
/** A client can have many addresses. Above this number, sources with ended windows are dropped. */
const SOURCES_BEFORE_PRUNING = 10_000;

type Window = { count: number; resetAt: Date };

export function createSourceLimit({ perMinute }: { perMinute: number }): SourceLimit {
  const windows = new Map<string, Window>();
  let pruneAbove = SOURCES_BEFORE_PRUNING;

  const prune = (now: Date) => {
    for (const [source, { resetAt }] of windows) if (resetAt <= now) windows.delete(source);
    pruneAbove = Math.max(SOURCES_BEFORE_PRUNING, 2 * windows.size);
  };

  /** The current window; undefined when nothing was counted in it. */
  const current = (source: string, now: Date): Window | undefined => {
    const known = windows.get(source);
    return known && known.resetAt > now ? known : undefined;
  };

  return {
    count: function countForSource(source) {
      const now = new Date();
      const known = current(source, now);
      if (known) known.count++;
      else windows.set(source, { count: 1, resetAt: new Date(now.getTime() + MINUTE_MS) });
      if (windows.size > pruneAbove) prune(now);
    },
    state: function stateOfSource(source) {
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
