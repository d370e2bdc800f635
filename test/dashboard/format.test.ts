/** How the dashboard writes times and durations. The language is that of the machine. */
import { expect, test } from 'vitest';

import { formatDayAndTime, formatDuration } from '../../services/dashboard/parts/format.ts';

test('a day and time has its year unless it is the present one', () => {
  const now = new Date('2026-11-22T12:00:00Z');
  expect(formatDayAndTime(new Date('2025-11-22T12:00:00Z'), now)).toContain('2025');
  expect(formatDayAndTime(new Date('2026-03-03T12:00:00Z'), now)).not.toContain('2026');
});

test('a duration is in milliseconds below a second, and has its unit', () => {
  expect(formatDuration(12.4)).toMatch(/^12\s?\D+$/);
  expect(formatDuration(1_512)).toMatch(/^1[.,]5\s?\D+$/);
});
