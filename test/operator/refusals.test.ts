/**
 * The API server refuses one kind of call for as long as the operator tries: nothing is rotated or
 * created again, what a Secret holds stays valid, and the work is finished when it is accepted.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { CHANGES, prepare, settle } from './changes.ts';
import { type Operator, type OperatorBed, startOperatorBed } from './operator-bed.ts';
import { outcomeOf, recordsOf } from './outcome.ts';

let bed: OperatorBed;
let operator: Operator;
beforeAll(async () => {
  bed = await startOperatorBed();
  operator = await bed.start();
});
afterEach(() => bed.kube.faults.heal());
afterAll(async () => {
  await operator?.[Symbol.asyncDispose]();
  await bed?.[Symbol.asyncDispose]();
});

/** All but the one that writes nothing to the cluster. */
const WRITING = CHANGES.filter(([does]) => does !== 'restores an address');

test.each(WRITING)('an operator that %s waits while a call is refused', async (_, change) => {
  const undisturbed = await prepare(change, bed, operator);
  const callsBefore = bed.kube.calls.length;
  await settle(undisturbed, change, bed);
  const writes = bed.kube.calls.slice(callsBefore).filter((call) => !call.startsWith('get'));
  const expected = await outcomeOf(undisturbed, bed);

  const refuse = async (on: string) => {
    const space = await prepare(change, bed, operator);
    const reconcile = () => space.reconcile(change.kind, change.name).catch(() => undefined);
    const { name: namespace } = space;
    const accepted = bed.kube.faults.order({ status: 403 }, { on, namespace, times: Infinity });
    await reconcile();
    const records = await recordsOf(space, bed);
    bed.passMs(60_000);
    for (let i = 0; i < 2 && space.get(change.kind, change.name); i++) await reconcile();
    expect({ on, records: await recordsOf(space, bed) }).toEqual({ on, records });
    const { deletionTimestamp } = space.get(change.kind, change.name)?.metadata ?? {};
    const { secrets } = await outcomeOf(space, bed);
    expect(deletionTimestamp === undefined ? secrets.filter(([, isTrue]) => !isTrue) : []).toEqual(
      [],
    );

    accepted();
    await settle(space, change, bed);
    expect({ on, ...(await outcomeOf(space, bed)) }).toEqual({ on, ...expected });
  };
  await Promise.all([...new Set(writes)].map(refuse));
  expect(writes.length).toBeGreaterThan(0);
});
