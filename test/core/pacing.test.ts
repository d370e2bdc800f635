/** Whose turn it is: free slots go at once, short queues wait, long ones come later (design §4). */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { type AddressLoad, smoothedLatency, turnOf } from '../../services/core/pacing.ts';

const load = (changes: Partial<AddressLoad> = {}): AddressLoad => ({ running: 10, waiting: 0, limit: 10, latencyMs: 100, ...changes });

test.each([
  ['a free slot is taken at once', load({ running: 9 }), { kind: 'now' }],
  ['a free slot is taken at once, however slow the receiver', load({ running: 9, latencyMs: 30_000 }), { kind: 'now' }],
  ['behind a quick receiver it waits in memory', load({ waiting: 5 }), { kind: 'wait' }],
  ['at the end of patience it still waits', load({ waiting: 49 }), { kind: 'wait' }],
  ['beyond it, the mail comes later, in a second at the earliest', load({ waiting: 50 }), { kind: 'later', delayMs: 1_000 }],
  ['behind a receiver that hangs it comes when the queue before it should be done', load({ latencyMs: 30_000 }), { kind: 'later', delayMs: 3_000 }],
  ['the longer that queue, the later', load({ latencyMs: 30_000, waiting: 9 }), { kind: 'later', delayMs: 30_000 }],
  ['a limit of one is a queue of one', load({ running: 1, limit: 1, latencyMs: 400 }), { kind: 'wait' }],
])('%s', (_, given, turn) => {
  expect(turnOf(given)).toEqual(turn);
});

test('a measured latency moves the mean towards it, and never beyond', () => {
  const latency = fc.double({ min: 0, max: 60_000, noNaN: true });
  fc.assert(
    fc.property(latency, latency, (mean, measured) => {
      const next = smoothedLatency(mean, measured);
      expect(next).toBeGreaterThanOrEqual(Math.min(mean, measured) - 1e-6);
      expect(next).toBeLessThanOrEqual(Math.max(mean, measured) + 1e-6);
    }),
  );
});

test('a receiver that starts to hang shows within ten attempts', () => {
  let mean = 100;
  for (let i = 0; i < 10; i++) mean = smoothedLatency(mean, 30_000);
  expect(mean).toBeGreaterThan(20_000);
});
