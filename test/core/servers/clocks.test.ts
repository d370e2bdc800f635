/** The time that a process uses, when its own clock is wrong (D166). */
import { expect, test } from 'vitest';

import {
  bestReading,
  offsetMs,
  readingOf,
  timeNow,
  withReading,
} from '../../../services/core/servers/clocks.ts';

const DAY_MS = 86_400_000;
const THEIRS = Date.UTC(2026, 2, 1, 12);
/** A reading that took 20 ms, when the process had counted 1,010 ms. */
const READING = readingOf(1_000, 1_020, new Date(THEIRS));

test.each([
  ['the same time', 0],
  ['half a second ahead', 500],
  ['a second behind', -1_000],
])('a clock with %s is used as it is', (_, shiftMs) => {
  expect(timeNow(READING, 1_010, THEIRS + shiftMs)).toBe(THEIRS + shiftMs);
});

test.each([
  ['three seconds ahead', 3_000],
  ['a day ahead', DAY_MS],
  ['a day behind', -DAY_MS],
  ['in 1970', -THEIRS],
])('a clock %s is not used: time is counted from the reading', (_, shiftMs) => {
  expect(timeNow(READING, 1_010, THEIRS + shiftMs)).toBe(THEIRS);
  expect(timeNow(READING, 6_010, THEIRS + 5_000 + shiftMs)).toBe(THEIRS + 5_000);
  expect(offsetMs(READING, 1_010, THEIRS + shiftMs)).toBe(shiftMs - Math.sign(shiftMs) * 10);
});

test('a clock that is set between two readings is noticed at once', () => {
  expect(timeNow(READING, 2_010, THEIRS + 1_000)).toBe(THEIRS + 1_000);
  expect(timeNow(READING, 3_010, THEIRS + 2_000 + DAY_MS)).toBe(THEIRS + 2_000);
});

test('a reading that took long says little: no offset, and no correction', () => {
  const slow = readingOf(1_000, 9_000, new Date(THEIRS));
  expect(offsetMs(slow, 5_000, THEIRS + 3_900)).toBe(0);
  expect(timeNow(slow, 5_000, THEIRS + 3_900)).toBe(THEIRS + 3_900);
});

test('the most exact of the last readings counts, until a later one contradicts it', () => {
  const slow = readingOf(2_000, 2_400, new Date(THEIRS + 1_150));
  const both = withReading(withReading([], READING), slow);
  expect(bestReading(both)).toEqual(READING);
  const set = readingOf(3_000, 3_400, new Date(THEIRS + DAY_MS)); // the server's clock, or its primary
  expect(bestReading(withReading(both, set))).toEqual(set);
  let many = both;
  for (let n = 0; n < 20; n++) many = withReading(many, READING);
  expect(many.length).toBeLessThan(10);
});

test('without a reading, the clock of the process is all there is', () => {
  expect(timeNow(undefined, 0, THEIRS)).toBe(THEIRS);
  expect(bestReading([])).toBeUndefined();
});
