/**
 * A leader that lost its lease writes nothing. Each case loses the lease after the first call to a
 * store, then after the second, and so on: whichever call comes next must not run.
 */
import { expect, test } from 'vitest';

import { CHANGES, prepare } from '../changes.ts';
import { type Calls, useOperator } from '../operator-bed.ts';

/** After this many failures the operator writes the failure into the status as well. */
const FAILURES = 2;
/** Audit events are written in any case: they record changes that were made. */
const UNGUARDED = 'events';

/** Its operator prepares each case. */
const shared = useOperator();

/** A lease that is lost when the last allowed call has returned. `late` names every later call. */
function createLease(allowedCalls: number) {
  const late: string[] = [];
  let calls = 0;
  const holdsLease = () => calls < allowedCalls;
  const around = (store: string, given: Calls): Calls => {
    if (store === UNGUARDED) return given;
    const entries = Object.entries(given).filter(([, call]) => typeof call === 'function');
    return Object.fromEntries(
      entries.map(([name, call]) => [
        name,
        async (...args: unknown[]) => {
          if (!holdsLease()) late.push(`${store}.${name}`);
          const result = await call(...args);
          calls++;
          return result;
        },
      ]),
    );
  };
  return { late, holdsLease, around, calls: () => calls };
}

test.each(CHANGES)(
  'an operator that %s stops at whichever call the lease is lost',
  async (_, change) => {
    const reconcile = async (allowedCalls: number) => {
      const space = await prepare(change, shared.bed, shared.operator);
      const lease = createLease(allowedCalls);
      await using operator = await shared.bed.start(lease);
      const outcome = await operator
        .reconcile(change.kind, space.name, change.name, { failures: FAILURES })
        .then(
          ({ result }) => result,
          (error: unknown) => (error as Error).name,
        );
      expect({ allowedCalls, late: lease.late }).toEqual({ allowedCalls, late: [] });
      return { outcome, calls: lease.calls() };
    };
    const { outcome, calls } = await reconcile(Infinity);
    expect(outcome).toMatch(/settled|refused|removed/);
    const reached = await Promise.all(
      Array.from({ length: calls - 1 }, (__, i) => reconcile(i + 1)),
    );
    // After the last call that matters, an event may be left out.
    const stopped = reached.filter((one) => one.outcome === 'LeaseLostError');
    expect(stopped.length).toBeGreaterThan(1);
  },
);
