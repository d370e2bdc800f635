/** Timestamps: ISO 8601 in UTC with whole seconds (spec 2). */
import { expect, test } from 'vitest';

import { Timestamp, timestamp } from '../../../services/core/time/timestamp.ts';

test.each([
  ['2026-11-21T08:00:00.000Z', '2026-11-21T08:00:00Z'],
  ['2026-11-21T08:00:00.999Z', '2026-11-21T08:00:00Z'],
  ['2026-11-21T08:00:00+05:30', '2026-11-21T02:30:00Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
])('spec 2: %s is shown as %s', (text, shown) => {
  expect(timestamp(new Date(text))).toBe(shown);
  expect(Timestamp.parse(shown)).toBe(shown);
});

test.each(['2026-11-21T08:00:00.5Z', '2026-11-21T08:00:00+00:00', '2026-11-21', ''])(
  '%j is no such timestamp',
  (text) => {
    expect(Timestamp.safeParse(text).success).toBe(false);
  },
);
