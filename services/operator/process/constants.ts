/** Values of the operator that nobody has a reason to set. Tests start an operator with others. */

export const OPERATOR_CONSTANTS = {
  /** One lookup with a second try. The next resync repeats it. */
  dnsMs: 5_000,
  /** Watches report changes: listing only repairs what a watch has missed. */
  resyncMs: 300_000,
  /** A watch that sends nothing for 5 s more counts as dead, so this bounds how long changes go unseen. */
  watchMs: 60_000,
  /** Reconciling waits for other servers. KUBE_REQUESTS_PER_SECOND bounds it, not this number. */
  concurrency: 8,
};
export type OperatorConstants = typeof OPERATOR_CONSTANTS;
