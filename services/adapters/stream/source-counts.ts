/** Gateways tell each other, over NATS core, how much the sources that come often have had. What is lost or late only makes the limits less exact. */
import { z } from 'zod';

import type { Log } from '../process/log.ts';
import type { Nats } from './connection.ts';

const SUBJECT = 'inlet.gateways.sources';
/** Sources of one report: it must stay a small message. */
const MAX_SOURCES = 500;

/** What one gateway counts: for each source its counts, in an order that gateways of one version agree on. */
const SourceReport = z.object({
  gateway: z.string().max(64),
  sources: z
    .array(z.tuple([z.string().max(64), z.array(z.int().nonnegative()).max(16)]))
    .max(MAX_SOURCES),
});
export type SourceReport = z.infer<typeof SourceReport>;

export type SourceCountsExchange = {
  /** Says nothing while NATS is away, nor keeps it for later. */
  tell(sources: SourceReport['sources']): void;
  /** Calls back with every report of another gateway. */
  onReport(listener: (report: SourceReport) => void): void;
};

export function createSourceCountsExchange(
  nats: Nats,
  gateway: string,
  log: Log,
): SourceCountsExchange {
  return {
    tell: (sources) => {
      if (nats.isConnected())
        nats.connection.publish(
          SUBJECT,
          JSON.stringify({ gateway, sources: sources.slice(0, MAX_SOURCES) }),
        );
    },
    onReport: (listener) => {
      nats.connection.subscribe(SUBJECT, {
        callback: (error, message) => {
          if (error) return log.warn('source_counts.interrupted', { error });
          const report = readReport(message.string());
          if (report === undefined)
            log.warn('source_counts.unreadable', { bytes: message.data.byteLength });
          else if (report.gateway !== gateway) listener(report);
        },
      });
    },
  };
}

/** Throwing here would cost the connection: the client takes it for a broken stream. */
function readReport(text: string): SourceReport | undefined {
  try {
    return SourceReport.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
