/**
 * The API server refuses one kind of call for as long as the operator tries: nothing is rotated or
 * created again, what a Secret holds stays valid, and the work is finished when it is accepted.
 */
import { afterEach, expect, test } from 'vitest';

import { CHANGES, prepare, settle } from './changes.ts';
import { useOperator } from './operator-bed.ts';
import { outcomeOf, recordsOf } from './outcome.ts';

const shared = useOperator();
afterEach(() => shared.bed.kube.faults.heal());

/** All but the one that writes nothing to the cluster. */
const WRITING = CHANGES.filter(([does]) => does !== 'restores an address');

test.each(WRITING)('an operator that %s waits while a call is refused', async (_, change) => {
  const undisturbed = await prepare(change, shared.bed, shared.operator);
  const callsBefore = shared.bed.kube.calls.length;
  await settle(undisturbed, change, shared.bed);
  const writes = shared.bed.kube.calls.slice(callsBefore).filter((call) => !call.startsWith('get'));
  const expected = await outcomeOf(undisturbed, shared.bed);

  const refuse = async (on: string) => {
    const space = await prepare(change, shared.bed, shared.operator);
    const reconcile = () => space.reconcile(change.kind, change.name).catch(() => undefined);
    const { name: namespace } = space;
    const accepted = shared.bed.kube.faults.order(
      { status: 403 },
      { on, namespace, times: Infinity },
    );
    await reconcile();
    const records = await recordsOf(space, shared.bed);
    shared.bed.passMs(60_000);
    for (let i = 0; i < 2 && space.get(change.kind, change.name); i++) await reconcile();
    expect({ on, records: await recordsOf(space, shared.bed) }).toEqual({ on, records });
    const { deletionTimestamp } = space.get(change.kind, change.name)?.metadata ?? {};
    const { secrets } = await outcomeOf(space, shared.bed);
    expect(deletionTimestamp === undefined ? secrets.filter(([, isTrue]) => !isTrue) : []).toEqual(
      [],
    );

    accepted();
    await settle(space, change, shared.bed);
    expect({ on, ...(await outcomeOf(space, shared.bed)) }).toEqual({ on, ...expected });
  };
  await Promise.all([...new Set(writes)].map(refuse));
  expect(writes.length).toBeGreaterThan(0);
});
