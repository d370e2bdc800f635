/** Stops the writes of an operator that lost its lease. */

/** Another operator may hold the lease by now. */
class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** Resolves when the next call may start; rejects when it must not. */
type LeaseCheck = () => Promise<void>;

type Calls<T> = Record<keyof T, (...args: never[]) => Promise<unknown>>;

/** The same functions. Each waits for the check before it runs. */
export function guarded<T extends Calls<T>>(functions: T, check: LeaseCheck): T {
  const entries = Object.entries(functions) as [string, (...args: never[]) => Promise<unknown>][];
  return Object.fromEntries(
    entries.map(([name, call]) => [
      name,
      async (...args: never[]) => {
        await check();
        return call(...args);
      },
    ]),
  ) as T;
}

/**
 * A paused process may have lost its lease without noticing, so every single call to a store checks
 * the lease immediately before it runs. A pause inside a call, between this check and the server,
 * is not covered: `holdsLease` therefore ends well before the lease does.
 * @param holdsLease whether no other operator can lead yet, by this process's own clock
 */
export const createLeaseCheck =
  (holdsLease: () => boolean): LeaseCheck =>
  async () => {
    if (!holdsLease()) throw new LeaseLostError('another operator may hold the lease');
  };
