/**
 * What each source has had at this gateway, and what the others say it has had at theirs. A connection is a visit: it ends when the connection
 * closes. Bounded in memory: the sources that were longest away are forgotten first, open connections are never.
 */
import { LRUCache } from 'lru-cache';

import type { SourceCountsExchange, SourceReport } from '../../adapters/stream/source-counts.ts';
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
  TOLD_SHARE,
  windowOf,
} from '../../core/smtp/source-limits.ts';

export type Visit = Disposable & {
  /** MAIL. @throws SmtpRefusal beyond the limit */
  startMessage(): void;
  /** RCPT, before anything is looked up: what is refused here tells nothing of the recipient. @throws SmtpRefusal after too many unknown ones */
  startRecipient(): void;
  /** The recipient is not known. @throws SmtpRefusal when this is one too many */
  recipientIsUnknown(): void;
};

export type SourceLimiter = Disposable & {
  /** A connection from this address. @throws SmtpRefusal beyond the limits */
  enter(address: string): Visit;
  trackedSources(): number;
};

type Options = { limits: Limits; exemptNetworks: readonly string[]; maxSources?: number };

const MAX_SOURCES = 50_000;
const TELL_EVERY_MS = 1_000;
/** A gateway that was silent for this long has nothing to say, or is gone. */
const REPORT_VALID_MS = 3_500;
const MAX_GATEWAYS = 256;

type Windows = Partial<Record<Rate, SlidingWindow>>;

/** @param nowMs a clock that is never set back */
export function createSourceLimiter(
  { limits, exemptNetworks, maxSources = MAX_SOURCES }: Options,
  others: SourceCountsExchange,
  nowMs: () => number,
): SourceLimiter {
  const open = new Map<string, number>();
  /** Sources of which the others are told. */
  const heavy = new Set<string>();
  const windows = new LRUCache<string, Windows>({
    max: maxSources,
    dispose: (_, source) => heavy.delete(source),
  });
  const reports = new Map<
    string,
    { heardAt: number; counts: ReadonlyMap<string, readonly number[]> }
  >();

  const countHere = (source: string, measure: Measure): number => {
    if (measure === 'open_connections') return open.get(source) ?? 0;
    const window = windows.get(source)?.[measure]; // who is refused is not forgotten for that
    return window === undefined ? 0 : countIn(window, windowOf(measure, limits), nowMs());
  };
  const countElsewhere = (source: string, measure: Measure): number => {
    let count = 0;
    for (const { heardAt, counts } of reports.values())
      if (nowMs() - heardAt < REPORT_VALID_MS)
        count += counts.get(source)?.[MEASURES.indexOf(measure)] ?? 0;
    return count;
  };
  const check = (source: string, ...measures: Measure[]) => {
    const reply = refusalOfOneMore(
      measures,
      limits,
      (measure) => countHere(source, measure) + countElsewhere(source, measure),
    );
    if (reply !== undefined) throw new SmtpRefusal(reply);
  };
  const watch = (source: string, measure: Measure) => {
    if (!heavy.has(source) && shareOf(measure, limits, countHere(source, measure)) >= TOLD_SHARE)
      heavy.add(source);
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

  others.onReport(({ gateway, sources }: SourceReport) => {
    for (const [known, { heardAt }] of reports)
      if (nowMs() - heardAt >= REPORT_VALID_MS) reports.delete(known);
    if (reports.has(gateway) || reports.size < MAX_GATEWAYS)
      reports.set(gateway, { heardAt: nowMs(), counts: new Map(sources) });
  });
  const tellOthers = () => {
    const told: { share: number; line: SourceReport['sources'][number] }[] = [];
    for (const source of heavy) {
      const counts = MEASURES.map((measure) => countHere(source, measure));
      const share = Math.max(
        ...MEASURES.map((measure, i) => shareOf(measure, limits, counts[i] ?? 0)),
      );
      if (share >= TOLD_SHARE) told.push({ share, line: [source, counts] });
      else heavy.delete(source);
    }
    if (told.length > 0)
      others.tell(told.toSorted((a, b) => b.share - a.share).map(({ line }) => line));
  };
  const telling = setInterval(tellOthers, TELL_EVERY_MS);
  telling.unref();

  return {
    enter: function enter(address) {
      if (isInNetworks(address, exemptNetworks)) return EXEMPT;
      const source = sourceNetwork(address);
      check(source, 'open_connections', 'connections_per_minute');
      open.set(source, (open.get(source) ?? 0) + 1);
      watch(source, 'open_connections');
      count(source, 'connections_per_minute');
      let isOpen = true;
      return {
        startMessage: () => {
          check(source, 'messages_per_minute');
          count(source, 'messages_per_minute');
        },
        startRecipient: () => check(source, 'unknown_per_minute', 'unknown_per_hour'),
        recipientIsUnknown: () => {
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
    [Symbol.dispose]: () => clearInterval(telling),
  };
}

const EXEMPT: Visit = {
  startMessage: () => undefined,
  startRecipient: () => undefined,
  recipientIsUnknown: () => undefined,
  [Symbol.dispose]: () => undefined,
};
