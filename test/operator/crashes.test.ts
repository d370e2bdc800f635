/**
 * An operator ends between any two of its writes, to the Kubernetes API or to MongoDB. The next one
 * finishes the work, and leaves what an operator leaves that was never interrupted: nothing is
 * lost, and nothing is doubled.
 */
import { afterAll, expect, test } from 'vitest';

import { createLifetime } from '../support/lifetime.ts';
import { CHANGES, prepare, settle, type ResourceChange } from './changes.ts';
import type { TestNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';
import { outcomeOf } from './outcome.ts';

/** Its operator prepares each case, and finishes the work of the one that ended. */
const shared = useOperator();
const ended: PromiseLike<void>[] = [];
afterAll(async () => {
  await Promise.all(ended);
});

/** @returns the number of its writes */
async function reconcileUntil(
  endsAfterWrites: number,
  space: TestNamespace,
  { kind, name }: ResourceChange,
): Promise<number> {
  const lifetime = createLifetime(endsAfterWrites);
  const operator = await shared.bed.start({ lifetime });
  const work = operator.reconcile(kind, space.name, name);
  await Promise.race([work, lifetime.ended]);
  await operator.abortTransactions();
  // Its connections are dead: what is left of it would wait for timeouts, if it was not closed.
  ended.push(
    operator[Symbol.asyncDispose](),
    work.catch(() => undefined).then(() => undefined),
  );
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
  const undisturbed = await prepare(change, shared.bed, shared.operator);
  const writes = await reconcileUntil(Infinity, undisturbed, change);
  await settle(undisturbed, change, shared.bed);
  const expected = await outcomeOf(undisturbed, shared.bed);
  const audited = await undisturbed.audited();
  expect(writes).toBeGreaterThan(1);

  const endAfter = async (endsAfter: number) => {
    const space = await prepare(change, shared.bed, shared.operator);
    expect(await reconcileUntil(endsAfter, space, change)).toBe(endsAfter);
    await settle(space, change, shared.bed);
    const outcome = await outcomeOf(space, shared.bed);
    expect({ endsAfter, ...outcome }).toEqual({ endsAfter, ...expected });
    // an event may be missing, since it is written after the change; none is written twice
    expect(withoutAll(await space.audited(), audited)).toEqual([]);
  };
  await Promise.all(Array.from({ length: writes }, (__, i) => endAfter(i + 1)));
});
