/** Values of the operator that nobody has a reason to set. Tests start an operator with others. */

export const OPERATOR_CONSTANTS = {
  /** One lookup with a second try. The next resync repeats it. */
  dnsMs: 5_000,
  /** Watches report changes: listing only repairs what a watch has missed. */
  resyncMs: 300_000,
  /** A watch that sends nothing for 5 s more counts as dead, so this bounds how long changes go unseen. */
  watchMs: 60_000,
  /** Reconciling waits for other servers. Requests to the Kubernetes API bound it, not this number. */
  concurrency: 8,
  /** On average, to the Kubernetes API. Bursts may have twice as many. */
  kubeRequestsPerSecond: 50,
  /** Another operator takes over the Lease of a leader that has not renewed it for this long. */
  leaseMs: 10_000,
};
export type OperatorConstants = typeof OPERATOR_CONSTANTS;
