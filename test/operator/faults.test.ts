/**
 * Each call of an operator to the Kubernetes API fails once, in each way. The operator tries again,
 * and leaves what it leaves when nothing fails.
 */
import { expect, test } from 'vitest';

import type { Fault } from '../support/kube-api/faults.ts';
import { CHANGES, prepare, type ResourceChange } from './changes.ts';
import type { TestNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';
import { outcomeOf } from './outcome.ts';

const shared = useOperator();

const FAULTS: Fault[] = [
  { status: 403 },
  { status: 409 },
  { status: 429, retryAfterSeconds: 1 },
  { status: 500 },
  { drops: 'request' },
  { drops: 'response' },
];
/** These make every kind of call. */
const CALLERS = [
  'creates an address',
  'changes an address and rotates its secret',
  'deletes an address',
  'issues a token',
  'replaces a token whose Secret is lost',
];
const MOST_TRIES = 3;

/**
 * As the work queue does: failures are tried again, and refusals when everything is listed again.
 * @returns the number of tries
 */
async function settle(space: TestNamespace, { kind, name }: ResourceChange): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      const { result } = await space.reconcile(kind, name, { failures: tries - 1 });
      if (result === 'settled' || result === 'removed' || tries > MOST_TRIES) return tries;
    } catch (error) {
      if (tries > MOST_TRIES) throw error;
      if (!space.get(kind, name)) return tries; // the response of its removal was lost
    }
  }
}

test.each(CHANGES.filter(([does]) => CALLERS.includes(does)))(
  'an operator that %s tries again after any failure',
  async (_, change) => {
    const undisturbed = await prepare(change, shared.bed, shared.operator);
    const callsBefore = shared.bed.kube.calls.length;
    expect(await settle(undisturbed, change)).toBe(1);
    const calls = shared.bed.kube.calls.slice(callsBefore);
    const expected = await outcomeOf(undisturbed, shared.bed);

    const fail = async (fault: Fault, nth: number) => {
      const space = await prepare(change, shared.bed, shared.operator);
      shared.bed.kube.faults.order(fault, { nth, namespace: space.name });
      await settle(space, change);
      const failed = { fault, call: calls[nth - 1] };
      expect({ failed, ...(await outcomeOf(space, shared.bed)) }).toEqual({ failed, ...expected });
    };
    for (const fault of FAULTS) await Promise.all(calls.map((__, i) => fail(fault, i + 1)));
    expect(calls.length).toBeGreaterThan(0);
  },
);
