/**
 * Gateways report to each other, over core NATS, how much the most active sources have sent, and how
 * much the busiest addresses have received. A lost or late report only makes these limits less exact.
 */
import { z } from 'zod';

import type { Log } from '../process/log.ts';
import type { Nats } from '../stream/connection/connection.ts';

const SUBJECTS = {
  sources: 'inlet.gateways.counts.sources',
  addresses: 'inlet.gateways.counts.addresses',
};
/** Sources or addresses in one report: the message must stay small. */
const MAX_COUNTS = 500;

/** The counts of one gateway for each source or address. Gateways of one version agree on their order. */
const GatewayCounts = z.object({
  gateway: z.string().max(64),
  counts: z
    .array(z.tuple([z.string().max(64), z.array(z.int().nonnegative()).max(16)]))
    .max(MAX_COUNTS),
});
export type GatewayCounts = z.infer<typeof GatewayCounts>;

export type CountsExchange = {
  /** Reports now, or never: nothing is sent or queued while NATS is down. */
  report(counts: GatewayCounts['counts']): void;
  /** Calls back with every report of another gateway. */
  onReport(listener: (report: GatewayCounts) => void): void;
};

export function createCountsExchange(
  nats: Nats,
  about: keyof typeof SUBJECTS,
  gateway: string,
  log: Log,
): CountsExchange {
  const subject = SUBJECTS[about];
  return {
    report: (counts) => {
      if (nats.isConnected())
        nats.connection.publish(
          subject,
          JSON.stringify({ gateway, counts: counts.slice(0, MAX_COUNTS) }),
        );
    },
    onReport: (listener) => {
      nats.connection.subscribe(subject, {
        callback: (error, message) => {
          if (error) return log.warn('gateway_counts.interrupted', { error });
          const report = readReport(message.string());
          if (report === undefined)
            log.warn('gateway_counts.unreadable', { bytes: message.data.byteLength });
          else if (report.gateway !== gateway) listener(report);
        },
      });
    },
  };
}

/** Never throws: the NATS client would treat it as a protocol error and reconnect. */
function readReport(text: string): GatewayCounts | undefined {
  try {
    return GatewayCounts.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
