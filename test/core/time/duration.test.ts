/** Durations and lists of durations in settings. */
import { expect, test } from 'vitest';

import { Duration, durationMs, DurationList } from '../../../services/core/time/duration.ts';
import { RETRY_SCHEDULE_MS } from '../../../services/core/delivery/retry.ts';

test.each([
  ['20ms', 20],
  ['1s', 1_000],
  ['5m', 300_000],
  ['8h', 28_800_000],
  ['30d', 2_592_000_000],
  ['0s', 0],
  ['0', 0],
  [' 1s ', 1_000],
])('%j is %d milliseconds', (text, ms) => {
  expect(durationMs(text)).toBe(ms);
  expect(Duration.parse(text)).toBe(ms);
});

test.each(['', '1', 's', '1.5s', '-1s', '1 s', '1S', '1w', '1s1m', '1e3s', 'Infinityms'])(
  '%j is no duration, and the message says what is',
  (text) => {
    expect(durationMs(text)).toBeUndefined();
    expect(Duration.safeParse(text).error?.issues).toMatchObject([
      { message: `"${text}" is not a duration such as 30s, 5m or 72h` },
    ]);
  },
);

test('spec 6.2: the default schedule can be written as a setting', () => {
  expect(DurationList.parse('1s,1m,5m,30m,2h,8h')).toEqual(RETRY_SCHEDULE_MS);
});

test.each([
  ['1s, 1m', [1_000, 60_000]],
  ['1s,', [1_000]],
  ['', []],
])('%j is the list %j', (text, list) => {
  expect(DurationList.parse(text)).toEqual(list);
});

test.each(['1s,x', '1s;1m', 'never'])(
  '%j is no list of durations, and the message says so',
  (text) => {
    expect(DurationList.safeParse(text).error?.issues).toMatchObject([
      { message: expect.stringContaining(text) },
    ]);
  },
);
