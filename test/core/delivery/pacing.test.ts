/** When an address gets its next webhook: limits, the virtual queue, and the effect of attempts. */
import { describe, expect, test } from 'vitest';

import {
  ACCOUNT_LATER_MIN_MS,
  accountScheduleTime,
  afterAttempt,
  type Candidate,
  intervalMs,
  LATER_MAX_MS,
  mayRun,
  newPace,
  newPool,
  scheduleTime,
  type Pace,
  PATIENCE_MS,
  type Pool,
  decideStart,
  withScheduled,
} from '../../../services/core/delivery/pacing.ts';
import { fc } from '../../support/random.ts';

const NOW = 1_800_000_000_000;
const pace = (fields: Partial<Pace> = {}): Pace => ({ ...newPace(10), limit: 10, ...fields });
const pool = (used: { [Part in keyof Pool]?: number } = {}): Pool => {
  const { attempts, failing, bytes } = newPool(384, 1000);
  return {
    attempts: { ...attempts, used: used.attempts ?? 0 },
    failing: { ...failing, used: used.failing ?? 0 },
    bytes: { ...bytes, used: used.bytes ?? 0 },
  };
};
const candidate = (fields: Partial<Candidate> = {}): Candidate => ({
  wasScheduled: false,
  payloadBytes: 1,
  account: { failing: 0, bytes: 0 },
  waiting: 0,
  oldestMs: 0,
  ...fields,
});

describe('an attempt may start', () => {
  test.each<[string, Partial<Pace>, Parameters<typeof pool>[0], Partial<Candidate>, boolean]>([
    ['when the address has none in flight', {}, {}, {}, true],
    ['below the limit of the address', { running: 9 }, {}, {}, true],
    ['not at the limit of the address', { running: 10 }, {}, {}, false],
    [
      'not when a failure has lowered the limit to the number in flight',
      { running: 5, limit: 5 },
      {},
      {},
      false,
    ],
    ['not in a full pool', {}, { attempts: 384 }, {}, false],
    [
      'in the last place of the pool, for an address without attempts',
      {},
      { attempts: 383 },
      {},
      true,
    ],
    [
      'not in the last places, for an address with attempts',
      { running: 2 },
      { attempts: 370 },
      {},
      false,
    ],
    ['not beyond the limit of bytes in flight', {}, { bytes: 600 }, { payloadBytes: 401 }, false],
    [
      'of a payload above the limit of bytes, when nothing else is in flight',
      {},
      {},
      { payloadBytes: 5_000 },
      true,
    ],
    [
      'of a failing address, while failing ones have room',
      { failures: 1 },
      { failing: 95 },
      {},
      true,
    ],
    [
      'not of a failing address beyond the share of failing ones',
      { failures: 1 },
      { failing: 96 },
      {},
      false,
    ],
    [
      'of a healthy address, whatever failing ones use',
      {},
      { attempts: 96, failing: 96 },
      {},
      true,
    ],
    [
      'not of an account that has half of all attempts of failing addresses',
      { failures: 1 },
      { failing: 48 },
      { account: { failing: 48, bytes: 0 } },
      false,
    ],
    [
      'not of an account that would have more than half of all bytes',
      {},
      { bytes: 400 },
      { payloadBytes: 201, account: { failing: 0, bytes: 400 } },
      false,
    ],
    [
      'of a small payload, however many bytes its account has in flight',
      {},
      { bytes: 900 },
      { payloadBytes: 1, account: { failing: 0, bytes: 900 } },
      true,
    ],
  ])('%s', (_, ofPace, ofPool, ofCandidate, may) => {
    expect(mayRun(pace(ofPace), pool(ofPool), candidate(ofCandidate))).toBe(may);
  });
});

describe('an email', () => {
  const full = { running: 10, latencyMs: 100 };
  test.each<[string, Partial<Pace>, Partial<Candidate>, ReturnType<typeof decideStart>]>([
    ['starts now when nothing prevents it', {}, {}, { kind: 'now' }],
    ['waits in memory for a busy address that is fast', full, {}, { kind: 'wait' }],
    ['waits in memory behind others, to preserve the order', {}, { waiting: 3 }, { kind: 'wait' }],
    [
      'waits in RETRY when the wait in memory would be long',
      full,
      { waiting: 50 },
      { kind: 'later', at: NOW + 1_000 },
    ],
    [
      'waits in RETRY when the attempts in flight hang',
      { ...full, queueEnd: NOW, queueSince: NOW - 30_000 },
      { oldestMs: 20_000 },
      { kind: 'later', at: NOW + 2_000 },
    ],
    [
      'waits a second when it is the first that must wait',
      { ...full, queueSince: NOW - 30_000 }, // of a queue that ended
      { oldestMs: 20_000 },
      { kind: 'later', at: NOW + 1_000 },
    ],
    [
      'waits no longer than there has been a queue',
      { queueEnd: NOW + 60_000, queueSince: NOW - 5_000 },
      {},
      { kind: 'later', at: NOW + 5_000 },
    ],
    [
      'waits in RETRY behind those that already have a time',
      { queueEnd: NOW + 60_000 },
      {},
      { kind: 'later', at: NOW + 60_010 },
    ],
    [
      'starts now at its own time, however long the queue behind it',
      { queueEnd: NOW + 60_000 },
      { wasScheduled: true },
      { kind: 'now' },
    ],
    [
      'waits at most ten minutes',
      { running: 1, limit: 1, latencyMs: 30_000, queueEnd: NOW + 9_000_000 },
      {},
      { kind: 'later', at: NOW + LATER_MAX_MS },
    ],
  ])('%s', (_, ofPace, ofCandidate, decision) => {
    expect(decideStart(pace(ofPace), pool(), candidate(ofCandidate), NOW)).toEqual(decision);
  });
});

const limitAfter = (durationMs: number, first: Pace) =>
  Array.from({ length: 100 }).reduce<Pace>(
    (state) => afterAttempt(state, { durationMs, isFailure: false }, 10, NOW),
    first,
  ).limit;

describe('after an attempt', () => {
  test('a failure halves the limit, down to one', () => {
    let state = pace();
    const limits = Array.from({ length: 6 }, () => {
      state = afterAttempt(state, { durationMs: 10, isFailure: true }, 10, NOW);
      return state.limit;
    });
    expect(limits).toEqual([5, 2.5, 1.25, 1, 1, 1]);
  });

  test('successes raise the limit by one per round, up to the maximum', () => {
    let state = pace({ limit: 1 });
    for (let i = 0; i < 100; i++)
      state = afterAttempt(state, { durationMs: 10, isFailure: false }, 10, NOW);
    expect(state.limit).toBe(10);
  });

  test('a new address starts with four, and only fast responses earn more', () => {
    expect(newPace(10).limit).toBe(4);
    expect(newPace(2).limit).toBe(2);
    expect(limitAfter(1_000, newPace(10))).toBe(10);
    expect(limitAfter(1_001, newPace(10))).toBe(4);
    expect(limitAfter(1_001, pace({ limit: 1 }))).toBe(4);
    expect(limitAfter(1_001, pace({ limit: 7 }))).toBe(7);
  });

  test('the first success after failures discards their latency and the virtual queue', () => {
    const state = afterAttempt(
      pace({ failures: 3, latencyMs: 30_000, queueEnd: NOW + 500_000, limit: 1 }),
      { durationMs: 20, isFailure: false },
      10,
      NOW,
    );
    expect(state).toMatchObject({ failures: 0, latencyMs: 20, queueEnd: NOW, limit: 2 });
  });
});

test('a queue made long by a slow response shrinks with the latency, and does not grow with it', () => {
  const slow = pace({ latencyMs: 8_000, limit: 1, queueEnd: NOW + 80_000 });
  const quicker = afterAttempt(slow, { durationMs: 0, isFailure: false }, 1, NOW);
  expect(quicker).toMatchObject({ latencyMs: 7_000, queueEnd: NOW + 70_000 });
  const slower = afterAttempt(slow, { durationMs: 16_000, isFailure: false }, 1, NOW);
  expect(slower).toMatchObject({ latencyMs: 9_000, queueEnd: NOW + 80_000 });
  expect(
    afterAttempt(pace({ queueEnd: NOW - 5 }), { durationMs: 1, isFailure: false }, 10, NOW)
      .queueEnd,
  ).toBe(NOW - 5);
});

describe('always', () => {
  const attempts = fc.array(fc.record({ durationMs: fc.nat(60_000), isFailure: fc.boolean() }), {
    maxLength: 200,
  });

  test('the limit is between one and the maximum, the latency between those measured', () => {
    fc.assert(
      fc.property(attempts, fc.integer({ min: 1, max: 50 }), (list, concurrency) => {
        const last = list.reduce(
          (state, attempt) => afterAttempt(state, attempt, concurrency, NOW),
          newPace(concurrency),
        );
        expect(last.limit).toBeGreaterThanOrEqual(1);
        expect(last.limit).toBeLessThanOrEqual(concurrency);
        expect(last.latencyMs).toBeGreaterThanOrEqual(
          Math.min(100, ...list.map(({ durationMs }) => durationMs)),
        );
        expect(last.latencyMs).toBeLessThanOrEqual(
          Math.max(100, ...list.map(({ durationMs }) => durationMs)),
        );
      }),
    );
  });

  test('scheduled times are in the future, in order, spaced by the latency, and never too far away', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30_000 }),
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.nat(2_000), { minLength: 1, maxLength: 100 }),
        (latencyMs, limit, gaps) => {
          let state = pace({ latencyMs, limit });
          let now = NOW;
          let last = 0;
          for (const gap of gaps) {
            const at = scheduleTime(state, 0, now);
            expect(at).toBeGreaterThan(now);
            expect(at).toBeLessThanOrEqual(now + LATER_MAX_MS);
            // several emails may share the earliest and the latest time
            const isAtTheEnd = at === now + Math.max(1_000, now - NOW);
            expect(isAtTheEnd || at - last >= Math.floor(intervalMs(state, 0))).toBe(true);
            state = withScheduled(state, at, now);
            last = at;
            now += gap;
          }
        },
      ),
    );
  });

  test('no email is expected to wait in memory for more than the patience', () => {
    fc.assert(
      fc.property(
        fc.nat(100),
        fc.nat(60_000),
        fc.nat(20),
        fc.boolean(),
        (waiting, oldestMs, running, wasScheduled) => {
          const state = pace({ running });
          const decision = decideStart(
            state,
            pool({ attempts: running }),
            candidate({ waiting, oldestMs, wasScheduled }),
            NOW,
          );
          expect(
            decision.kind !== 'wait' || (waiting + 1) * intervalMs(state, oldestMs) <= PATIENCE_MS,
          ).toBe(true);
        },
      ),
    );
  });

  test('any number of slow receivers leaves a place for an address without attempts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), (slow) => {
        const shared = pool();
        const paces = Array.from({ length: slow }, () => pace());
        for (let round = 0; round < 10; round++) {
          for (const one of paces) {
            if (!mayRun(one, shared, candidate())) continue;
            one.running++;
            shared.attempts.used++;
          }
        }
        expect(mayRun(pace(), shared, candidate())).toBe(true);
      }),
    );
  });
});

test('an email whose account is at its share waits for moments, not for a slow receiver', () => {
  const slots = { capacity: 64, used: 32 };
  const timeFor = (latencyMs: number, queueEnd = 0) =>
    accountScheduleTime({ held: 32, queueEnd, latencyMs, oldestMs: 0 }, slots, NOW);
  expect(timeFor(10)).toBe(NOW + ACCOUNT_LATER_MIN_MS);
  expect(timeFor(32_000)).toBe(NOW + 1_000); // one of its 32 slots is free every second
  expect(timeFor(32_000, NOW + 5_000)).toBe(NOW + 6_000);
});
