/** A leader whose loops stand still says so: what is asked of the cluster never answers here. */
import { afterEach, expect, test, vi } from 'vitest';

import type { Kube } from '../../services/adapters/kube.ts';
import { createLog } from '../../services/adapters/log.ts';
import { createRegistry } from '../../services/adapters/observe.ts';
import { startLeadership } from '../../services/operator/leadership.ts';
import { createOperatorMetrics } from '../../services/operator/metrics.ts';

afterEach(() => void vi.useRealTimers());

const never = () => new Promise<never>(() => undefined);
const nothing = () => Promise.reject(new Error('nothing to reconcile'));

const reconcilers = () => ({ Account: nothing, InboundAddress: nothing, InboundDomain: nothing, ApiToken: nothing });

test('a loop that has not turned for a minute beyond its time is named', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const kube = { namespace: 'test', get: never, list: never, create: never, update: never, apply: never } as unknown as Kube;
  const leadership = startLeadership(
    { kube, metrics: createOperatorMetrics(createRegistry('test')), reconcilers, log: createLog('silent') },
    { namespaces: [], watchMs: 60_000, resyncMs: 300_000, concurrency: 1 },
  );
  expect([leadership.isSynced(), leadership.stuck()]).toEqual([false, undefined]);
  vi.advanceTimersByTime(119_000);
  expect(leadership.stuck()).toBeUndefined();
  vi.advanceTimersByTime(2_000);
  expect(leadership.stuck()).toBe('watch of secrets');
});
