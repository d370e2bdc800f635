/** Which deliveries can be replayed, and the retry_count of the payload that was sent last. */
import { expect, test } from 'vitest';

import type { DeliveryStatus } from '../../../services/core/delivery/delivery.ts';
import { mayReplay } from '../../../services/core/delivery/overdue-delivery.ts';
import { lastRetryCount } from '../../../services/core/delivery/last-attempt.ts';

const NOW = new Date('2026-11-21T08:00:00Z');
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);

test.each<[string, DeliveryStatus, Date | null, boolean]>([
  ['that was delivered', 'delivered', null, true],
  ['that has failed', 'failed', null, true],
  ['that waits for a retry', 'retrying', minutesAgo(-60), false],
  ['whose retry is due', 'retrying', minutesAgo(0.9), false],
  ['whose retry is overdue', 'retrying', minutesAgo(1.1), true],
  ['that was replayed just now', 'pending', minutesAgo(-0.1), false],
  ['whose replay is overdue', 'pending', minutesAgo(1.1), true],
  ['that has never been attempted', 'pending', null, true],
])('a replay of a delivery %s', (_, status, next_attempt_at, expected) => {
  const delivery = { status, next_attempt_at, updated_at: minutesAgo(10) };
  expect(mayReplay(delivery, NOW)).toBe(expected);
  const isFinalStatus = status === 'delivered' || status === 'failed';
  expect(mayReplay({ ...delivery, updated_at: NOW }, NOW)).toBe(isFinalStatus);
});

test.each([
  [0, 0],
  [1, 0],
  [2, 1],
  [7, 6],
])('after %i attempts the last one had retry_count %i', (attempts, retryCount) => {
  const attempt = {
    at: NOW,
    duration_ms: 1,
    outcome: 'busy' as const,
    status_code: 503,
    error: null,
    excerpt: null,
  };
  expect(lastRetryCount({ attempts: Array.from({ length: attempts }, () => attempt) })).toBe(
    retryCount,
  );
});
