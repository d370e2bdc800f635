/** What other gateways have counted, by their latest reports. */
import type { SourceCountsExchange } from '../../adapters/messages/source-counts.ts';

export const REPORT_EVERY_MS = 1_000;
/** A gateway that has sent nothing for this long has nothing to report, or has stopped. */
const REPORT_VALID_MS = 3_500;
const MAX_GATEWAYS = 256;

/** @param at the position of the count in the reports */
export type CountsElsewhere = (key: string, at: number) => number;

/** @param nowMs a monotonic clock */
export function createCountsElsewhere(
  others: SourceCountsExchange,
  nowMs: () => number,
): CountsElsewhere {
  const reports = new Map<
    string,
    { heardAt: number; counts: ReadonlyMap<string, readonly number[]> }
  >();
  others.onReport(({ gateway, sources }) => {
    for (const [known, { heardAt }] of reports)
      if (nowMs() - heardAt >= REPORT_VALID_MS) reports.delete(known);
    if (reports.has(gateway) || reports.size < MAX_GATEWAYS)
      reports.set(gateway, { heardAt: nowMs(), counts: new Map(sources) });
  });
  return function countElsewhere(key, at) {
    let count = 0;
    for (const { heardAt, counts } of reports.values())
      if (nowMs() - heardAt < REPORT_VALID_MS) count += counts.get(key)?.[at] ?? 0;
    return count;
  };
}
