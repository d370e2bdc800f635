/**
 * Counts what each source does at this gateway, and adds what other gateways report. Memory is
 * bounded: the sources seen longest ago are dropped first, open connections never.
 */
import { LRUCache } from 'lru-cache';

import type { SourceCountsExchange, SourceReport } from '../../adapters/messages/source-counts.ts';
import { isInNetworks, sourceNetwork } from '../../core/network.ts';
import {
  countIn,
  countOne,
  emptyWindow,
  type SlidingWindow,
} from '../../core/smtp/sliding-window.ts';
import { SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import {
  type Measure,
  MEASURES,
  type Rate,
  refusalOfOneMore,
  shareOf,
  type SourceLimits as Limits,
  REPORTED_SHARE,
  windowOf,
} from '../../core/smtp/source-limits.ts';
import { createCountsElsewhere, REPORT_EVERY_MS } from './counts-elsewhere.ts';

/** Disposed when the connection closes. */
export type CountedConnection = Disposable & {
  /** MAIL. @throws SmtpRefusal above the limit */
  countMessage(): void;
  /**
   * RCPT, before the recipient is looked up, so that the reply says nothing about it.
   * @throws SmtpRefusal after too many unknown recipients
   */
  checkUnknown(): void;
  /** The recipient is unknown. @throws SmtpRefusal above the limit */
  countUnknown(): void;
};

export type SourceLimiter = Disposable & {
  /** A new connection from this address. @throws SmtpRefusal above the limits */
  countConnection(address: string): CountedConnection;
  trackedSources(): number;
};

type Options = { limits: Limits; exemptNetworks: readonly string[]; maxSources?: number };

const MAX_SOURCES = 50_000;

const UNLIMITED: CountedConnection = {
  countMessage: () => undefined,
  checkUnknown: () => undefined,
  countUnknown: () => undefined,
  [Symbol.dispose]: () => undefined,
};

/** For trusted relays, which send the email of many sources. */
export const noSourceLimits = { countConnection: (): CountedConnection => UNLIMITED };

type Windows = Partial<Record<Rate, SlidingWindow>>;

/** @param nowMs a monotonic clock */
export function createSourceLimiter(
  { limits, exemptNetworks, maxSources = MAX_SOURCES }: Options,
  others: SourceCountsExchange,
  nowMs: () => number,
): SourceLimiter {
  const open = new Map<string, number>();
  /** Sources that this gateway reports to the others. */
  const reported = new Set<string>();
  const windows = new LRUCache<string, Windows>({
    max: maxSources,
    dispose: (_, source) => reported.delete(source),
  });
  const elsewhere = createCountsElsewhere(others, nowMs);

  const countHere = (source: string, measure: Measure): number => {
    if (measure === 'open_connections') return open.get(source) ?? 0;
    const window = windows.get(source)?.[measure]; // this read keeps a refused source in the cache
    return window === undefined ? 0 : countIn(window, windowOf(measure, limits), nowMs());
  };
  const check = (source: string, ...measures: Measure[]) => {
    const reply = refusalOfOneMore(
      measures,
      limits,
      (measure) => countHere(source, measure) + elsewhere(source, MEASURES.indexOf(measure)),
    );
    if (reply !== undefined) throw new SmtpRefusal(reply);
  };
  const watch = (source: string, measure: Measure) => {
    if (
      !reported.has(source) &&
      shareOf(measure, limits, countHere(source, measure)) >= REPORTED_SHARE
    )
      reported.add(source);
  };
  const count = (source: string, rate: Rate) => {
    if (limits[rate] === 0) return;
    let counted = windows.get(source);
    if (counted === undefined) windows.set(source, (counted = {}));
    countOne((counted[rate] ??= emptyWindow()), windowOf(rate, limits), nowMs());
    watch(source, rate);
  };
  const leave = (source: string) => {
    const left = (open.get(source) ?? 1) - 1;
    if (left === 0) open.delete(source);
    else open.set(source, left);
  };

  const reportToOthers = () => {
    const lines: { share: number; line: SourceReport['sources'][number] }[] = [];
    for (const source of reported) {
      const counts = MEASURES.map((measure) => countHere(source, measure));
      const share = Math.max(
        ...MEASURES.map((measure, i) => shareOf(measure, limits, counts[i] ?? 0)),
      );
      if (share >= REPORTED_SHARE) lines.push({ share, line: [source, counts] });
      else reported.delete(source);
    }
    if (lines.length > 0)
      others.report(lines.toSorted((a, b) => b.share - a.share).map(({ line }) => line));
  };
  const reporting = setInterval(reportToOthers, REPORT_EVERY_MS);
  reporting.unref();

  return {
    countConnection: function countConnection(address) {
      if (isInNetworks(address, exemptNetworks)) return EXEMPT;
      const source = sourceNetwork(address);
      check(source, 'open_connections', 'connections_per_minute');
      open.set(source, (open.get(source) ?? 0) + 1);
      watch(source, 'open_connections');
      count(source, 'connections_per_minute');
      let isOpen = true;
      return {
        countMessage: () => {
          check(source, 'messages_per_minute');
          count(source, 'messages_per_minute');
        },
        checkUnknown: () => check(source, 'unknown_per_minute', 'unknown_per_hour'),
        countUnknown: () => {
          check(source, 'unknown_per_minute', 'unknown_per_hour');
          count(source, 'unknown_per_minute');
          count(source, 'unknown_per_hour');
        },
        [Symbol.dispose]: () => {
          if (isOpen) leave(source);
          isOpen = false;
        },
      };
    },
    trackedSources: () => windows.size,
    [Symbol.dispose]: () => clearInterval(reporting),
  };
}

const EXEMPT: CountedConnection = {
  countMessage: () => undefined,
  checkUnknown: () => undefined,
  countUnknown: () => undefined,
  [Symbol.dispose]: () => undefined,
};
