/** When an address gets its next webhook: limits, turns and what attempts teach (design §4). */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  afterAttempt,
  type Caller,
  intervalMs,
  LATER_MAX_MS,
  mayRun,
  newPace,
  nextTurn,
  type Pace,
  PATIENCE_MS,
  type Pool,
  turnOf,
  withTurn,
} from '../../../services/core/delivery/pacing.ts';

const NOW = 1_800_000_000_000;
const pace = (fields: Partial<Pace> = {}): Pace => ({ ...newPace(10), ...fields });
const pool = (fields: Partial<Pool> = {}): Pool => ({
  capacity: 384,
  running: 0,
  runningOfFailing: 0,
  capacityBytes: 1000,
  runningBytes: 0,
  ...fields,
});
const caller = (fields: Partial<Caller> = {}): Caller => ({
  hadTurn: false,
  payloadBytes: 1,
  waiting: 0,
  oldestMs: 0,
  ...fields,
});

describe('an attempt may start', () => {
  test.each<[string, Partial<Pace>, Partial<Pool>, number, boolean]>([
    ['when the address has none under way', {}, {}, 1, true],
    ['below the limit of the address', { running: 9 }, {}, 1, true],
    ['not at the limit of the address', { running: 10 }, {}, 1, false],
    [
      'not when a failure has lowered the limit to what runs',
      { running: 5, limit: 5 },
      {},
      1,
      false,
    ],
    ['not in a full pool', {}, { running: 384 }, 1, false],
    ['in the last place of the pool, for an address that has none', {}, { running: 383 }, 1, true],
    [
      'not in the last places, for an address that has some',
      { running: 2 },
      { running: 370 },
      1,
      false,
    ],
    ['not beyond the bytes under way', {}, { runningBytes: 600 }, 401, false],
    ['a payload larger than all bytes, when nothing else is under way', {}, {}, 5_000, true],
    [
      'of a failing address, while failing ones leave room',
      { failures: 1 },
      { runningOfFailing: 95 },
      1,
      true,
    ],
    [
      'not of a failing address beyond the share of failing ones',
      { failures: 1 },
      { runningOfFailing: 96 },
      1,
      false,
    ],
    [
      'of a healthy address, whatever failing ones hold',
      {},
      { running: 96, runningOfFailing: 96 },
      1,
      true,
    ],
  ])('%s', (_, ofPace, ofPool, bytes, may) => {
    expect(mayRun(pace(ofPace), pool(ofPool), bytes)).toBe(may);
  });
});

describe('a mail', () => {
  const full = { running: 10, latencyMs: 100 };
  test.each<[string, Partial<Pace>, Partial<Caller>, ReturnType<typeof turnOf>]>([
    ['goes now when nothing is in its way', {}, {}, { kind: 'now' }],
    ['waits in memory for a busy address that is quick', full, {}, { kind: 'wait' }],
    ['waits in memory behind others, so that none overtakes', {}, { waiting: 3 }, { kind: 'wait' }],
    [
      'sleeps when the wait in memory would be long',
      full,
      { waiting: 50 },
      { kind: 'later', at: NOW + 1_000 },
    ],
    [
      'sleeps when the attempts under way hang',
      full,
      { oldestMs: 20_000 },
      { kind: 'later', at: NOW + 2_000 },
    ],
    [
      'sleeps behind those who have a turn already',
      { lastTurn: NOW + 60_000 },
      {},
      { kind: 'later', at: NOW + 60_010 },
    ],
    [
      'goes now at its own turn, however long the queue behind it',
      { lastTurn: NOW + 60_000 },
      { hadTurn: true },
      { kind: 'now' },
    ],
    [
      'asks again after ten minutes at the latest',
      { running: 1, limit: 1, latencyMs: 30_000, lastTurn: NOW + 9_000_000 },
      {},
      { kind: 'later', at: NOW + LATER_MAX_MS },
    ],
  ])('%s', (_, ofPace, ofCaller, turn) => {
    expect(turnOf(pace(ofPace), pool(), caller(ofCaller), NOW)).toEqual(turn);
  });
});

describe('an attempt teaches', () => {
  test('a failure halves the limit, down to one', () => {
    let state = pace();
    const limits = Array.from({ length: 6 }, () => {
      state = afterAttempt(state, { durationMs: 10, isFailure: true }, 10, NOW);
      return state.limit;
    });
    expect(limits).toEqual([5, 2.5, 1.25, 1, 1, 1]);
  });

  test('successes raise the limit by one a round, up to the most', () => {
    let state = pace({ limit: 1 });
    for (let i = 0; i < 100; i++)
      state = afterAttempt(state, { durationMs: 10, isFailure: false }, 10, NOW);
    expect(state.limit).toBe(10);
  });

  test('the first success after failures forgets their latency and their turns', () => {
    const state = afterAttempt(
      pace({ failures: 3, latencyMs: 30_000, lastTurn: NOW + 500_000, limit: 1 }),
      { durationMs: 20, isFailure: false },
      10,
      NOW,
    );
    expect(state).toMatchObject({ failures: 0, latencyMs: 20, lastTurn: NOW, limit: 2 });
  });
});

test('a queue that a slow answer made long shrinks with the latency, and does not grow with it', () => {
  const slow = pace({ latencyMs: 8_000, limit: 1, lastTurn: NOW + 80_000 });
  const quicker = afterAttempt(slow, { durationMs: 0, isFailure: false }, 1, NOW);
  expect(quicker).toMatchObject({ latencyMs: 7_000, lastTurn: NOW + 70_000 });
  const slower = afterAttempt(slow, { durationMs: 16_000, isFailure: false }, 1, NOW);
  expect(slower).toMatchObject({ latencyMs: 9_000, lastTurn: NOW + 80_000 });
  expect(
    afterAttempt(pace({ lastTurn: NOW - 5 }), { durationMs: 1, isFailure: false }, 10, NOW)
      .lastTurn,
  ).toBe(NOW - 5);
});

describe('whatever happens', () => {
  const attempts = fc.array(fc.record({ durationMs: fc.nat(60_000), isFailure: fc.boolean() }), {
    maxLength: 200,
  });

  test('the limit stays between one and the most, the latency between those measured', () => {
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

  test('turns lie in the future, in order, spaced by what the receiver takes, and never too far off', () => {
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
            now += gap;
            const at = nextTurn(state, 0, now);
            expect(at).toBeGreaterThan(now);
            expect(at).toBeLessThanOrEqual(now + LATER_MAX_MS);
            const isAtTheEnd = at === now + LATER_MAX_MS || at === now + 1_000; // the farthest and the nearest turn are shared
            expect(isAtTheEnd || at - last >= Math.floor(intervalMs(state, 0))).toBe(true);
            state = withTurn(state, at);
            last = at;
          }
        },
      ),
    );
  });

  test('no mail waits in memory longer than patience allows, by what is known', () => {
    fc.assert(
      fc.property(
        fc.nat(100),
        fc.nat(60_000),
        fc.nat(20),
        fc.boolean(),
        (waiting, oldestMs, running, hadTurn) => {
          const state = pace({ running });
          const turn = turnOf(
            state,
            pool({ running }),
            caller({ waiting, oldestMs, hadTurn }),
            NOW,
          );
          expect(
            turn.kind !== 'wait' || (waiting + 1) * intervalMs(state, oldestMs) <= PATIENCE_MS,
          ).toBe(true);
        },
      ),
    );
  });

  test('slow receivers, however many, leave a place for one that has none', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), (slow) => {
        const shared = pool({ capacity: 384 });
        const paces = Array.from({ length: slow }, () => pace());
        for (let round = 0; round < 10; round++) {
          for (const one of paces) {
            if (!mayRun(one, shared, 1)) continue;
            one.running++;
            shared.running++;
          }
        }
        expect(mayRun(pace(), shared, 1)).toBe(true);
      }),
    );
  });
});
