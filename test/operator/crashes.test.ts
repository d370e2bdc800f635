/**
 * An operator ends between any two of its writes, to the Kubernetes API or to MongoDB. The next one
 * finishes the work, and leaves what an operator leaves that was never interrupted: nothing is
 * lost, and nothing is doubled.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createLifetime } from '../support/lifetime.ts';
import { CHANGES, prepare, settle, type ResourceChange } from './changes.ts';
import type { TestNamespace } from './namespace.ts';
import { type Operator, type OperatorBed, startOperatorBed } from './operator-bed.ts';
import { outcomeOf } from './outcome.ts';

let bed: OperatorBed;
/** The operator that prepares each case, and finishes the work of the one that ended. */
let steady: Operator;
beforeAll(async () => {
  bed = await startOperatorBed();
  steady = await bed.start();
});
const ended: Promise<void>[] = [];
afterAll(async () => {
  await Promise.all(ended);
  await steady?.[Symbol.asyncDispose]();
  await bed?.[Symbol.asyncDispose]();
});

/** @returns the number of its writes */
async function reconcileUntil(
  endsAfterWrites: number,
  space: TestNamespace,
  { kind, name }: ResourceChange,
): Promise<number> {
  const lifetime = createLifetime(endsAfterWrites);
  const operator = await bed.start({ lifetime });
  const work = operator.reconcile(kind, space.name, name);
  await Promise.race([work, lifetime.ended]);
  await operator.abortTransactions();
  // Its connections are dead, so what is left of it waits for timeouts.
  ended.push(work.catch(() => undefined).then(() => operator[Symbol.asyncDispose]()));
  return lifetime.writes();
}

/** The items of one list that are in excess of another one's. */
function withoutAll(items: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return items.filter((item) => {
    const at = left.indexOf(item);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

test.each(CHANGES)('an operator that %s may end after any write', async (_, change) => {
  const undisturbed = await prepare(change, bed, steady);
  const writes = await reconcileUntil(Infinity, undisturbed, change);
  await settle(undisturbed, change, bed);
  const expected = await outcomeOf(undisturbed, bed);
  const audited = await undisturbed.audited();
  expect(writes).toBeGreaterThan(1);

  const endAfter = async (endsAfter: number) => {
    const space = await prepare(change, bed, steady);
    expect(await reconcileUntil(endsAfter, space, change)).toBe(endsAfter);
    await settle(space, change, bed);
    const outcome = await outcomeOf(space, bed);
    expect({ endsAfter, ...outcome }).toEqual({ endsAfter, ...expected });
    // an event may be missing, since it is written after the change; none is written twice
    expect(withoutAll(await space.audited(), audited)).toEqual([]);
  };
  await Promise.all(Array.from({ length: writes }, (__, i) => endAfter(i + 1)));
});
