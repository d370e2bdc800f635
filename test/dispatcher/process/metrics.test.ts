/** The dispatcher's metrics are bounded, whatever the statuses and the accounts. */
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { createMeter } from '../../../services/adapters/process/meter.ts';
import {
  createDispatcherMetrics,
  type DispatcherMetrics,
} from '../../../services/dispatcher/process/metrics.ts';

const TEN_MINUTES_MS = 600_000;

let registry: Registry;
let metrics: DispatcherMetrics;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  registry = new Registry();
  metrics = createDispatcherMetrics(createMeter(registry), { namedAccounts: 1, inFlight: () => 0 });
});
afterEach(() => void vi.useRealTimers());

const accountLines = async () =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith('inlet_account_'));

test('an account that loses its label leaves no series behind and counts among the others from then on', async () => {
  metrics.attempted({ kind: 'accepted', status: 200 }, 5, 'acc_former', 'own');
  metrics.ended('delivered', 'acc_former', 'own');
  for (let i = 0; i < 5; i++)
    metrics.attempted({ kind: 'busy', status: 503 }, 5, 'acc_busy', 'own');
  expect((await accountLines()).filter((line) => line.includes('acc_busy'))).toEqual([]);

  vi.setSystemTime(Date.now() + TEN_MINUTES_MS);
  metrics.attempted({ kind: 'accepted', status: 200 }, 5, 'acc_busy', 'own');
  metrics.ended('failed', 'acc_former', 'own');
  expect((await accountLines()).filter((line) => !line.endsWith(' 0'))).toEqual([
    'inlet_account_attempts_total{account="other",outcome="busy"} 5',
    'inlet_account_attempts_total{account="acc_busy",outcome="accepted"} 1',
    'inlet_account_deliveries_total{account="other",status="failed"} 1',
  ]);
});

test('an account with a label has all its series from the start, so that the first event is an increase', async () => {
  metrics.attempted({ kind: 'busy', status: 503 }, 5, 'acc', 'own');
  expect((await accountLines()).filter((line) => line.endsWith(' 0')).length).toBe(7);
  expect(await accountLines()).toContain(
    'inlet_account_deliveries_total{account="acc",status="failed"} 0',
  );
});

test('an uncommon status gets one of few labels', async () => {
  for (let status = 100; status < 600; status++)
    metrics.attempted({ kind: 'refused', status }, 5, 'acc', 'own');
  const statuses = new Set(
    [
      ...(await registry.metrics()).matchAll(/inlet_webhook_attempts_total\{[^}]*status="(\w+)"/g),
    ].map(([, status]) => status),
  );
  expect(statuses.size).toBeLessThan(30);
  expect([...statuses]).toEqual(expect.arrayContaining(['404', '4xx', '503', '5xx']));
});
