/** Limits of CPU time are for the same work on every machine. */
import { afterEach, expect, test, vi } from 'vitest';

import { cpuSlowness } from '../../../services/gateway/content/cpu-speed.ts';

afterEach(() => void vi.restoreAllMocks());

test.each([
  ['a fast machine', 1, 1],
  ['one that takes four times as long', 8, 4],
  ['the slowest', 100, 8],
])('%s', (_, tookMs, expected) => {
  vi.spyOn(process, 'threadCpuUsage').mockImplementation((before) => ({
    user: before ? tookMs * 1_000 : 0,
    system: 0,
  }));
  expect(cpuSlowness()).toBe(expected);
});
