/**
 * Leader election over a Lease: one process leads, another takes over when the leader stops or is
 * not heard of, and a leader that may have lost its lease stops leading.
 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { connectKube } from '../../services/adapters/kube/client.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import type { LeaseSpec } from '../../services/core/kube/lease.ts';
import { startElection } from '../../services/operator/election.ts';
import { definitionOf } from '../support/kube-api/definitions.ts';
import { startKubeApi } from '../support/kube-api/server.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const DURATION_MS = 1_000; // a renewal every 100 ms

const api = await useInFile(startKubeApi());
const kube = await useInFile(
  connectKube({ kubeconfig: await api.kubeconfig(), timeoutMs: 10_000 }),
);
/** The clock of all processes here, so that none of them waits for the end of a lease. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => {
  vi.useRealTimers();
  api.faults.heal();
});
const passMs = (ms: number) => void vi.advanceTimersByTime(ms);

let names = 0;
const newName = () => `lease-${names++}`;
const placeOf = (name: string) => ({
  definition: definitionOf('Lease'),
  namespace: 'inlet',
  name,
});
const leaseOf = (name: string) => api.objects.find(placeOf(name))?.spec as LeaseSpec | undefined;
const renewals = () => api.calls.filter((call) => call === 'update leases').length;

/** A process that takes part in an election, and how often it began and ended to lead. */
function takePart(name: string, identity: string) {
  const leads = { begun: 0, ended: 0 };
  const election = startElection(
    {
      kube,
      lease: { namespace: 'inlet', name },
      identity,
      durationMs: DURATION_MS,
      lead: () => {
        leads.begun++;
        return { [Symbol.asyncDispose]: async () => void leads.ended++ };
      },
      clock: () => new Date(),
    },
    createLog('silent'),
  );
  return {
    ...election,
    leads,
    untilItLeads: () => until(`${identity} to lead`, () => election.isLeader()),
    untilItStops: () => until(`${identity} to stop leading`, () => !election.isLeader()),
    /** Waits until it has looked at the lease once more. */
    untilItRuns: async () => {
      const calls = api.calls.length;
      await until(`${identity} to run`, () => api.calls.length > calls + 1);
    },
  };
}
/** Another process writes the lease. */
const takeFrom = (name: string, holderIdentity: string) =>
  api.verbs.merge(placeOf(name), { spec: { holderIdentity, renewTime: 'later' } });

test('a process creates the lease, leads, and renews it', async () => {
  const name = newName();
  await using one = takePart(name, 'one');
  expect([one.isLeader(), one.holds()]).toEqual([false, false]);
  await one.untilItLeads();
  expect(leaseOf(name)).toMatchObject({
    holderIdentity: 'one',
    leaseDurationSeconds: 1,
    leaseTransitions: 0,
  });
  const before = renewals();
  await until('two renewals', () => renewals() > before + 1);
  expect([one.holds(), one.leads]).toEqual([true, { begun: 1, ended: 0 }]);
});

test('a process waits while another one renews the lease, and takes it when that one stops', async () => {
  const name = newName();
  const one = takePart(name, 'one');
  await one.untilItLeads();
  await using two = takePart(name, 'two');
  passMs(DURATION_MS / 2);
  await two.untilItRuns();
  expect([one.isLeader(), two.isLeader(), two.holds()]).toEqual([true, false, false]);

  await one[Symbol.asyncDispose]();
  expect([one.leads, leaseOf(name)?.holderIdentity !== 'one']).toEqual([
    { begun: 1, ended: 1 },
    true,
  ]);
  await two.untilItLeads(); // the clock has not moved: the lease was given up
  expect(leaseOf(name)).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
});

test('a lease that nobody renews is taken over after its duration, not before', async () => {
  const name = newName();
  api.verbs.create(placeOf(name), {
    metadata: {},
    spec: { holderIdentity: 'dead', leaseDurationSeconds: 1, leaseTransitions: 4, renewTime: 'x' },
  });
  await using one = takePart(name, 'one');
  await one.untilItRuns();
  passMs(DURATION_MS - 1);
  await one.untilItRuns();
  await one.untilItRuns();
  expect(one.isLeader()).toBe(false);
  passMs(1);
  await one.untilItLeads();
  expect(leaseOf(name)).toMatchObject({ holderIdentity: 'one', leaseTransitions: 5 });
});

test('of two processes that want a free lease, one gets it', async () => {
  const name = newName();
  const rivals = [takePart(name, 'one'), takePart(name, 'two')];
  await until('a leader', () => rivals.some((one) => one.isLeader()));
  for (const one of rivals) await one.untilItRuns();
  expect(rivals.map((one) => one.isLeader()).filter(Boolean)).toHaveLength(1);
  for (const one of rivals) await one[Symbol.asyncDispose]();
});

test('a write of another process between read and write is a conflict, and that process leads', async () => {
  const name = newName();
  api.verbs.create(placeOf(name), { metadata: {}, spec: {} });
  api.faults.order({ after: () => takeFrom(name, 'rival') }, { on: 'update leases' });
  await using one = takePart(name, 'one');
  await one.untilItRuns();
  expect([one.isLeader(), one.leads.begun, leaseOf(name)?.holderIdentity]).toEqual([
    false,
    0,
    'rival',
  ]);
});

test('a leader that finds another holder in the lease stops leading', async () => {
  const name = newName();
  await using one = takePart(name, 'one');
  await one.untilItLeads();
  takeFrom(name, 'rival');
  await one.untilItStops();
  expect([one.leads, leaseOf(name)?.holderIdentity]).toEqual([{ begun: 1, ended: 1 }, 'rival']);
});

test('a leader that cannot renew leads on for two thirds of the duration, and leads again later', async () => {
  const name = newName();
  await using one = takePart(name, 'one');
  await one.untilItLeads();
  api.faults.order({ status: 500 }, { on: 'update leases', times: Infinity });
  await one.untilItRuns();
  expect([one.isLeader(), one.holds()]).toEqual([true, true]);
  passMs(DURATION_MS * 0.7);
  expect(one.holds()).toBe(false);
  await one.untilItStops();
  api.faults.heal();
  await one.untilItLeads();
  expect(one.leads).toEqual({ begun: 2, ended: 1 });
});

test('a process that was paused knows immediately that it may have lost the lease', async () => {
  const name = newName();
  await using one = takePart(name, 'one');
  await one.untilItLeads();
  const paused = Promise.withResolvers<void>();
  api.faults.order({ after: () => paused.promise }, { on: 'get leases' });
  passMs(DURATION_MS * 0.7);
  // It does not know yet that it should stop, but whatever it calls asks `holds` first.
  expect([one.isLeader(), one.holds()]).toEqual([true, false]);
  takeFrom(name, 'rival');
  paused.resolve();
  await one.untilItStops();
  expect(one.holds()).toBe(false);
});

test('a renewal counts from when it was sent, however late the response is', async () => {
  const name = newName();
  await using one = takePart(name, 'one');
  await one.untilItLeads();
  api.faults.order({ after: () => passMs(DURATION_MS * 0.7) }, { on: 'update leases' });
  await until('the late renewal', () => !one.holds());
  expect(one.leads.begun).toBe(1);
});

test('a server that does not respond is noticed by its last response', async () => {
  const name = newName();
  await using one = takePart(name, 'one');
  await one.untilItLeads();
  api.faults.order({ drops: 'request' }, { times: Infinity });
  await one.untilItRuns();
  const heardMs = one.lastResponseMs();
  passMs(5_000);
  await one.untilItRuns();
  expect([one.lastResponseMs(), one.lastRunMs() - heardMs >= 5_000]).toEqual([heardMs, true]);
});

test('a lease that cannot be given up is left to its end', async () => {
  const name = newName();
  const one = takePart(name, 'one');
  await one.untilItLeads();
  api.faults.order({ status: 500 }, { on: 'update leases', times: Infinity });
  await one[Symbol.asyncDispose]();
  expect([one.leads.ended, leaseOf(name)?.holderIdentity]).toEqual([1, 'one']);
});
