/**
 * What happens after an attempt: outcomes (spec 3, D18, D19) and the schedule (spec 6.2, D12, D20).
 */
import { describe, expect, test } from 'vitest';

import {
  beginningOf,
  lifetimeMs,
  nextStep,
  unrecordedStep,
  type Outcome,
  outcomeOf,
  RETRY_SCHEDULE_MS,
  roundMs,
} from '../../../services/core/delivery/retry.ts';
import { fc } from '../../support/random.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const ALMOST_ONE = 1 - Number.EPSILON;
const BUSY: Outcome = { kind: 'busy', status: 503 };

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

const delayMs = (
  outcome: Outcome,
  attempt: number,
  random: number,
  schedule = RETRY_SCHEDULE_MS,
) => {
  const step = nextStep(outcome, attempt, schedule, NOW, random);
  return step.kind === 'retry' ? step.at.getTime() - NOW.getTime() : step.kind;
};

describe('spec 6.2: the real schedule', () => {
  test.each([
    [1, '1 second', 1_000],
    [2, '1 minute', 60_000],
    [3, '5 minutes', 5 * 60_000],
    [4, '30 minutes', 30 * 60_000],
    [5, '2 hours', 2 * 3_600_000],
    [6, '8 hours', 8 * 3_600_000],
  ])(
    'after failed attempt %d the next one follows in %s, D20: and at most a tenth later',
    (attempt, _, ms) => {
      expect(delayMs(BUSY, attempt, 0)).toBe(ms);
      expect(delayMs(BUSY, attempt, 0.5)).toBe(ms * 1.05);
      expect(delayMs(BUSY, attempt, ALMOST_ONE)).toBeLessThanOrEqual(ms * 1.1);
    },
  );

  test('after the seventh failed attempt the delivery has failed', () => {
    expect(RETRY_SCHEDULE_MS).toHaveLength(6);
    expect(nextStep(BUSY, 7, RETRY_SCHEDULE_MS, NOW, 0)).toEqual({ kind: 'give-up' });
  });

  test.each([0, 1, 2, 3, 4, 5, 6])(
    'D12: a schedule cut to %d retries ends after them',
    (retries) => {
      const cut = RETRY_SCHEDULE_MS.slice(0, retries);
      const steps = Array.from({ length: 8 }, (_, i) => nextStep(BUSY, i + 1, cut, NOW, 0).kind);
      expect(steps).toEqual(
        Array.from({ length: 8 }, (_, i) => (i < retries ? 'retry' : 'give-up')),
      );
    },
  );
});

test.each<[string, Outcome, 'done' | 'retry' | 'give-up']>([
  ['an accepted webhook is done', { kind: 'accepted', status: 200 }, 'done'],
  ['a refused webhook has failed', { kind: 'refused', status: 400 }, 'give-up'],
  [
    'a target that may not be called is given up',
    { kind: 'blocked', reason: 'private' },
    'give-up',
  ],
  ['a busy receiver is retried', { kind: 'busy', status: 500 }, 'retry'],
  ['an unknown name is retried', { kind: 'unreachable', reason: 'dns' }, 'retry'],
  ['a timeout is retried', { kind: 'unreachable', reason: 'timeout' }, 'retry'],
  ['a broken connection is retried', { kind: 'unreachable', reason: 'connection' }, 'retry'],
  ['an invalid certificate is retried', { kind: 'unreachable', reason: 'tls' }, 'retry'],
])('spec 3: %s', (_, outcome, step) => {
  expect(nextStep(outcome, 1, RETRY_SCHEDULE_MS, NOW, 0).kind).toBe(step);
});

test('spec 3: each status has its outcome, D18: what the spec does not name is final', () => {
  const kinds: Record<string, number[]> = { accepted: [], busy: [], refused: [] };
  for (let status = 200; status < 700; status++)
    // 1xx are not final (D18)
    kinds[outcomeOf(status, undefined, NOW).kind]?.push(status);
  expect(kinds).toEqual({
    accepted: range(200, 299),
    busy: [429, ...range(500, 599)],
    refused: [...range(300, 428), ...range(430, 499), ...range(600, 699)],
  });
});

describe('D19: Retry-After', () => {
  test.each<[string, number, string | undefined, number | undefined]>([
    ['seconds of a 429', 429, '90', 90_000],
    ['seconds of a 503', 503, '90', 90_000],
    ['blanks around them', 503, ' 90 ', 90_000],
    ['an HTTP date', 503, 'Sun, 01 Mar 2026 12:02:00 GMT', 120_000],
    ['at most one hour', 429, '86400', 3_600_000],
    ['a date, at most one hour', 429, 'Tue, 03 Mar 2026 12:00:00 GMT', 3_600_000],
    ['a number that is too long', 429, '9'.repeat(400), undefined],
    ['zero adds no delay', 503, '0', undefined],
    ['a date in the past adds no delay', 503, 'Sun, 01 Mar 2026 11:00:00 GMT', undefined],
    ['a negative number is ignored', 503, '-5', undefined],
    ['words are ignored', 503, 'soon', undefined],
    ['nothing', 503, '', undefined],
    ['no header', 503, undefined, undefined],
    ['does not apply to a 500', 500, '90', undefined],
    ['does not apply to a 504', 504, '90', undefined],
  ])('%s (%d, %j)', (_, status, header, retryAfterMs) => {
    expect(outcomeOf(status, header, NOW)).toEqual(
      retryAfterMs === undefined
        ? { kind: 'busy', status }
        : { kind: 'busy', status, retryAfterMs },
    );
  });

  test.each([
    ['later than the schedule: the header counts', 1, 90_000, 90_000],
    ['earlier than the schedule: the schedule counts', 4, 90_000, 1_800_000],
  ])('%s', (_, attempt, retryAfterMs, expected) => {
    expect(delayMs({ kind: 'busy', status: 429, retryAfterMs }, attempt, 0)).toBe(expected);
  });

  test('does not add a retry to the schedule', () => {
    expect(delayMs({ kind: 'busy', status: 429, retryAfterMs: 1000 }, 7, 0)).toBe('give-up');
  });
});

test('D20: a retry is never early and never more than a tenth of its delay late', () => {
  const schedules = fc.array(fc.integer({ min: 1, max: 30 * 86_400_000 }), {
    minLength: 1,
    maxLength: 6,
  });
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(schedules, chance, (schedule, random) => {
      for (const [i, planned] of schedule.entries()) {
        const waited = delayMs(BUSY, i + 1, random, schedule);
        expect(waited).toBeGreaterThanOrEqual(planned);
        expect(waited).toBeLessThanOrEqual(Math.ceil(planned * 1.1));
      }
      expect(delayMs(BUSY, schedule.length + 1, random, schedule)).toBe('give-up');
    }),
  );
});

const HOURS_MS = 3_600_000;

test.each([
  ['of the specification fits with its waits', RETRY_SCHEDULE_MS, 24 * HOURS_MS],
  ['that is longer gets half of its length more', [20 * HOURS_MS], 30 * HOURS_MS],
])('D169: an email ends 24 h after its receipt; a schedule %s', (_, schedule, expected) => {
  expect(lifetimeMs(24 * HOURS_MS, schedule)).toBe(expected);
});

test.each([
  ['with its receipt', undefined, false, 2, 2],
  ['with its receipt, also for the first dispatcher', undefined, true, 0.5, 0.5],
  ['with the first dispatcher that has it, after an outage of Inlet', undefined, true, 2, 0],
  ['with its last replay', 1, false, 30, 1],
])('D169: the time of an email begins %s', (_, beganAgo, isFirst, receivedAgo, expected) => {
  const now = new Date('2026-03-01T12:00:00Z');
  const ago = (hours: number) => now.getTime() - hours * HOURS_MS;
  const began_at = beganAgo === undefined ? undefined : new Date(ago(beganAgo));
  expect(beginningOf(ago(receivedAgo), { began_at, isFirst }, now)).toEqual(
    new Date(ago(expected)),
  );
});

test('without a record, the age of an email spaces its attempts, and ends them with the schedule', () => {
  const schedule = [1_000, 60_000, 600_000];
  const waits: number[] = [];
  let now = NOW.getTime() + 10;
  for (;;) {
    const step = nextStep(BUSY, 1, schedule, new Date(now), 0);
    const next = unrecordedStep(step, NOW.getTime(), schedule, new Date(now));
    if (next.kind !== 'retry') break;
    waits.push(next.at.getTime() - now);
    now = next.at.getTime();
  }
  expect(waits).toEqual([
    1_000, 1_010, 2_020, 4_040, 8_080, 16_160, 32_320, 64_640, 129_280, 258_560, 517_120,
  ]);
  const done = { kind: 'done' } as const;
  expect(unrecordedStep(done, 0, schedule, NOW)).toBe(done);
});

test.each([
  ['is past', -1, 1],
  ['is in a second', 1_000, 1_000],
  ['is in eight hours', 8 * HOURS_MS, 600_000],
  ['is tomorrow, by a clock that is a day behind', 24 * HOURS_MS, 600_000],
  ['is in 56 years, by a clock that began in 1970', NOW.getTime(), 600_000],
])('D165: a message whose time %s sleeps ten minutes at most', (_, inMs, expected) => {
  expect(roundMs(new Date(NOW.getTime() + inMs), NOW)).toBe(expected);
});
