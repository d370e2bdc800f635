/** A sweep's metric shows its last success: a sweep that fails or hangs is otherwise invisible. */
import { afterEach, expect, test, vi } from 'vitest';

import { createMeter } from '../../../services/adapters/process/meter.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { createRegistry } from '../../../services/adapters/process/observe.ts';
import { createSweeps, type Elsewhere } from '../../../services/adapters/process/sweeps.ts';
import { until } from '../../support/until.ts';

afterEach(() => void vi.useRealTimers());

test('the first round starts immediately; only a success of its own sets the time; rounds do not overlap', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const registry = createRegistry('test');
  let now = 1_000_000;
  const rounds: PromiseWithResolvers<void | Elsewhere>[] = [];
  await using _sweep = createSweeps(
    createMeter(registry),
    () => new Date(now),
    createLog('silent'),
  )('invoices', 60_000, () => {
    const round = Promise.withResolvers<void | Elsewhere>();
    rounds.push(round);
    return round.promise;
  });
  const lastSuccess = async () =>
    /^inlet_sweep_last_success_timestamp_seconds\{sweep="invoices",component="test"\} (\S+)$/m.exec(
      await registry.metrics(),
    )?.[1];
  expect([rounds.length, await lastSuccess()]).toEqual([1, '0']);
  vi.advanceTimersByTime(60_000);
  expect(rounds.length).toBe(1);
  rounds[0]?.resolve();
  await until('the success', async () => (await lastSuccess()) === '1000');

  now = 2_000_000;
  vi.advanceTimersByTime(60_000);
  rounds[1]?.reject(new Error('MongoDB is down'));
  await until('another round', () => {
    vi.advanceTimersByTime(60_000);
    return rounds.length === 3;
  });
  expect(await lastSuccess()).toBe('1000');
  rounds[2]?.resolve('elsewhere');
  await until('one more round', () => {
    vi.advanceTimersByTime(60_000);
    return rounds.length === 4;
  });
  expect(await lastSuccess()).toBe('1000');
  rounds[3]?.resolve();
  await until('the next success', async () => (await lastSuccess()) === '2000');
});
