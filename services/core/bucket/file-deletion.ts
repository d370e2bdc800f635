/** Files in a customer's bucket are deleted when a request erases the email, and again after a failure. */

/** A deletion of files that a request asked for. */
export type FileDeletion = {
  /** Not before this time; null when Inlet gave up. */
  at: Date | null;
  failures: number;
};

/** A delay for each failure: one week in all. */
const RETRY_MS = 3_600_000;
const FAILURES_MAX = 168;

/** After one more failure. */
export const deletionAfterFailure = (failures: number, now: Date): FileDeletion =>
  failures >= FAILURES_MAX
    ? { at: null, failures }
    : { at: new Date(now.getTime() + RETRY_MS), failures };
