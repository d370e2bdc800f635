/** When an address gets its next webhook: limits, the virtual queue, and the effect of attempts. */
import { describe, expect, test } from 'vitest';

import {
  afterAttempt,
  type Claim,
  decideStart,
  intervalMs,
  newClaim,
  MEMORY_WAIT_MS,
  schedule,
  SLEEP_MAX_MS,
  SLEEP_MIN_MS,
  firstByteWithin,
} from '../../../services/core/delivery/claim.ts';
import { fc } from '../../support/random.ts';

const NOW = 1_800_000_000_000;
/** @param oldestMs age of a request in flight */
const claim = ({ oldestMs, ...fields }: Partial<Claim> & { oldestMs?: number } = {}): Claim => ({
  ...newClaim(10),
  limit: 10,
  ...(oldestMs && { requests: new Set([{ startedAt: NOW - oldestMs }]) }),
  ...fields,
});
const sleepMs = (one: Claim, now = NOW) => schedule(one, SLEEP_MIN_MS.address, now).at - now;

type Email = Parameters<typeof decideStart>[1];
const email = (fields: Partial<Email> = {}): Email => ({
  wasScheduled: false,
  waiting: 0,
  mayRun: true,
  ...fields,
});

describe('an email', () => {
  const busy = { mayRun: false };
  test.each<[string, Parameters<typeof claim>[0], Partial<Email>, string]>([
    ['starts now when nothing prevents it', {}, {}, 'now'],
    ['waits in memory for a busy address that is fast', {}, busy, 'wait'],
    ['waits in memory behind others, to preserve the order', {}, { waiting: 3 }, 'wait'],
    ['sleeps when the wait in memory would be long', {}, { waiting: 50 }, 'later'],
    ['sleeps when the attempts in flight hang', { oldestMs: 20_000 }, busy, 'later'],
    ['sleeps behind those that already have a time', { queueEnd: NOW + 60_000 }, {}, 'later'],
    [
      'starts now at its own time, however long the queue behind it',
      { queueEnd: NOW + 60_000 },
      { wasScheduled: true },
      'now',
    ],
  ])('%s', (_, ofClaim, ofEmail, decision) => {
    expect(decideStart(claim(ofClaim), email(ofEmail), NOW)).toBe(decision);
  });

  test.each<[string, Parameters<typeof claim>[0], number]>([
    ['a second when its address is fast', {}, 1_000],
    [
      'as long as an attempt, spread over all that may run',
      { oldestMs: 20_000, queueEnd: NOW, queueSince: NOW - 30_000 },
      2_000,
    ],
    [
      'five seconds at most while the queue is new', // the queue before it has ended
      { oldestMs: 80_000, queueSince: NOW - 30_000 },
      5_000,
    ],
    [
      'no longer than there has been a queue',
      { queueEnd: NOW + 60_000, queueSince: NOW - 9_000 },
      9_000,
    ],
    ['behind those that already have a time', { queueEnd: NOW + 60_000 }, 60_010],
    [
      'at most ten minutes',
      { limit: 1, latencyMs: 30_000, queueEnd: NOW + 9_000_000 },
      SLEEP_MAX_MS.ever,
    ],
  ])('sleeps %s', (_, ofClaim, ms) => {
    expect(sleepMs(claim(ofClaim))).toBe(ms);
  });

  test('of an account sleeps for moments first: a slot is free again soon', () => {
    const account = claim({ limit: 32, latencyMs: 10 });
    expect(schedule(account, SLEEP_MIN_MS.account, NOW).at).toBe(NOW + 200);
  });
});

const limitAfter = (durationMs: number, first: Claim) =>
  Array.from({ length: 100 }).reduce<Claim>(
    (state) => afterAttempt(state, { durationMs, isFailure: false }, 10, NOW),
    first,
  ).limit;

describe('after an attempt', () => {
  test('a failure halves the limit, down to one', () => {
    let state = claim();
    const limits = Array.from({ length: 6 }, () => {
      state = afterAttempt(state, { durationMs: 10, isFailure: true }, 10, NOW);
      return state.limit;
    });
    expect(limits).toEqual([5, 2.5, 1.25, 1, 1, 1]);
  });

  test('successes raise the limit by one per round, up to the maximum', () => {
    let state = claim({ limit: 1 });
    for (let i = 0; i < 100; i++)
      state = afterAttempt(state, { durationMs: 10, isFailure: false }, 10, NOW);
    expect(state.limit).toBe(10);
  });

  test('a new address starts with four, and only fast responses earn more', () => {
    expect(newClaim(10).limit).toBe(4);
    expect(newClaim(2).limit).toBe(2);
    expect(limitAfter(1_000, newClaim(10))).toBe(10);
    expect(limitAfter(1_001, newClaim(10))).toBe(4);
    expect(limitAfter(1_001, claim({ limit: 1 }))).toBe(4);
    expect(limitAfter(1_001, claim({ limit: 7 }))).toBe(7);
  });

  test('the first success after failures discards their latency and the virtual queue', () => {
    const state = afterAttempt(
      claim({ failures: 3, latencyMs: 30_000, queueEnd: NOW + 500_000, limit: 1 }),
      { durationMs: 20, isFailure: false },
      10,
      NOW,
    );
    expect(state).toMatchObject({ failures: 0, latencyMs: 20, queueEnd: NOW, limit: 4 });
  });
});

const after = (...attempts: Parameters<typeof afterAttempt>[1][]) =>
  attempts.reduce((state, one) => afterAttempt(state, one, 10, NOW), newClaim(10));

describe('D169: how long a first byte is awaited', () => {
  const silent = { durationMs: 30_000, isFailure: true, isSilent: true };
  test.each([
    ['of a new address', []],
    ['after one timeout', [silent]],
    ['after an error that came in time', [silent, silent, { durationMs: 9, isFailure: true }]],
    ['after a success', [silent, silent, { durationMs: 9, isFailure: false }]],
    [
      'of every eighth attempt: a slow receiver is recognized',
      Array.from({ length: 8 }, () => silent),
    ],
  ])('as long as the whole response: %s', (_, attempts) => {
    expect(firstByteWithin(after(...attempts))).toBeUndefined();
  });

  test('5 s after two timeouts in a row, and such an address has one attempt in flight', () => {
    const state = after(silent, silent);
    expect(firstByteWithin(state)).toBe(5_000);
    expect(state.limit).toBe(1);
  });
});

test('a queue made long by a slow response shrinks with the latency, and does not grow with it', () => {
  const slow = claim({ latencyMs: 8_000, limit: 1, queueEnd: NOW + 80_000 });
  const quicker = afterAttempt(slow, { durationMs: 0, isFailure: false }, 1, NOW);
  expect(quicker).toMatchObject({ latencyMs: 7_000, queueEnd: NOW + 70_000 });
  const slower = afterAttempt(slow, { durationMs: 16_000, isFailure: false }, 1, NOW);
  expect(slower).toMatchObject({ latencyMs: 9_000, queueEnd: NOW + 80_000 });
  expect(
    afterAttempt(claim({ queueEnd: NOW - 5 }), { durationMs: 1, isFailure: false }, 10, NOW)
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
          newClaim(concurrency),
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
          let state = claim({ latencyMs, limit });
          let now = NOW;
          let last = 0;
          for (const gap of gaps) {
            const next = schedule(state, SLEEP_MIN_MS.address, now);
            expect(next.at).toBeGreaterThan(now);
            expect(next.at).toBeLessThanOrEqual(now + SLEEP_MAX_MS.ever);
            // several emails may share the earliest and the latest time
            const isAtTheEnd = [1_000, Math.max(5_000, now - NOW)].includes(next.at - now);
            expect(isAtTheEnd || next.at - last >= Math.floor(intervalMs(state, now))).toBe(true);
            state = next.claim;
            last = next.at;
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
        fc.boolean(),
        fc.boolean(),
        (waiting, oldestMs, mayRun, wasScheduled) => {
          const state = claim({ oldestMs });
          const decision = decideStart(state, { waiting, mayRun, wasScheduled }, NOW);
          expect(
            decision !== 'wait' || (waiting + 1) * intervalMs(state, NOW) <= MEMORY_WAIT_MS,
          ).toBe(true);
        },
      ),
    );
  });
});
