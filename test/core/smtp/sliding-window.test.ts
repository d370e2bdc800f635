/**
 * Checklist 17: no time window exceeds its limit, and a limit does not apply long before it is
 * reached.
 */
import { expect, test } from 'vitest';

import { countIn, countOne, emptyWindow } from '../../../services/core/smtp/sliding-window.ts';
import { fc } from '../../support/random.ts';

/** The times at which an attempt was accepted. */
function letThrough(tries: readonly number[], rule: { limit: number; windowMs: number }): number[] {
  const window = emptyWindow();
  return tries.filter((nowMs) => {
    if (countIn(window, rule.windowMs, nowMs) >= rule.limit) return false;
    countOne(window, rule.windowMs, nowMs);
    return true;
  });
}

const rules = fc.record({
  limit: fc.integer({ min: 1, max: 50 }),
  windowMs: fc.constantFrom(60_000, 3_600_000),
});
/** Gaps between tries, as shares of a window: bursts, a steady stream and long silences. */
const gaps = fc.array(
  fc.oneof(
    fc.constant(0),
    fc.double({ min: 0, max: 0.02, noNaN: true }),
    fc.double({ min: 0, max: 3, noNaN: true }),
  ),
  { maxLength: 400 },
);

test('checklist 17: no window, wherever it begins, accepts more than the limit', () => {
  fc.assert(
    fc.property(rules, gaps, fc.nat(1e9), (rule, shares, startMs) => {
      let nowMs = startMs;
      const times = letThrough(
        shares.map((share) => (nowMs += share * rule.windowMs)),
        rule,
      );
      for (const [i, first] of times.entries())
        expect(
          times.slice(i).filter((time) => time < first + rule.windowMs).length,
        ).toBeLessThanOrEqual(rule.limit);
    }),
  );
});

test('checklist 17: the whole limit is accepted immediately, and again after a window and a sixth', () => {
  fc.assert(
    fc.property(rules, fc.nat(1e9), (rule, startMs) => {
      const burst = Array.from({ length: rule.limit + 5 }, () => startMs);
      const later = burst.map((time) => time + Math.ceil((rule.windowMs * 7) / 6));
      expect(letThrough([...burst, ...later], rule)).toHaveLength(2 * rule.limit);
    }),
  );
});

test('a clock that is set back loses no count', () => {
  const rule = { limit: 3, windowMs: 60_000 };
  expect(letThrough([600_000, 600_000, 100_000, 100_000, 600_001], rule)).toHaveLength(3);
});
