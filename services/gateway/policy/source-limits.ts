/** What one source may do, over all gateways: window-counts.ts counts it. */
import type { CountsExchange } from '../../adapters/messages/gateway-counts.ts';
import { isInNetworks, sourceNetwork } from '../../core/network/network.ts';
import { SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import {
  type Measure,
  MEASURES,
  refusalOfOneMore,
  SOURCE_WINDOWS_MS,
  type SourceLimits as Limits,
} from '../../core/smtp/source-limits.ts';
import { createWindowCounts } from './window-counts.ts';

/** Disposed when the connection closes. */
type CountedConnection = Disposable & {
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

/** @param nowMs a monotonic clock */
export function createSourceLimiter(
  { limits, exemptNetworks, maxSources = MAX_SOURCES }: Options,
  others: CountsExchange,
  nowMs: () => number,
): SourceLimiter {
  const counts = createWindowCounts(
    { maxKeys: maxSources, windowsMs: SOURCE_WINDOWS_MS },
    others,
    nowMs,
  );
  const inOrder = MEASURES.map((measure) => limits[measure]);

  const check = (source: string, ...measures: Measure[]) => {
    const reply = refusalOfOneMore(measures, limits, (measure) =>
      counts.everywhere(source, MEASURES.indexOf(measure)),
    );
    if (reply !== undefined) throw new SmtpRefusal(reply);
  };
  const count = (source: string, ...measures: Measure[]) => {
    for (const measure of measures) counts.add(source, MEASURES.indexOf(measure), inOrder);
  };

  return {
    countConnection: function countConnection(address) {
      if (isInNetworks(address, exemptNetworks)) return UNLIMITED;
      const source = sourceNetwork(address);
      check(source, 'open_connections', 'connections_per_minute');
      count(source, 'open_connections', 'connections_per_minute');
      let isOpen = true;
      return {
        countMessage: () => {
          check(source, 'messages_per_minute');
          count(source, 'messages_per_minute');
        },
        checkUnknown: () => check(source, 'unknown_per_minute', 'unknown_per_hour'),
        countUnknown: () => {
          check(source, 'unknown_per_minute', 'unknown_per_hour');
          count(source, 'unknown_per_minute', 'unknown_per_hour');
        },
        [Symbol.dispose]: () => {
          if (isOpen) counts.remove(source, MEASURES.indexOf('open_connections'));
          isOpen = false;
        },
      };
    },
    trackedSources: () => counts.tracked(),
    [Symbol.dispose]: () => counts[Symbol.dispose](),
  };
}
