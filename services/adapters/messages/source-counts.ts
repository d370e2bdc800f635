/**
 * Gateways report to each other, over core NATS, how much the most active sources have sent, and how
 * much the busiest addresses have received. A lost or late report only makes these limits less exact.
 */
import { z } from 'zod';

import type { Log } from '../process/log.ts';
import type { Nats } from '../stream/connection.ts';

const SUBJECTS = { sources: 'inlet.gateways.sources', addresses: 'inlet.gateways.addresses' };
/** Sources in one report: the message must stay small. */
const MAX_SOURCES = 500;

/** The counts of one gateway for each source or address. Gateways of one version agree on their order. */
const SourceReport = z.object({
  gateway: z.string().max(64),
  sources: z
    .array(z.tuple([z.string().max(64), z.array(z.int().nonnegative()).max(16)]))
    .max(MAX_SOURCES),
});
export type SourceReport = z.infer<typeof SourceReport>;

export type SourceCountsExchange = {
  /** Reports now, or never: nothing is sent or queued while NATS is down. */
  report(sources: SourceReport['sources']): void;
  /** Calls back with every report of another gateway. */
  onReport(listener: (report: SourceReport) => void): void;
};

export function createSourceCountsExchange(
  nats: Nats,
  about: keyof typeof SUBJECTS,
  gateway: string,
  log: Log,
): SourceCountsExchange {
  const subject = SUBJECTS[about];
  return {
    report: (sources) => {
      if (nats.isConnected())
        nats.connection.publish(
          subject,
          JSON.stringify({ gateway, sources: sources.slice(0, MAX_SOURCES) }),
        );
    },
    onReport: (listener) => {
      nats.connection.subscribe(subject, {
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

/** Never throws: the NATS client would treat it as a protocol error and reconnect. */
function readReport(text: string): SourceReport | undefined {
  try {
    return SourceReport.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
