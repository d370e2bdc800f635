/**
 * Counts what each key, a source or an address, does at this gateway, and adds what other gateways
 * report. Memory is bounded: the keys seen longest ago are dropped first, except what is present.
 */
import { LRUCache } from 'lru-cache';

import type { CountsExchange, GatewayCounts } from '../../adapters/messages/gateway-counts.ts';
import {
  countIn,
  countOne,
  emptyWindow,
  type SlidingWindow,
} from '../../core/smtp/sliding-window.ts';
import { REPORTED_SHARE, shareOf } from '../../core/smtp/source-limits.ts';

/** The limit of each measure, in the order in which gateways report their counts; 0 for no limit. */
type Limits = readonly number[];

type WindowCounts = Disposable & {
  /** @param at the position of the measure */
  here(key: string, at: number): number;
  /** At this gateway and at others. */
  everywhere(key: string, at: number): number;
  add(key: string, at: number, limits: Limits): void;
  /** No longer present. */
  remove(key: string, at: number): void;
  /** Keys with a count in a window. */
  tracked(): number;
};

const REPORT_EVERY_MS = 1_000;
/** A gateway that has sent nothing for this long has nothing to report, or has stopped. */
const REPORT_VALID_MS = 3_500;
const MAX_GATEWAYS = 256;

type Options = {
  maxKeys: number;
  /** The window of each measure. A window of 0 counts what is present, such as open connections. */
  windowsMs: readonly number[];
};

type Heard = { heardAt: number; counts: ReadonlyMap<string, readonly number[]> };

/** @param nowMs a monotonic clock */
export function createWindowCounts(
  { maxKeys, windowsMs }: Options,
  others: CountsExchange,
  nowMs: () => number,
): WindowCounts {
  /** What is present, by position and key. */
  const present = new Map<string, number>();
  /** Keys that this gateway reports to the others. */
  const reported = new Map<string, Limits>();
  const counted = new LRUCache<string, (SlidingWindow | undefined)[]>({
    max: maxKeys,
    dispose: (_, key) => reported.delete(key),
  });
  const reports = new Map<string, Heard>();

  const windowMsOf = (at: number): number => windowsMs[at] ?? 0;

  const here = (key: string, at: number): number => {
    const window = counted.get(key)?.[at]; // this read keeps a refused key in the cache
    return window
      ? countIn(window, windowMsOf(at), nowMs())
      : (present.get(presentKey(key, at)) ?? 0);
  };

  const elsewhere = (key: string, at: number): number => {
    let count = 0;
    for (const { heardAt, counts } of reports.values())
      if (nowMs() - heardAt < REPORT_VALID_MS) count += counts.get(key)?.[at] ?? 0;
    return count;
  };

  const countInWindow = (key: string, at: number, windowMs: number): void => {
    let windows = counted.get(key);
    if (windows === undefined) counted.set(key, (windows = windowsMs.map(() => undefined))); // without spare room
    countOne((windows[at] ??= emptyWindow()), windowMs, nowMs());
  };

  others.onReport(({ gateway, counts }) => {
    for (const [known, { heardAt }] of reports)
      if (nowMs() - heardAt >= REPORT_VALID_MS) reports.delete(known);
    if (reports.has(gateway) || reports.size < MAX_GATEWAYS)
      reports.set(gateway, { heardAt: nowMs(), counts: new Map(counts) });
  });

  const report = (): void => {
    const lines: { share: number; line: GatewayCounts['counts'][number] }[] = [];
    for (const [key, limits] of reported) {
      const counts = windowsMs.map((_, at) => here(key, at));
      const share = Math.max(...limits.map((limit, at) => shareOf(limit, counts[at] ?? 0)));
      if (share >= REPORTED_SHARE) lines.push({ share, line: [key, counts] });
      else reported.delete(key);
    }
    if (lines.length > 0)
      others.report(lines.toSorted((a, b) => b.share - a.share).map(({ line }) => line));
  };
  const reporting = setInterval(report, REPORT_EVERY_MS);
  reporting.unref();

  return {
    here,
    everywhere: (key, at) => here(key, at) + elsewhere(key, at),
    add: (key, at, limits) => {
      const [limit, windowMs] = [limits[at] ?? 0, windowMsOf(at)];
      if (windowMs === 0) change(present, presentKey(key, at), 1);
      else if (limit > 0) countInWindow(key, at, windowMs);
      if (shareOf(limit, here(key, at)) >= REPORTED_SHARE) reported.set(key, limits);
    },
    remove: (key, at) => change(present, presentKey(key, at), -1),
    tracked: () => counted.size,
    [Symbol.dispose]: () => clearInterval(reporting),
  };
}

const presentKey = (key: string, at: number): string => `${at} ${key}`;

function change(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const after = (counts.get(key) ?? 0) + by;
  if (after > 0) counts.set(key, after);
  else counts.delete(key);
}
