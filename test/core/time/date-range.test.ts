/** Time bounds in queries: a timestamp is exact, a date means the whole day in UTC. */
import { expect, test } from 'vitest';

import { endOf, startOf } from '../../../services/core/time/date-range.ts';

test.each([
  ['2026-11-21', '2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ['2026-12-31', '2026-12-31T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['2026-11-21T08:00:00Z', '2026-11-21T08:00:00.000Z', '2026-11-21T08:00:00.000Z'],
  ['2026-11-21T08:00Z', '2026-11-21T08:00:00.000Z', '2026-11-21T08:00:00.000Z'],
  ['2026-11-21T08:00:00.125Z', '2026-11-21T08:00:00.125Z', '2026-11-21T08:00:00.125Z'],
  ['2026-11-21T08:00:00+02:00', '2026-11-21T06:00:00.000Z', '2026-11-21T06:00:00.000Z'],
])('%s starts at %s and ends before %s', (text, start, end) => {
  expect([startOf(text)?.toISOString(), endOf(text)?.toISOString()]).toEqual([start, end]);
});

test.each([
  '',
  '2026',
  '2026-11',
  '21.11.2026',
  '2026-13-01',
  '2026-02-30',
  '2026-11-21T25:00:00Z',
  '2026-11-21T08:00:00',
  'yesterday',
  '1763712000',
  '2026-11-21 08:00:00Z',
])('%j is not a time', (text) => {
  expect([startOf(text), endOf(text)]).toEqual([undefined, undefined]);
});
