/** J2: a hook that fails again and again is paused, and returns with its first answer. */
import { expect, test } from 'vitest';

import {
  afterCall,
  type HookBreaker,
  isPaused,
  NEW_BREAKER,
} from '../../../services/core/hook/hook-breaker.ts';

const failing = (times: number, from: HookBreaker = NEW_BREAKER, now = 0): HookBreaker =>
  times === 0 ? from : failing(times - 1, afterCall(from, `source ${times}`, now), now);

test('four failures do not pause it, five do', () => {
  expect(isPaused(failing(4), 0)).toBe(false);
  expect(failing(5)).toMatchObject({ failures: 5, pausedUntil: 5_000 });
});

test('each failure after a pause doubles it, up to a minute', () => {
  let breaker = failing(5);
  const pauses = [10_000, 20_000, 40_000, 60_000, 60_000].map(() => {
    const now = breaker.pausedUntil;
    breaker = afterCall(breaker, 'any', now);
    return breaker.pausedUntil - now;
  });
  expect(pauses).toEqual([10_000, 20_000, 40_000, 60_000, 60_000]);
});

test('a call that began before the pause does not make it longer', () => {
  expect(failing(20)).toMatchObject({ failures: 5, pausedUntil: 5_000 });
});

test('one answer ends it', () => {
  expect(afterCall(failing(9), undefined, 5_000)).toEqual(NEW_BREAKER);
});

test('one sender cannot pause it, nor two, however many of their emails fail', () => {
  let breaker = NEW_BREAKER;
  for (let i = 0; i < 100; i++) breaker = afterCall(breaker, i % 2 === 0 ? 'a' : 'b', 0);
  expect(isPaused(breaker, 0)).toBe(false);
  expect(afterCall(breaker, 'c', 0).pausedUntil).toBeLessThanOrEqual(10_000);
});
