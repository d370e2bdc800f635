/** Issue 55.2: when the absence of an expected email is silence. */
import { describe, expect, test } from 'vitest';

import {
  expectationAfter,
  Expectation,
  expectedBy,
  expectedEmail,
  isSilent,
  newExpectation,
} from '../../../services/core/address/expectation.ts';

const NOW = new Date('2026-11-27T12:00:00Z');
const hours = (count: number) => new Date(NOW.getTime() + count * 3_600_000);
const DAILY = Expectation.parse({ every: '26h' });

describe('an expectation', () => {
  test.each(['1m', '30m', '26h', '999d'])('of every %s is accepted', (every) => {
    expect(Expectation.safeParse({ every }).success).toBe(true);
  });
  test.each(['0m', '1000d', '26', '5s', '-1h', '1.5h', ''])('of every %j is refused', (every) => {
    expect(Expectation.safeParse({ every }).success).toBe(false);
  });
  test('has any email and an hour of grace by default', () => {
    expect(DAILY).toEqual({ every: '26h', when: null, grace: '1h' });
  });
});

const WAITING = { expect: DAILY, is_enabled: true, silent_since: hours(-1) };
const BEGINS = { expect_since: NOW, silent_at: hours(27) };
const NO_WAIT = { silent_at: null, silent_since: null };

describe('what a change does to the state', () => {
  test('a new address waits from its creation, and one without expectation has no state', () => {
    expect(newExpectation(DAILY, NOW)).toEqual(BEGINS);
    expect(newExpectation(null, NOW)).toEqual({});
  });
  const other = Expectation.parse({ every: '2d', grace: '0m' });
  test.each([
    ['the same expectation changes nothing', WAITING, { expect: { ...DAILY } }, {}],
    ['a change of something else changes nothing', WAITING, {}, {}],
    [
      'another one begins anew and ends the silence',
      WAITING,
      { expect: other },
      { expect_since: NOW, silent_at: hours(48), silent_since: null },
    ],
    ['removing it ends the silence', WAITING, { expect: null }, NO_WAIT],
    ['a disabled address waits for nothing', WAITING, { is_enabled: false }, NO_WAIT],
    [
      'an address that is enabled again begins anew',
      { ...WAITING, is_enabled: false },
      { is_enabled: true },
      { ...BEGINS, silent_since: null },
    ],
    [
      'a disabled address with a new expectation waits for nothing',
      { expect: null, is_enabled: false },
      { expect: DAILY },
      NO_WAIT,
    ],
    [
      'enabling one without expectation writes nothing',
      { is_enabled: false },
      { is_enabled: true },
      {},
    ],
  ])('%s', (_, before, change, state) => {
    expect(expectationAfter(before, change, NOW)).toEqual(state);
  });
});

describe('an email at an address', () => {
  const expected = expectedBy({ expect: DAILY, expect_since: hours(-5) });
  test('is the expected one when the expression is true', () => {
    expect(expectedEmail(expected, () => ({ passes: true }), NOW)).toEqual({
      since_ms: hours(-5).getTime(),
      until_ms: hours(27).getTime(),
    });
  });
  test.each([
    ['is false', { passes: false }],
    ['fails, which lets an email pass a filter', { passes: true, error: 'no such key' }],
  ])('is not when the expression %s', (_, filtered) => {
    expect(expectedEmail(expected, () => filtered, NOW)).toBeUndefined();
  });
  test('is none at an address without expectation', () => {
    expect(expectedBy({ expect: null, expect_since: NOW })).toBeUndefined();
    expect(expectedEmail(undefined, () => ({ passes: true }), NOW)).toBeUndefined();
  });
});

const steadyFor = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);

describe('after an outage', () => {
  test.each([
    ['ten minutes at least', '0m', 9, 10],
    ['the grace', '30m', 29, 30],
    ['an hour at most', '7d', 59, 60],
  ])('absence is silence after %s', (_, grace, tooShort, longEnough) => {
    expect(isSilent({ grace }, steadyFor(tooShort), NOW)).toBe(false);
    expect(isSilent({ grace }, steadyFor(longEnough), NOW)).toBe(true);
  });
});
