/** What one step of `inlet admin bench` measured: figures of the sender, of webhooks and of metrics. */

/** Milliseconds. NaN when there was nothing to measure. */
type Percentiles = { p50: number; p99: number };

/** What the pods of a component used. */
type ComponentUse = {
  pods: number;
  /** CPU seconds for 1,000 accepted emails, of all pods together. */
  cpuPerThousand: number;
  /** Cores that the busiest pod used. */
  busiestCores: number;
  /** Cores that a pod may use; null without a limit. */
  limitCores: number | null;
};

/** Means of an email in milliseconds, from histograms of the gateways; 0 for what did not happen. */
type ReceivingTimes = {
  /** From the end of DATA to the 250: everything below except `recipient`. */
  accept: number;
  recipient: number;
  authentication: number;
  content: number;
  store: number;
};

export type StepFacts = {
  askedPerSecond: number;
  acceptedPerSecond: number;
  deliveredPerSecond: number;
  accepted: number;
  /** Emails that were not accepted, by reply. */
  refusals: Readonly<Record<string, number>>;
  /** Accepted emails whose webhook did not arrive. */
  missing: number;
  /** From the end of DATA to the 250, and to the webhook. */
  replyMs: Percentiles;
  webhookMs: Percentiles;
  /** The process that sends and receives: cores, and how long its event loop was busy (0 to 1). */
  sender: { cores: number; busyShare: number };
  /** Share of all cores of the node that it runs on which anything used (0 to 1). */
  nodeBusyShare: number;
  /** null when their metrics could not be read. */
  gateway: (ComponentUse & { meanMs: ReceivingTimes }) | null;
  dispatcher:
    | (ComponentUse & {
        /** The mean of an attempt, and of writing a batch of outcomes to MongoDB. */
        meanMs: { attempt: number; record: number };
        /** Emails that waited because their account had its share of the slots. */
        delayed: number;
      })
    | null;
};

/**
 * Percentile by nearest rank: the smallest value that at least `share` of all values do not exceed;
 * NaN when there is none.
 */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).toSorted();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

export const percentilesOf = (values: readonly number[]): Percentiles => ({
  p50: percentile(values, 0.5),
  p99: percentile(values, 0.99),
});

export const refusedIn = ({ refusals }: Pick<StepFacts, 'refusals'>): number =>
  Object.values(refusals).reduce((all, count) => all + count, 0);
