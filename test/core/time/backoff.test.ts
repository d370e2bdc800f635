/** Backoff: longer waits after each failure, up to a limit, with jitter. */
import { expect, test } from 'vitest';

import { backoffMs } from '../../../services/core/time/backoff.ts';

const limits = { firstMs: 500, longestMs: 300_000 };

test('each failure doubles the wait, up to a maximum', () => {
  expect([1, 2, 3, 4, 10, 11, 1_000].map((failures) => backoffMs(failures, limits, 1))).toEqual([
    500, 1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
  ]);
});

test('jitter shortens it by up to half', () => {
  expect([0, 0.5, 1].map((random) => backoffMs(3, limits, random))).toEqual([1_000, 1_500, 2_000]);
});
